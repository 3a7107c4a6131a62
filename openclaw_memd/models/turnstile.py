"""A lock that lets queries go before passages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from openclaw_memd.ports import EmbedKind


class Turnstile:
    """One holder at a time; who waits for a query goes before who waits for passages, else first come."""

    def __init__(self) -> None:
        self._taken = False
        self._queries = trio.lowlevel.ParkingLot()
        self._passages = trio.lowlevel.ParkingLot()

    @asynccontextmanager
    async def turn(self, kind: EmbedKind) -> AsyncIterator[None]:
        """Hold the lock while the block runs."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._taken:
            # Whoever leaves hands the lock over, so it stays taken in between.
            await (self._queries if kind == "query" else self._passages).park()
        self._taken = True
        try:
            yield
        finally:
            if not self._queries.unpark() and not self._passages.unpark():
                self._taken = False
