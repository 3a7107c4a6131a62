"""Collecting hints until a burst of them is over."""

from collections.abc import Iterable

import trio


class Debounce:
    """Hints come in by `add`; `burst` gives them out when none came for ``quiet_s``.

    A burst that does not end is given out ``longest_s`` after its first hint. One task may wait at a time.
    """

    def __init__(self, *, quiet_s: float = 1.5, longest_s: float = 5.0) -> None:
        self._quiet_s = quiet_s
        self._longest_s = longest_s
        self._hints: set[str] = set()
        self._first_at = self._last_at = 0.0
        self._urged = trio.Event()
        self._arrived = trio.Event()

    def add(self, hints: Iterable[str], *, at_once: bool = False) -> None:
        """Take ``hints`` in, now. With ``at_once`` the burst is over: more of the kind is not expected."""
        self._last_at = trio.current_time()
        if not self._arrived.is_set():
            self._first_at = self._last_at
            self._arrived.set()
        self._hints.update(hints)
        if at_once:
            self._urged.set()

    async def burst(self) -> frozenset[str]:
        """Wait for the end of the next burst and take its hints out; a cancelled wait loses none."""
        await self._arrived.wait()
        while not self._urged.is_set() and (due_at := self._due_at()) > trio.current_time():
            with trio.move_on_at(due_at):
                await self._urged.wait()
        hints = frozenset(self._hints)
        self._hints.clear()
        self._arrived, self._urged = trio.Event(), trio.Event()
        return hints

    def _due_at(self) -> float:
        return min(self._last_at + self._quiet_s, self._first_at + self._longest_s)
