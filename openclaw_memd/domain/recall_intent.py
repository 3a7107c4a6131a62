"""Whether a message asks about the past, in eight languages.

A sentence asks when one of its language's patterns is in it. What is wished for the future ("remind me
tomorrow") does not, unless the sentence names something that is over as well. Every pattern bounds what
stands between its words, so that the time taken grows with the length of the text only.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from openclaw_memd.domain.recall_grammar import RecallGrammar
from openclaw_memd.domain.recall_intent_cjk import CHINESE, JAPANESE, KOREAN
from openclaw_memd.domain.recall_intent_english import ENGLISH
from openclaw_memd.domain.recall_intent_german import GERMAN
from openclaw_memd.domain.recall_intent_romance import PORTUGUESE, SPANISH
from openclaw_memd.domain.recall_intent_russian import RUSSIAN

GRAMMARS: Final[tuple[RecallGrammar, ...]] = (
    ENGLISH,
    SPANISH,
    PORTUGUESE,
    GERMAN,
    RUSSIAN,
    CHINESE,
    JAPANESE,
    KOREAN,
)

_SENTENCE = re.compile(r"[^.!?…。!?।\n]++[.!?…。!?।]*+")
_BLANKS = re.compile(r"\s+")
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})


def asks_about_past(text: str) -> bool:
    """Whether ``text`` asks about what was said, done or decided.

    Quoted lines (``> ``) do not count: others wrote them.
    """
    return any(True for _ in asking_languages(text))


def asking_languages(text: str) -> Iterator[str]:
    """The code of each language in which a sentence of ``text`` asks; related ones often share it."""
    for sentence in _sentences(text):
        for grammar in GRAMMARS:
            if grammar.matches(sentence):
                yield grammar.language


def _sentences(text: str) -> Iterator[str]:
    own = _QUOTED_LINE.sub("", text).translate(_APOSTROPHES)
    folded = unicodedata.normalize("NFKC", own).casefold()
    for found in _SENTENCE.finditer(folded):
        sentence = _BLANKS.sub(" ", found[0]).strip()
        if sentence:
            yield sentence
