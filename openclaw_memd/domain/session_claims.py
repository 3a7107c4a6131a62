"""What is claimed in a conversation: the sentences of a line, but for questions. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.scripts import RUN_BODY
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.unfit import find_unfit

LEAST_CHARS: Final = 12  # OpenClaw's value; a character of a script without spaces says as much as two
LEAST_WORDS: Final = 3
MANY_WORDS: Final = 5
"""So many words tell something by themselves; two characters of a script without spaces are one."""

_LABEL: Final = re.compile(r"(?P<who>User|Assistant): ")
_BORDER: Final = re.compile(r"(?<=[.!?…؟])[\"'»”’)\]]*\s+(?=\S)|(?<=[。！？])[」』）]*\s*(?=\S)")
_QUESTION: Final = ("?", "？", "؟")
_CLOSING: Final = "\"'»”’)]」』） "
_SHORT_WORD: Final = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|e\.g|i\.e|z\.B|p\.ex|etc|vs|Dr|Mr|Mrs|St|No|Nr|ca|т\.е)\.$"
)
_BULLET: Final = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_UNSPACED: Final = re.compile(f"[{RUN_BODY}]")
_AGAIN: Final = re.compile(
    r"(?:\S+\s+){0,4}(?:again|once more|as (?:usual|always)|(?:schon )?wieder|wie immer"
    r"|de nuevo|otra vez|como siempre|de novo|como sempre|outra vez"
    r"|encore|comme toujours|опять|снова|как всегда)[\W_]*",
    re.IGNORECASE,
)
"""A remark on a moment, such as "The printer again." """

_WORDY: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence that was said. ``is_answer`` tells that the agent said it."""

    text: str
    is_answer: bool


def read_said(line: str) -> list[Said]:
    """The claims of one line of a session's document, in order.

    A sentence is one; a question is none, nor is what is too short to say anything, or talk of a moment.
    """
    match = _LABEL.match(line)
    is_answer = match is not None and match["who"] == "Assistant"
    text = line if match is None else line[match.end() :]
    return [Said(sentence, is_answer) for sentence in _sentences(text) if _claims_something(sentence)]


def tells_something(said: Said, analyzer: Analyzer) -> bool:
    """Whether what was said may be worth to know later, and is not what is said in every session.

    It has some words that mean something, and among them a name, a number or a command; of what people say
    more of such words will do. "Run the tests and commit" is said often and tells nothing.
    """
    words = sum(0.5 if term.kind == "run" else 1.0 for term in analyzer.query_terms(said.text))
    if words < LEAST_WORDS:
        return False
    return (not said.is_answer and words >= MANY_WORDS) or any(
        token.kind == "identifier" or any(map(str.isdecimal, token.forms[0]))
        for token in analyzer.tokens(said.text)
    )


def _sentences(text: str) -> Iterator[str]:
    begun = ""
    for piece in _split(text):
        begun = f"{begun} {piece}".strip()
        if _SHORT_WORD.search(begun):  # the dot ends a word, not the sentence
            continue
        yield _BULLET.sub("", begun, count=1) if _BULLET.match(begun) else begun
        begun = ""
    if begun:
        yield begun


def _split(text: str) -> Iterator[str]:
    start = 0
    for match in _BORDER.finditer(text):
        end = match.end() - len(match.group()) + len(match.group().rstrip())
        yield text[start:end].strip()
        start = match.end()
    yield text[start:].strip()


def _claims_something(text: str) -> bool:
    if text.rstrip(_CLOSING).endswith(_QUESTION) or _WORDY.search(text) is None or _AGAIN.fullmatch(text):
        return False
    return len(text) + len(_UNSPACED.findall(text)) >= LEAST_CHARS and not find_unfit(text)
