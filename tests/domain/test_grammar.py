"""The grammar for text without unspaced scripts finds what the whole one finds."""

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain import text
from openclaw_memd.domain.scripts import MAY_BE_RUN, RUN_BODY
from tests.domain.samples import any_text, mixed_text

EVERY_CHARACTER = [chr(code_point) for code_point in range(0x110000)]
JOINED = st.lists(st.sampled_from([*"aZ9_-.+#%:/'@$= ", "http://", "é", "\u0301", "क", "€", "…", "😀", "仓"]))


def found(grammar: re.Pattern[str], where: str) -> list[tuple[tuple[int, int], str | None]]:
    return [(match.span(), match.lastgroup) for match in grammar.finditer(where)]


def test_every_character_of_an_unspaced_script_asks_for_the_whole_grammar() -> None:
    runs = re.compile(f"[{RUN_BODY}]")
    assert all(map(MAY_BE_RUN.match, filter(runs.match, EVERY_CHARACTER)))


@pytest.mark.slow
def test_every_other_character_is_found_the_same_without_the_whole_grammar() -> None:
    others = [character for character in EVERY_CHARACTER if not MAY_BE_RUN.match(character)]
    for around in ("{} ", "a{}b ", "1{}2 ", "http://{}/{} "):
        where = "".join(map(around.replace, ["{}"] * len(others), others))
        assert found(text._grammar_of(where), where) == found(text._grammar_with_runs(), where)


@given(st.one_of(any_text, mixed_text, JOINED.map("".join)))
def test_any_text_is_found_the_same(where: str) -> None:
    parts = chain([where], MAY_BE_RUN.split(where))
    for part in parts:
        assert found(text._grammar_of(part), part) == found(text._grammar_with_runs(), part)
