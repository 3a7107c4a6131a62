"""How many calls run and how many wait."""

import trio

from openclaw_memd.errors import OverloadedError

RETRY_AFTER_MS = 500
"""When to come back to a full queue: long against a usual call, short against a person's patience."""


class Admission:
    """Lets ``in_flight`` calls run and ``queue`` more wait, first come, first served."""

    def __init__(self, in_flight: int, queue: int) -> None:
        self._slots = trio.CapacityLimiter(in_flight)
        self._queue = queue

    @property
    def running(self) -> int:
        """Calls that run."""
        return self._slots.borrowed_tokens

    @property
    def waiting(self) -> int:
        """Calls that wait."""
        return self._slots.statistics().tasks_waiting

    async def enter(self) -> None:
        """Take a place to run in.

        Raises:
            OverloadedError: the queue is full.
        """
        try:
            self._slots.acquire_nowait()  # spares a turn of the scheduler
        except trio.WouldBlock:
            if self.waiting >= self._queue:
                raise OverloadedError(
                    "too many calls", reason="queue_full", retry_after_ms=RETRY_AFTER_MS
                ) from None
            await self._slots.acquire()

    def leave(self) -> None:
        """Give the place back, in the task that took it."""
        self._slots.release()
