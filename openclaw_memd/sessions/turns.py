"""What the writing of notes asks about sessions."""

from collections.abc import Sequence
from dataclasses import replace

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.classification import origin_of_answer
from openclaw_memd.domain.provenance import Origin, is_trusted, join
from openclaw_memd.domain.suspicion import Taint
from openclaw_memd.index.ledger.session_rows import Changes, Said, Session, SessionKey
from openclaw_memd.notes.turns import Cycle
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.book import SessionBook


class SessionTurns:
    """Taint and flush cycles of the sessions in ``book``: the ``Turns`` of `notes`.

    What answers at once may be asked in any thread.
    """

    def __init__(self, book: SessionBook, clock: Clock) -> None:
        self._book = book
        self._clock = clock

    def is_tainted(self, caller: Caller | None) -> bool:
        """Whether network content may have entered the turn of the caller's session, also by way of those
        that it descends from or that descend from it.

        A caller that names no session could be any of its agent's.
        """
        if caller is None:
            return False
        known, now = self._book.known, self._clock.now()
        if caller.session_id is None:
            return known.is_gone_tainted(now) or any(key.agent == caller.agent for key in known.tainted(now))
        return known.is_tainted(SessionKey(caller.agent, caller.session_id), caller.parent_session_id, now)

    def taint(self) -> Taint:
        """Network content in the turns of this workspace's sessions."""
        return self._book.known.taint(self._clock.now())

    async def cycle(self, agent: str, session_id: str) -> Cycle:
        """What the session heard since its previous flush, and the turn that it is in.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        key = SessionKey(agent, session_id)
        session = self._book.known.get(key)
        if session is None:
            return Cycle()
        said = await self._book.read_after(key, session.flushed_through)
        shown = self._book.known.show(session)
        kept = [piece for piece in said if self._book.known.provenance(piece, shown) is not None]
        worst = join(*self._origins(session))
        clean = kept if is_trusted(worst) else _unheard(kept)
        texts = (piece.text for piece in clean if is_trusted(piece.origin))
        return Cycle(worst, tuple(texts), session.last_seq)

    async def flushed(self, agent: str, session_id: str, through: int) -> None:
        """The flush took up the messages up to the number ``through``; later ones are the next cycle's.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written.
        """
        key = SessionKey(agent, session_id)

        def close_cycle(before: Session | None, _known: frozenset[str]) -> Changes | None:
            if before is None or not before.flushed_through <= through <= before.last_seq:
                return None  # or the session was made anew meanwhile
            worst = before.cycle_origin if before.last_seq > through else None
            return Changes(replace(before, flushed_through=through, cycle_origin=worst))

        await self._book.change(key, (), close_cycle)

    def _origins(self, session: Session) -> list[Origin]:
        """Of everything that was heard, and of what could be said next."""
        origins = [Origin.OWNER]
        if session.cycle_origin is not None:
            origins.append(session.cycle_origin)
        turn = self._book.known.turn(session.key, self._clock.now())
        if session.ended_at is None and session.last_seq > 0:
            origins.append(origin_of_answer(turn.origin, tainted=turn.tainted))
        return origins


def _unheard(said: Sequence[Said]) -> list[Said]:
    """Of a cycle that heard something of outside: what cannot repeat it.

    The owner says what the owner says. What the agent says counts up to the first text of outside, and not at
    all where none of it was kept: it may say it again in a later turn, out of the same window.
    """
    first = next((place for place, piece in enumerate(said) if not is_trusted(piece.origin)), 0)
    return [piece for place, piece in enumerate(said) if place < first or piece.origin is Origin.OWNER]
