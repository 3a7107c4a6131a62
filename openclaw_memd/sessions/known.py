"""The sessions that are known, in memory: for questions that cannot wait for the ledger."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple

from openclaw_memd.domain.admission import AdmissionRules, Exclusion
from openclaw_memd.domain.kinship import inherited_kind, lineage
from openclaw_memd.domain.provenance import Provenance, SessionKind
from openclaw_memd.domain.suspicion import Taint
from openclaw_memd.domain.turns import IDLE_LIMIT, Turn, settle
from openclaw_memd.index.ledger.session_rows import NO_TURN, Said, Session, SessionKey
from openclaw_memd.index.ledger.tombstones import Tombstones, hash_message

NEVER_KEPT = frozenset({SessionKind.CRON, SessionKind.HEARTBEAT})
"""Kinds of sessions of which nothing is kept: nobody talks in them."""

MANY_HEARD: Final = 1024
"""Of more sessions that were handed text, those are forgotten whose turn is over."""


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
        self._heard: dict[SessionKey, datetime] = {}
        self._recalled: dict[SessionKey, datetime] = {}
        self._outside: dict[SessionKey, datetime] = {}
        self._tainted_until: datetime | None = None
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

    def hear(self, key: SessionKey, at: datetime) -> None:
        """Text that nobody vouches for was handed to a session ``at`` this instant; it may be an unknown one.

        Its turn is tainted from now on, also before the ledger says so.
        """
        self._heard[key] = at
        if len(self._heard) > MANY_HEARD:
            over = {one: then + IDLE_LIMIT for one, then in self._heard.items() if at - then >= IDLE_LIMIT}
            self.raise_tainted_until(max(over.values(), default=None))
            self._heard = {one: then for one, then in self._heard.items() if one not in over}

    def heard_at(self, key: SessionKey) -> datetime | None:
        """When that last happened; None when it did not, or the ledger says so."""
        return self._heard.get(key)

    def heard(self, key: SessionKey, at: datetime) -> None:
        """The ledger says of a session what happened ``at``."""
        if self._heard.get(key) == at:
            del self._heard[key]

    def recall(self, key: SessionKey, at: datetime, *, outside: bool) -> None:
        """Memory was handed to a session ``at`` this instant; it may be an unknown one.

        ``outside``: nobody vouches for some of it.
        """
        _remember(self._recalled, key, at)
        if outside:
            self.bring(key, at)

    def bring(self, key: SessionKey, at: datetime) -> None:
        """Text that nobody vouches for came into a session ``at`` this instant."""
        _remember(self._outside, key, at)

    def recalled_at(self, key: SessionKey) -> datetime | None:
        """When that last happened; None when it did not, or its turn says so or is over."""
        return self._recalled.get(key)

    def outside_at(self, key: SessionKey) -> datetime | None:
        """When text that nobody vouches for last came into a session; None when it is not known."""
        return self._outside.get(key)

    def recalled(self, key: SessionKey, at: datetime) -> None:
        """The turn says of a session what happened ``at``, or is over."""
        if self._recalled.get(key) == at:
            del self._recalled[key]

    def raise_tainted_until(self, until: datetime | None) -> None:
        """A turn that is over, or whose session is gone, was tainted ``until`` then."""
        if until is not None:
            self._tainted_until = max(until, self._tainted_until or until)

    def expire(self, now: datetime) -> None:
        """Ask no more about turns whose taint is over by itself; only the event loop may do this."""
        for key in tuple(self._tainted):
            turn = self.turn(key, now)
            if not turn.tainted and turn.active_at is not None:
                self.raise_tainted_until(turn.active_at + IDLE_LIMIT)
                self._tainted.discard(key)

    def taint(self, now: datetime) -> Taint:
        """Network content in the sessions' turns, also in those that are over."""
        instants = [self._gone_until(now)]
        for key in (*tuple(self._tainted), *tuple(self._heard)):
            active_at = self.turn(key, now).active_at
            instants.append(now if active_at is None else active_at + IDLE_LIMIT)
        is_now = self.is_gone_tainted(now) or bool(self.tainted(now))
        last = [min(instant, now) for instant in instants if instant is not None]
        return Taint(is_now, now if is_now else max(last, default=None))

    def tainted(self, now: datetime) -> frozenset[SessionKey]:
        """The sessions in whose turn there is network content now."""
        keys = (*tuple(self._tainted), *tuple(self._heard))
        return frozenset(key for key in keys if self.turn(key, now).tainted)

    def is_tainted(self, key: SessionKey, parent: str | None, now: datetime) -> bool:
        """Whether there may be network content in the turn of a session: from its own, from that of one that
        it descends from, or from that of one that descends from it and goes on.

        ``parent`` is who it descends from by the call. A session that is not known may be one that is gone.
        """
        if key not in self._sessions and self.is_gone_tainted(now):
            return True
        above = self.family(key, parent)
        return any(other in above or key in self.family(other, None) for other in self.tainted(now))

    def family(self, key: SessionKey, parent: str | None) -> frozenset[SessionKey]:
        """A session and those that it descends from, by what is known and by a call that names ``parent``."""
        ids = set(self.ancestry(key).session_ids)
        if parent is not None:
            ids.update(self.ancestry(SessionKey(key.agent, parent)).session_ids)
        return frozenset(SessionKey(key.agent, session_id) for session_id in ids)

    def still_open(self, keys: Iterable[SessionKey]) -> frozenset[SessionKey]:
        """Those of ``keys`` that have not ended, as far as that is known."""
        sessions = ((key, self._sessions.get(key)) for key in keys)
        return frozenset(key for key, session in sessions if session is None or session.ended_at is None)

    def turn(self, key: SessionKey, now: datetime) -> Turn:
        """The turn that a session is in, as it is ``now``.

        That the clock was set back is remembered beside the session, which only its own changes touch.
        """
        turn = self._settle(key, now)
        at = self._heard.get(key)
        if at is None:
            return turn
        if at > now:
            self._heard[key] = at = now
        return settle(replace(turn, tainted=True, active_at=max(at, turn.active_at or at)), now)

    def _settle(self, key: SessionKey, now: datetime) -> Turn:
        session = self._sessions.get(key)
        if session is None:
            return NO_TURN
        told, turn = self._settled.get(key, (session.turn, session.turn))
        settled = settle(turn if told == session.turn else session.turn, now)
        if settled != session.turn:
            self._settled[key] = (session.turn, settled)
        return settled

    def is_gone_tainted(self, now: datetime) -> bool:
        """Whether a session is gone that may still be in a tainted turn."""
        until = self._gone_until(now)
        return until is not None and until > now

    def _gone_until(self, now: datetime) -> datetime | None:
        """Later than a turn can last means that the clock was set back."""
        if self._tainted_until is not None and self._tainted_until > now + IDLE_LIMIT:
            self._tainted_until = now + IDLE_LIMIT
        return self._tainted_until

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


def _remember(instants: dict[SessionKey, datetime], key: SessionKey, at: datetime) -> None:
    """Note when something last happened to a session, of the last ``MANY_HEARD``."""
    instants.pop(key, None)
    instants[key] = at
    if len(instants) > MANY_HEARD:
        del instants[next(iter(instants))]
