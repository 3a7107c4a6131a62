"""A mapping that computes what it lacks and forgets everything when full."""

from collections.abc import Callable
from typing import TypeVar

V = TypeVar("V")


class BoundedCache(dict[str, V]):
    """A dictionary of ``compute(key)`` with at most ``limit_entries`` entries.

    Keys longer than ``key_limit_chars`` are computed each time: long ones seldom come twice. Looking up a
    known key costs what it costs in a plain dictionary, which is why nothing is done to find the oldest.
    """

    def __init__(self, compute: Callable[[str], V], *, limit_entries: int, key_limit_chars: int) -> None:
        super().__init__()
        self._compute = compute
        self._limit_entries = limit_entries
        self._key_limit_chars = key_limit_chars

    def __missing__(self, key: str) -> V:
        value = self._compute(key)
        if len(key) <= self._key_limit_chars:
            if len(self) >= self._limit_entries:
                self.clear()
            self[key] = value
        return value
