"""What is asked of sessions and what they answer; the answers have the contract's field names."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from openclaw_memd.domain.provenance import SessionKind

CAPTURED_MESSAGES: Final = 15
"""How many messages a capture takes when the caller does not say (OpenClaw's number)."""


class EndReason(StrEnum):
    """Why a session ends."""

    END = "end"
    RESET = "reset"
    NEW = "new"
    COMPACT = "compact"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class CaptureWish:
    """How many of the last messages go into a note, and its slug; none: the local time."""

    messages: int = CAPTURED_MESSAGES
    slug: str | None = None


@dataclass(frozen=True, slots=True)
class SkippedMessage:
    """A message that is not kept, and why: a `MessageSkip` or an `Exclusion`."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Appended:
    """How many messages are kept, which are not, and whether the session's turn is tainted now."""

    accepted: int
    skipped: tuple[SkippedMessage, ...]
    tainted: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """How many messages are kept of the session, and the path of the note about it, if one was written."""

    ingested: int
    note_path: str | None = None


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session in a list. ``messages`` counts all that came; ``excluded`` is the rule the last call met."""

    session_id: str
    agent: str
    kind: SessionKind
    messages: int
    last_at: datetime
    excluded: str | None
