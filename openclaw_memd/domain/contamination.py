"""Text of machines that must never be taken for a memory: reports, prompts, transcripts' heads. Pure."""

import re
from enum import StrEnum
from itertools import islice
from typing import Final

_LEAD_CHARS: Final = 200  # OpenClaw's value, like the next
_SESSION_HEADER_CHARS: Final = 260
_LOOK_CHARS: Final = 8_000

_PLACE: Final = r"[^\n]{1,300}?#L\d+(?:-L\d+)?"
_MARKER: Final = re.compile(  # comments of a machine; marks, heads and sources of recalled text (`framing`)
    r"<!--\s*(?:openclaw-memory-|openclaw:dreaming:|memd:)"
    r"|<<<\s*(?:BEGIN|END)_(?:MEMD|OPENCLAW)_[A-Z_]{1,40}\s*>>>"
    r"|\[\[(?:MEMD|OPENCLAW)_[A-Z_]{1,40}_(?:BEGIN|END)\]\]"
    rf"|\[\d{{1,3}}\] {_PLACE} \([a-z][a-z ,]{{0,60}}origin (?:owner|agent|system|untrusted)\b"
    rf"|\(Source: (?=(?:MEMORY|USER|DREAMS)\.md|(?:memory|sessions|extra)/){_PLACE}[,)]",
    re.IGNORECASE,
)
_SUMMARY: Final = re.compile(r"\A\s*(?:[-*+]\s+)?conversation summary:", re.IGNORECASE)
_STAMP: Final = (
    r"\[?(?:session:\s*)?(?:[a-z]{3} )?\d{4}-\d\d-\d\d[t ]\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?"
    r"[ \t]{0,4}(?:z\b|utc\b|[+-]\d\d:?\d\d|\([^()\n]{1,40}\))?\]?[ \t]{0,4}[:–-]?[ \t]{0,4}"
)
_TURN: Final = re.compile(r"\A\s*(?:[-*+]\s+)?(?:user|assistant)\s*:", re.IGNORECASE)
_SPEECH: Final = re.compile(
    rf"^[ \t]*(?:[-*+][ \t]+)?(?:{_STAMP})?(?:>[ \t]*)+(?:{_STAMP})?(?:user|assistant)[ \t]*:"
    rf"|^[ \t]*(?:[-*+][ \t]+)?{_STAMP}(?:user|assistant)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_SCORE_TAIL: Final = re.compile(
    r"\[(?:score|confidence)=[^\]\n]{0,200}\b(?:source|evidence)=memory/", re.IGNORECASE
)
_HIDDEN: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e01ef]")
_SCORE_LINE: Final = re.compile(
    r"\bscore\s*=\s*[0-9][^\n]{0,200}\b(?:recalls|signals|avg)\s*=\s*[0-9]", re.IGNORECASE
)
_WRAPPER: Final = re.compile(
    r"\A\W{0,4}(?:\[message_id:|HEARTBEAT_OK\b|\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,40}\])"
    r"|\A.{0,200}\(untrusted(?: metadata|, for context)\b"
)
_STAGED_LINE: Final = re.compile(r"\W{0,4}(?:candidate|reflections?)\s*:", re.IGNORECASE)
_REPORT_LINE: Final = re.compile(
    r"\W{0,4}(?:confidence\s*:\s*[01]?\.\d+|evidence\s*:\s*memory/.*|recalls\s*:\s*\d+"
    r"|status\s*:\s*staged|note\s*:\s*reflection)\s*",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"#{1,6}\s")
_LABEL: Final = re.compile(r"\W{0,4}[^\s:：]+(?:\s+[^\s:：]+){0,5}\s*[:：]\W{0,4}")
_CAPTURE: Final = re.compile(
    r"\W{0,4}(?:(?:session(?: id| key)?|reason|source)\W{0,4}\s\S+[;\s]*)+", re.IGNORECASE
)
_JOINT: Final = re.compile(r": | > ")
_MOST_TAILS: Final = 8
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
    WRAPPER = "message_wrapper"


_SIGNS: Final = (
    (Contamination.MARKER, _MARKER),
    (Contamination.SUMMARY, _SUMMARY),
    (Contamination.TRANSCRIPT, _TURN),
    (Contamination.TRANSCRIPT, _SPEECH),
    (Contamination.SCORE, _SCORE_TAIL),
    (Contamination.SCORE, _SCORE_LINE),
    (Contamination.WRAPPER, _WRAPPER),
)


def find_contamination(text: str, *, is_session: bool = False) -> Contamination | None:
    """What ``text`` is instead of a memory; None when nothing tells that it is anything else.

    ``is_session`` says that it comes from a conversation, whose turns begin with who speaks.
    """
    looked = _visible(text)
    for kind, sign in _SIGNS:
        if not (is_session and kind is Contamination.TRANSCRIPT) and sign.search(looked):
            return kind
    if _has_session_header(looked):
        return Contamination.SESSION_HEADER
    return Contamination.REPORT if _is_report(looked) else None


def find_claim_contamination(text: str) -> Contamination | None:
    """What a claim of a note is instead of a memory, whatever stands above it: ``text`` may begin with a
    heading and the items that the claim is in.

    Behind those a label may well name a user; only quoted or stamped speech is a transcript there.
    """
    looked = _visible(text)
    starts = (0, *(joint.end() for joint in islice(_JOINT.finditer(looked), _MOST_TAILS)))
    for tail in (looked[start:] for start in starts):
        found = find_contamination(tail, is_session=True)
        if found is not None:
            return found
        if _SPEECH.search(tail):
            return Contamination.TRANSCRIPT
    return None


def says_nothing(body: str) -> bool:
    """Whether the own part of a claim is a heading, a label without a value, the head of a captured
    conversation, or a line of a report of the night.
    """
    looked = _visible(body)
    whole = (_LABEL, _CAPTURE, _REPORT_LINE)
    begin = (_HEADING, _STAGED_LINE)
    return any(sign.fullmatch(looked) for sign in whole) or any(sign.match(looked) for sign in begin)


def _visible(text: str) -> str:
    """What is looked at: characters that nobody sees take no word apart."""
    looked = text[:_LOOK_CHARS]
    return looked if looked.isascii() else _HIDDEN.sub("", looked)


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
