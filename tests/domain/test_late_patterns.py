import re

import pytest

from openclaw_memd.domain import recall_intent, reminder_wishes
from openclaw_memd.domain.late_patterns import LatePattern, any_of
from openclaw_memd.domain.recall_grammar import RecallGrammar
from openclaw_memd.domain.reminder_grammar import ReminderGrammar


def test_it_finds_what_the_pattern_finds() -> None:
    pattern, text = any_of(["a+", "b|c"]), "xaabc"
    same = re.compile("(?:a+)|(?:b|c)")
    assert [found.span() for found in pattern.finditer(text)] == [
        found.span() for found in same.finditer(text)
    ]
    for start in range(len(text)):
        found, wanted = pattern.search(text, start), same.search(text, start)
        assert found is not None
        assert wanted is not None
        assert found.span() == wanted.span()


def test_it_is_compiled_once_and_not_before_it_is_needed() -> None:
    wrong = LatePattern("(")
    with pytest.raises(re.error):
        wrong.search("x")
    pattern = LatePattern("x")
    assert pattern.compiled is pattern.compiled


@pytest.mark.parametrize("grammar", [*recall_intent.GRAMMARS, *reminder_wishes.GRAMMARS])
def test_every_grammar_can_be_compiled(grammar: RecallGrammar | ReminderGrammar) -> None:
    grammar.compile()
