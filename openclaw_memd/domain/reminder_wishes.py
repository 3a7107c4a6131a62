"""Whether a text asks to be reminded at a time, which no keyword can do, in nine languages. Pure.

A wish is a verb of reminding and a time to come in one sentence; either alone is none. "Remind me of the
changelog when the release comes up on Friday" waits for what is said, not for Friday, and "the friday
release" is what somebody talks about. The time taken grows with the length of the text only.
"""

import re
from collections.abc import Iterator
from typing import Final

from openclaw_memd.domain.folding import fold, normalize
from openclaw_memd.domain.reminder_grammar import ReminderGrammar
from openclaw_memd.domain.reminder_wishes_cjk import CHINESE, JAPANESE, KOREAN
from openclaw_memd.domain.reminder_wishes_germanic import ENGLISH, GERMAN
from openclaw_memd.domain.reminder_wishes_romance import FRENCH, PORTUGUESE, SPANISH
from openclaw_memd.domain.reminder_wishes_russian import RUSSIAN

GRAMMARS: Final[tuple[ReminderGrammar, ...]] = (
    ENGLISH,
    GERMAN,
    SPANISH,
    PORTUGUESE,
    FRENCH,
    RUSSIAN,
    CHINESE,
    JAPANESE,
    KOREAN,
)

_SENTENCE: Final = re.compile(r"(?:[^.!?…。\n]|\.(?=\d)|(?<=\d)\.)++")
_CLAUSE_END: Final = re.compile("[,;:,;:、](?!\\d)")
_BLANKS: Final = re.compile(r"\s+")


def asks_for_reminder(text: str) -> bool:
    """Whether ``text`` wishes a reminder at some time."""
    return any(True for _ in wishing_languages(text))


def wishing_languages(text: str) -> Iterator[str]:
    """The code of each language in which a sentence of ``text`` wishes it; related ones often share it."""
    for found in _SENTENCE.finditer(fold(normalize(text))):
        sentence = _BLANKS.sub(" ", found[0]).strip()
        if sentence:
            clauses = [clause.strip() for clause in _CLAUSE_END.split(sentence)]
            yield from (grammar.language for grammar in GRAMMARS if grammar.matches(clauses))
