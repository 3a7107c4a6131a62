"""One at a time for each key, without a lock for every key that there ever was."""

from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

import trio


class KeyTurns:
    """Locks by key; a key that nobody holds or waits for costs nothing."""

    def __init__(self) -> None:
        self._locks: dict[Hashable, tuple[trio.Lock, int]] = {}

    @asynccontextmanager
    async def alone(self, key: Hashable) -> AsyncIterator[None]:
        """Be alone with ``key`` inside the ``with`` block."""
        lock, users = self._locks.get(key, (trio.Lock(), 0))
        self._locks[key] = lock, users + 1
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks.pop(key)
            if users > 1:
                self._locks[key] = lock, users - 1
