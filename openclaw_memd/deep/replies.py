"""What a chat model may reply while it looks through the memory, and how that is read.

The reply is text like any other: nothing in it is run, and what is no action counts as a wasted round.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from openclaw_memd.domain.dates import iso_date
from openclaw_memd.domain.surrogates import replace_surrogates

REPLY_CHARS: Final = 16_384
"""A longer reply is not looked at."""

QUERY_CHARS: Final = 480

_TEXT: Final = {"type": "string", "maxLength": QUERY_CHARS}
_DAY: Final = {"type": "string", "maxLength": 10}

ANSWER_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"action": {"enum": ["answer"]}, "answer": _TEXT},
    "required": ["action", "answer"],
    "additionalProperties": False,
}
ACTION_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "action": {"enum": ["search", "get", "answer"]},
        "query": _TEXT,
        "after": _DAY,
        "before": _DAY,
        "path": _TEXT,
        "from": {"type": "integer"},
        "answer": _TEXT,
    },
    "required": ["action"],
    "additionalProperties": False,
}

# OpenClaw's list of replies that say nothing, in two: what says NONE in other words, and what stands where an
# answer is missing. Then how models say in a sentence that they do not answer.
_NONE = re.compile(
    r"\W*(?:none|no[_ ]reply|nothing(?: useful| relevant| found)?|n/?a"
    r"|no (?:relevant|useful|matching) (?:memory|memories|information|results?)(?: found)?)\W*",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\W*(?:null|undefined|empty|unknown|timeout|timed? ?out|request timed out|the operation timed out)?\W*",
    re.IGNORECASE,
)
_APOLOGY = re.compile(
    r"\W*(?:i'?m sorry|i am sorry|sorry\b|i apologi[sz]e|unfortunately\b|as an ai\b|i (?:can ?not|can't|could"
    r" ?not|couldn't|am unable to|do not|don't) (?:find|help|access|answer|assist|provide|recall|have)\b"
    r"|there (?:is|are|was|were) no (?:relevant|useful|mention|information|evidence)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SearchAction:
    """Look for ``query``, in some days if given."""

    query: str
    after: date | None = None
    before: date | None = None


@dataclass(frozen=True, slots=True)
class GetAction:
    """Read lines of the file ``path``."""

    path: str
    from_line: int = 1


@dataclass(frozen=True, slots=True)
class AnswerAction:
    """Say what was found; ``""`` for NONE."""

    text: str


@dataclass(frozen=True, slots=True)
class InvalidReply:
    """No action."""


Reply = SearchAction | GetAction | AnswerAction | InvalidReply
INVALID: Final = InvalidReply()


def parse_reply(text: str) -> Reply:
    """The action that ``text`` is: one JSON object, with text around it at most."""
    if len(text) > REPLY_CHARS:
        return INVALID
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return AnswerAction("") if says_none(text) else INVALID
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return INVALID
    return _parse(found) if isinstance(found, dict) else INVALID


def says_none(text: str) -> bool:
    """Whether an answer says that nothing bears on the message."""
    return len(text) <= QUERY_CHARS and _NONE.fullmatch(text) is not None


def is_no_answer(text: str) -> bool:
    """Whether what stands for an answer is blank, a word for a failure, or an apology."""
    return _EMPTY.fullmatch(text[:QUERY_CHARS]) is not None or _APOLOGY.match(text) is not None


def _parse(found: Mapping[str, Any]) -> Reply:
    query, path, answer = (_text(found.get(name)) for name in ("query", "path", "answer"))
    match found.get("action"):
        case "search" if isinstance(query, str) and query.strip():
            return SearchAction(query[:QUERY_CHARS], _day(found.get("after")), _day(found.get("before")))
        case "get" if isinstance(path, str) and path:
            return GetAction(path, _line(found.get("from")))
        case "answer" if isinstance(answer, str):
            if says_none(answer):
                return AnswerAction("")
            if not is_no_answer(answer):
                return AnswerAction(answer)
    return INVALID


def _text(value: object) -> object:
    """``value``; of a text what has bytes, since JSON can write half a character."""
    return replace_surrogates(value) if isinstance(value, str) else value


def _line(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 1


def _day(value: object) -> date | None:
    return iso_date(value) if isinstance(value, str) else None
