"""The ledger's sessions and the copy of them in memory, kept alike."""

from collections.abc import Sequence
from functools import partial

import trio

from openclaw_memd.index.ledger import sessions as ledger
from openclaw_memd.index.ledger.session_rows import Changes, Said, Session, SessionKey
from openclaw_memd.index.store import Store, Work
from openclaw_memd.sessions.known import KnownSessions


class SessionBook:
    """All changes of sessions go through here, one after another: into the ledger, then into ``known``."""

    def __init__(self, store: Store, known: KnownSessions) -> None:
        self.known = known
        self._store = store
        self._turn = trio.Lock()

    async def load(self) -> None:
        """Read what the ledger knows. Before that, no session is known.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        async with self._turn:
            self.known.put(await self._store.read(ledger.load_sessions))

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
        work = partial(ledger.change_session, key=key, ids=ids, decide=decide, also=also, anew=anew)
        async with self._turn:
            changes: Changes | None = await self._store.write(work)
            if anew:
                self.known.remove(key)
            if changes is None:
                return self.known.get(key)
            self.known.put([changes.session])  # no checkpoint since the commit: both or neither
            return changes.session

    async def remove(self, key: SessionKey, also: Work[None] | None = None) -> None:
        """Take a session out, and do ``also`` in the same transaction. Errors as in ``change``."""
        work = partial(ledger.remove_session, key=key, also=also)
        async with self._turn:
            await self._store.write(work)
            self.known.remove(key)

    async def read_after(self, key: SessionKey, seq: int) -> list[Said]:
        """What is kept of the messages after number ``seq``. Errors as in ``load``."""
        return await self._store.read(partial(ledger.read_after, key=key, seq=seq))
