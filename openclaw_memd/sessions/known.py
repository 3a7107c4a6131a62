"""The sessions that are known, in memory: for questions that cannot wait for the ledger."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from openclaw_memd.domain.admission import AdmissionRules, Exclusion
from openclaw_memd.domain.kinship import inherited_kind, lineage
from openclaw_memd.domain.provenance import Provenance, SessionKind
from openclaw_memd.domain.turns import Turn, settle
from openclaw_memd.index.ledger.session_rows import NO_TURN, Said, Session, SessionKey
from openclaw_memd.index.ledger.tombstones import Tombstones, hash_message

NEVER_KEPT = frozenset({SessionKind.CRON, SessionKind.HEARTBEAT})
"""Kinds of sessions of which nothing is kept: nobody talks in them."""


@dataclass(frozen=True, slots=True)
class Ancestry:
    """The ids of a session and of those that it descends from, nearest first, and the kinds of them all."""

    session_ids: tuple[str, ...]
    kinds: tuple[SessionKind, ...]

    def kind_of(self, place: SessionKind) -> SessionKind:
        """The kind of what is said in the session when the host calls it ``place``."""
        return inherited_kind(place, iter(self.kinds))


class Shown(NamedTuple):
    """How what was said in a place is shown: the kind of session, and whose conversation it is."""

    kind: SessionKind
    writer: str | None


class KnownSessions:
    """A copy of what the ledger says of every session. It changes in the event loop; any thread may look."""

    def __init__(self, rules: AdmissionRules) -> None:
        self.rules = rules
        self._sessions: dict[SessionKey, Session] = {}
        self._tainted: set[SessionKey] = set()
        self._settled: dict[SessionKey, tuple[Turn, Turn]] = {}
        self._buried: set[SessionKey] = set()
        self._buried_messages: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._sessions)

    def all(self) -> tuple[Session, ...]:
        """Every session, in the order in which they came."""
        return tuple(self._sessions.values())

    def get(self, key: SessionKey) -> Session | None:
        """One session; None when nothing of it is known."""
        return self._sessions.get(key)

    def put(self, sessions: Iterable[Session]) -> None:
        """Take over the new state of ``sessions``."""
        for session in sessions:
            self._sessions[session.key] = session
            self._settled.pop(session.key, None)
            if session.turn.tainted:
                self._tainted.add(session.key)
            else:
                self._tainted.discard(session.key)

    def remove(self, key: SessionKey) -> None:
        """Forget a session."""
        self._sessions.pop(key, None)
        self._tainted.discard(key)
        self._settled.pop(key, None)

    def bury(self, tombstones: Tombstones) -> None:
        """Know what was forgotten."""
        self._buried |= tombstones.sessions
        self._buried_messages |= tombstones.messages

    def is_buried(self, key: SessionKey, message_id: str | None = None) -> bool:
        """Whether a session was forgotten, or a single message of it."""
        if key in self._buried:
            return True
        if message_id is None or not self._buried_messages:
            return False
        return hash_message(key, message_id) in self._buried_messages

    def tainted(self, now: datetime) -> frozenset[SessionKey]:
        """The sessions in whose turn there is network content now."""
        return frozenset(key for key in tuple(self._tainted) if self.turn(key, now).tainted)

    def turn(self, key: SessionKey, now: datetime) -> Turn:
        """The turn that a session is in, as it is ``now``.

        That the clock was set back is remembered beside the session, which only its own changes touch.
        """
        session = self._sessions.get(key)
        if session is None:
            return NO_TURN
        told, turn = self._settled.get(key, (session.turn, session.turn))
        settled = settle(turn if told == session.turn else session.turn, now)
        if settled != session.turn:
            self._settled[key] = (session.turn, settled)
        return settled

    def ancestry(self, key: SessionKey, parent: str | None = None) -> Ancestry:
        """The ancestry of a session; ``parent`` is who it descends from while that is not known yet."""

        def parent_of(session_id: str) -> str | None:
            session = self._sessions.get(SessionKey(key.agent, session_id))
            known = None if session is None else session.parent
            return parent if known is None and session_id == key.session_id else known

        ids = tuple(lineage(key.session_id, parent_of))
        found = (self._sessions.get(SessionKey(key.agent, session_id)) for session_id in ids)
        return Ancestry(ids, tuple(session.kind for session in found if session is not None))

    def exclusion(self, session: Session) -> Exclusion | None:
        """The rule that now excludes everything that is kept of a session; None when none does."""
        if self.is_buried(session.key):
            return Exclusion.FORGOTTEN
        ids = self.ancestry(session.key).session_ids
        found = [self.rules.exclude_place(ids, place.channel, place.chat_type) for place in session.places]
        return found[0] if found and None not in found else None

    def show(self, session: Session) -> tuple[Shown | None, ...]:
        """For each place of a session what is shown of what was said there; None where nothing is."""
        ancestry = self.ancestry(session.key)
        if self.is_buried(session.key):
            return (None,) * len(session.places)
        shown: list[Shown | None] = []
        for place in session.places:
            kind = ancestry.kind_of(place.kind)
            excluded = self.rules.exclude_place(ancestry.session_ids, place.channel, place.chat_type)
            is_hidden = kind in NEVER_KEPT or excluded is not None
            shown.append(None if is_hidden else Shown(kind, place.writer))
        return tuple(shown)

    def provenance(self, said: Said, shown: tuple[Shown | None, ...]) -> Provenance | None:
        """Who is behind a kept piece; None when it is not to be shown."""
        place = shown[said.place] if said.place < len(shown) else None
        if place is None or self.rules.exclude_participant(said.sender) is not None:
            return None
        return Provenance(said.origin, place.kind, place.writer)
