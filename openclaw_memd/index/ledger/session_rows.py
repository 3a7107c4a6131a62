"""What the ledger keeps of a session, as values."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from openclaw_memd.domain.callers import Channel, ChatType
from openclaw_memd.domain.provenance import Origin, SessionKind
from openclaw_memd.domain.turns import Turn

NO_TURN: Final = Turn()


class SessionKey(NamedTuple):
    """What names a session in a workspace."""

    agent: str
    session_id: str


class SessionSource(StrEnum):
    """How a session's messages come."""

    RPC = "rpc"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Place:
    """A context that messages of a session came in; ``writer`` is the key of the conversation."""

    kind: SessionKind
    channel: Channel
    chat_type: ChatType
    project_key: str | None
    writer: str | None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a session that is one document: its rendered size in bytes and its last message's instant.

    ``fingerprint`` (63 bits) is another one when anything in it is.
    """

    number: int
    bytes: int
    fingerprint: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """A session without its messages.

    ``kind`` is what its host first called it. Messages are numbered from 1 to ``last_seq``, and ``kept`` of
    them are kept. ``flushed_through`` and ``captured_through`` are the last ones that a flush and a capture
    took into account; ``cycle_origin`` is the worst origin since that flush. Parts before ``first_part`` are
    archived; ``open_part`` is the one that grows. ``exclusions`` count messages by the rule that excluded
    them; ``excluded`` is the rule that the last call met.
    """

    agent: str
    session_id: str
    source: SessionSource
    created_at: datetime
    last_at: datetime
    parent: str | None = None
    kind: SessionKind = SessionKind.UNKNOWN
    ended_at: datetime | None = None
    turn: Turn = NO_TURN
    last_seq: int = 0
    kept: int = 0
    cycle_origin: Origin | None = None
    flushed_through: int = 0
    captured_through: int = 0
    open_part: int = 1
    first_part: int = 1
    excluded: str | None = None
    places: tuple[Place, ...] = ()
    parts: tuple[Part, ...] = ()
    exclusions: tuple[tuple[str, int], ...] = ()

    @property
    def key(self) -> SessionKey:
        """What names it."""
        return SessionKey(self.agent, self.session_id)


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message that came: ``place`` counts the session's places from 0, ``sender`` wrote it or is answered.

    One that is left out has a reason in ``skipped``.
    """

    seq: int
    id: str
    role: str
    kind: str
    origin: Origin
    at: datetime
    place: int
    sender: str | None
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class PieceRow:
    """A piece of what is kept of a message's text."""

    part: int
    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """A session's new state, the messages that came, and what is kept of them.

    ``tainted_until`` is up to when a turn between the old state and the new one was tainted, if one was.
    """

    session: Session
    messages: tuple[MessageRow, ...] = ()
    pieces: tuple[PieceRow, ...] = ()
    tainted_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A kept piece with what is known of its message."""

    seq: int
    role: str
    kind: str
    origin: Origin
    at: datetime
    place: int
    sender: str | None
    text: str
