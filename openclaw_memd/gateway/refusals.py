"""Refused connections in the log: whoever knocks a thousand times a second must not fill the disk."""

from collections import Counter
from typing import Literal

import structlog
import trio

EVERY_S = 10.0
"""At most one line of a kind in this time."""

Refusal = Literal["connections", "descriptors", "peer", "protocol"]
"""Over ``limits.connections``; for want of a descriptor; of a user that is not ours; in neither protocol."""

log = structlog.get_logger("memd.gateway")


class Refusals:
    """Logs the first refusal of a kind at once, and those that follow as a count; ``counts`` has them all."""

    def __init__(self) -> None:
        self.counts: Counter[Refusal] = Counter()
        self._held: dict[Refusal, int] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Log what is held back when its time has come, until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            await trio.sleep_forever()

    def note(
        self, kind: Refusal, *, uid: int | None = None, pid: int | None = None, limit: int | None = None
    ) -> None:
        """A connection was refused; what is known of it is logged if it gets a line of its own."""
        if self._nursery is None:
            raise RuntimeError("refusals can only be noted while they are run")
        self.counts[kind] += 1
        if kind in self._held:
            self._held[kind] += 1
            return
        self._held[kind] = 0
        log.warning("connection refused", reason=kind, count=1, uid=uid, pid=pid, limit=limit)
        self._nursery.start_soon(self._release, kind)

    async def _release(self, kind: Refusal) -> None:
        try:
            while True:
                await trio.sleep(EVERY_S)
                if not self._held[kind]:
                    return
                self._log_held(kind)
        finally:
            if self._held[kind]:
                self._log_held(kind)
            del self._held[kind]

    def _log_held(self, kind: Refusal) -> None:
        log.warning("connection refused", reason=kind, count=self._held[kind])
        self._held[kind] = 0
