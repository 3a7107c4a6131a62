"""Text of machines that must never be taken for a memory: reports, prompts, transcripts' heads. Pure."""

import re
from enum import StrEnum
from typing import Final

_LEAD_CHARS: Final = 200  # OpenClaw's value, like the next
_SESSION_HEADER_CHARS: Final = 260
_LOOK_CHARS: Final = 8_000

_MARKER: Final = re.compile(r"<!--\s*(?:openclaw-memory-|openclaw:dreaming:|memd:)", re.IGNORECASE)
_SUMMARY: Final = re.compile(r"\s*(?:[-*+]\s+)?conversation summary:", re.IGNORECASE)
_TURN: Final = re.compile(r"\s*(?:[-*+]\s+)?(?:user|assistant)\s*:", re.IGNORECASE)
_SCORE_TAIL: Final = re.compile(r"\[score=[^\]\n]{0,200}\bsource=memory/", re.IGNORECASE)
_SESSION_KEY: Final = re.compile(r"session key", re.IGNORECASE)
_SESSION_ID: Final = re.compile(r"session id", re.IGNORECASE)
_LEAD: Final = re.compile(
    r"\b(?:candidate|reflections?)\s*:|^#{1,6}\s+reflections\b", re.IGNORECASE | re.MULTILINE
)
_CONFIDENCE: Final = re.compile(r"\bconfidence\s*:\s*[0-9]", re.IGNORECASE)
_EVIDENCE: Final = re.compile(r"\bevidence\s*:\s*memory/", re.IGNORECASE)
_STAGED: Final = re.compile(r"\bstatus\s*:\s*staged\b", re.IGNORECASE)
_RECALLS: Final = re.compile(r"\brecalls\s*:\s*[0-9]", re.IGNORECASE)
_REFLECTION: Final = re.compile(r"\bnote\s*:\s*reflection\b", re.IGNORECASE)


class Contamination(StrEnum):
    """What a text is instead of a memory."""

    MARKER = "marker"
    SUMMARY = "conversation_summary"
    TRANSCRIPT = "transcript"
    SCORE = "score_tail"
    SESSION_HEADER = "session_header"
    REPORT = "dream_report"


def find_contamination(text: str, *, is_session: bool = False) -> Contamination | None:
    """What ``text`` is instead of a memory; None when nothing tells that it is anything else.

    ``is_session`` says that it comes from a conversation, whose turns begin with who speaks.
    """
    looked = text[:_LOOK_CHARS]
    if _MARKER.search(looked):
        return Contamination.MARKER
    if _SUMMARY.match(looked):
        return Contamination.SUMMARY
    if not is_session and _TURN.match(looked):
        return Contamination.TRANSCRIPT
    if _SCORE_TAIL.search(looked):
        return Contamination.SCORE
    if _has_session_header(looked):
        return Contamination.SESSION_HEADER
    return Contamination.REPORT if _is_report(looked) else None


def _has_session_header(text: str) -> bool:
    ids = [found.start() for found in _SESSION_ID.finditer(text)]
    return any(
        abs(key.start() - at) <= _SESSION_HEADER_CHARS
        for key in _SESSION_KEY.finditer(text)
        for at in ids[:32]
    )


def _is_report(text: str) -> bool:
    """Whether the text has the shape of what light and REM write."""
    if not (_LEAD.search(text[:_LEAD_CHARS]) and _CONFIDENCE.search(text) and _EVIDENCE.search(text)):
        return False
    return bool((_STAGED.search(text) and _RECALLS.search(text)) or _REFLECTION.search(text))
