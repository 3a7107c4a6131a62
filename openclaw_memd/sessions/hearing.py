"""Text that nobody vouches for, handed to sessions: what that does to their turns."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta
from typing import Final

import trio

from openclaw_memd.domain.turns import IDLE_LIMIT
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.book import SessionBook

REFRESHED_AFTER: Final = timedelta(minutes=1)
"""A turn that is tainted already and was active this short a time ago is not written again."""


class Hearing:
    """Taints turns at once and has the ledger say so soon after, so that no answer waits for it.

    ``keep`` stores of a known session what it heard. A session that is not known is not made known: its
    messages may come in any way.
    """

    def __init__(
        self, book: SessionBook, clock: Clock, keep: Callable[[SessionKey], Awaitable[object]]
    ) -> None:
        self._book = book
        self._clock = clock
        self._keep = keep
        self._waiting: dict[SessionKey, None] = {}
        self._woken = trio.Event()

    def hear(self, keys: Iterable[SessionKey]) -> None:
        """Such text goes to these sessions."""
        known, now = self._book.known, self._clock.now()
        for key in keys:
            turn = known.turn(key, now)
            if turn.tainted and turn.active_at is not None and now - turn.active_at < REFRESHED_AFTER:
                continue
            known.hear(key, now)
            self._waiting[key] = None
        self._woken.set()

    def end(self, key: SessionKey) -> None:
        """A session that is not known ended, and its turn with it."""
        known = self._book.known
        at = known.heard_at(key)
        if at is not None:
            known.heard(key, at)
            known.raise_tainted_until(self._clock.now())

    async def run(self) -> None:
        """Keep the ledger like that, until cancelled.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written; called again, it goes on.
        """
        while True:
            self._woken = trio.Event()
            for key in tuple(self._waiting):
                at = self._book.known.heard_at(key)
                if at is not None and self._book.known.get(key) is None:
                    await self._book.note_taint(at + IDLE_LIMIT)
                elif at is not None:
                    await self._keep(key)
                self._waiting.pop(key, None)
            await self._woken.wait()
