"""Telling the index that documents changed, large ones not at each message."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import trio

from openclaw_memd.index.ledger.session_rows import Session
from openclaw_memd.sessions.paths import PartName, format_path

SMALL_BYTES: Final = 65_536
"""Up to this size a document is prepared anew so fast that nothing is gained by waiting."""

QUIET_S: Final = 5.0
ENOUGH_MESSAGES: Final = 50
"""A large document is prepared anew after this many seconds or messages (both are OpenClaw's)."""


@dataclass(slots=True)
class _Waiting:
    messages: int
    last_at: float


class Announcer:
    """Passes on which documents changed: small ones at once, large ones when it is worth it.

    ``hint`` is called in the event loop with paths. What is not passed on when the daemon ends is seen by
    the first look of the next.
    """

    def __init__(self, hint: Callable[[frozenset[str]], None]) -> None:
        self._hint = hint
        self._waiting: dict[str, _Waiting] = {}
        self._woken = trio.Event()

    def grown(self, before: Session | None, after: Session, messages: int) -> None:
        """A session has that many more messages; so those of its documents changed that are not as before."""
        old = frozenset(before.parts) if before else frozenset()
        for part in after.parts:
            if part not in old:
                self.changed(format_path(PartName(after.key, part.number)), part.bytes, messages)

    def changed(self, path: str, size_bytes: int, messages: int) -> None:
        """The document at ``path`` now has this size, and that many more messages."""
        before = self._waiting.get(path)
        waiting = _Waiting(messages + (before.messages if before else 0), trio.current_time())
        if size_bytes <= SMALL_BYTES or waiting.messages >= ENOUGH_MESSAGES:
            self.tell([path])
            return
        self._waiting[path] = waiting
        self._woken.set()

    @property
    def waiting(self) -> frozenset[str]:
        """What changed and was not passed on yet."""
        return frozenset(self._waiting)

    def tell(self, paths: Iterable[str]) -> None:
        """Pass on ``paths`` at once."""
        told = frozenset(paths)
        for path in told:
            self._waiting.pop(path, None)
        if told:
            self._hint(told)

    async def run(self) -> None:
        """Pass on what has been quiet, until cancelled."""
        while True:
            await self._woken.wait()
            self._woken = trio.Event()
            while self._waiting:
                await trio.sleep_until(min(map(_due_at, self._waiting.values())))
                now = trio.current_time()
                self.tell([path for path, waiting in self._waiting.items() if _due_at(waiting) <= now])


def _due_at(waiting: _Waiting) -> float:
    return waiting.last_at + QUIET_S
