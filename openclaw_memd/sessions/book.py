"""The ledger's sessions and the copy of them in memory, kept alike."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Protocol

import trio

from openclaw_memd.domain.turns import tainted_until
from openclaw_memd.index.ledger import sessions as ledger
from openclaw_memd.index.ledger.session_rows import Changes, Said, Session, SessionKey
from openclaw_memd.index.ledger.taint import raise_tainted_until, read_tainted_until
from openclaw_memd.index.ledger.tombstones import Tombstones, load_tombstones
from openclaw_memd.index.store import Store, Work
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.known import KnownSessions


class Revise(Protocol):
    """Changes what the ledger holds of a session, in an open transaction; its new state."""

    def __call__(self, connection: Connection, session: Session) -> Session:
        """Do it."""
        ...


class SessionBook:
    """All changes of sessions go through here, one after another: into the ledger, then into ``known``.

    That a turn was tainted is noted apart from its session when the one or the other goes.
    """

    def __init__(self, store: Store, known: KnownSessions, clock: Clock) -> None:
        self.known = known
        self._store = store
        self._clock = clock
        self._turn = trio.Lock()

    async def load(self) -> None:
        """Read what the ledger knows. Before that, no session is known.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        async with self._turn:
            self.known.bury(await self._store.read(load_tombstones))
            self.known.put(await self._store.read(ledger.load_sessions))
            self.known.raise_tainted_until(await self._store.read(read_tainted_until))

    async def change(
        self,
        key: SessionKey,
        ids: Sequence[str],
        decide: ledger.Decide,
        also: Work[None] | None = None,
        *,
        anew: bool = False,
    ) -> Session | None:
        """Store what ``decide`` says, and ``also``, in one transaction; the session's new state, if any.

        ``decide`` gets the session as it is and those of ``ids`` that came before; it runs in a worker
        thread. With ``anew``, nothing came before.

        Raises:
            UnavailableError: the ledger cannot be written; nothing changed.
            DamagedError: the ledger is damaged.
        """
        async with self._turn:
            before, now = self.known.get(key), self._clock.now()

            def work(connection: Connection) -> tuple[Changes | None, datetime | None]:
                changes = ledger.change_session(connection, key, ids, decide, also, anew=anew)
                after = None if changes is None else changes.session
                if changes is None and not anew:
                    return None, None
                within = None if changes is None else changes.tainted_until
                until = _latest(_over(before, after, now), within)
                _note(connection, until)
                return changes, until

            changes, until = await self._store.write(work)
            self.known.raise_tainted_until(until)
            if anew:
                self.known.remove(key)
            if changes is None:
                return self.known.get(key)
            self.known.put([changes.session])  # no checkpoint since the commit: both or neither
            return changes.session

    async def note(self, key: SessionKey, also: Work[None] | None) -> None:
        """Store ``also`` and nothing else of the session. Errors as in ``change``."""
        await self.change(key, (), lambda _session, _known: None, also)

    async def remove(self, key: SessionKey, also: Work[None] | None = None) -> None:
        """Take a session out, and do ``also`` in the same transaction. Errors as in ``change``."""
        async with self._turn:
            until = _over(self.known.get(key), None, self._clock.now())

            def work(connection: Connection) -> None:
                ledger.remove_session(connection, key, also)
                _note(connection, until)

            await self._store.write(work)
            self.known.raise_tainted_until(until)
            self.known.remove(key)

    async def note_taint(self, until: datetime) -> None:
        """Note that a turn of a session that is not known is tainted ``until`` then, for the next start.

        Errors as in ``change``.
        """
        await self._store.write(partial(raise_tainted_until, until=until))

    async def bury(self, tombstones: Tombstones, work: Work[None]) -> None:
        """Know what was forgotten, as ``work`` notes it in the ledger. Errors as in ``change``."""
        async with self._turn:
            await self._store.write(work)
            self.known.bury(tombstones)

    async def revise(self, key: SessionKey, revise: Revise) -> Session | None:
        """Change what the ledger holds of a known session; as it was, None when it is not known.

        ``revise`` runs in a transaction and gives the new state, which it has stored. Errors as ``change``.
        """
        async with self._turn:
            before = self.known.get(key)
            if before is not None:
                after = await self._store.write(partial(revise, session=before))
                self.known.put([after])
            return before

    async def read_after(self, key: SessionKey, seq: int) -> list[Said]:
        """What is kept of the messages after number ``seq``. Errors as in ``load``."""
        return await self._store.read(partial(ledger.read_after, key=key, seq=seq))


def _over(before: Session | None, after: Session | None, now: datetime) -> datetime | None:
    """Up to when a turn was tainted that is over, or that may go on though its session is gone."""
    until = None if before is None else tainted_until(before.turn)
    if until is None or after is None:
        return until
    return None if after.turn.tainted else min(until, now)


def _latest(*instants: datetime | None) -> datetime | None:
    return max((instant for instant in instants if instant is not None), default=None)


def _note(connection: Connection, until: datetime | None) -> None:
    if until is not None:
        raise_tainted_until(connection, until)
