"""Which lines of a file took the place of others, told by the lines between them that stayed."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

NEAR_LINES: Final = 3
"""An edit moves a line past no more lines that stay than these."""


class Places:
    """The lines of a file before and after a change, as hashes: where lines vanished and where they came."""

    def __init__(self, before: Sequence[bytes], now: Sequence[bytes]) -> None:
        self._gone: dict[bytes, set[int]] = {}
        left, stayed = Counter(now), 0
        for line_hash in before:
            if left[line_hash] > 0:
                left[line_hash] -= 1
                stayed += 1
            else:
                self._gone.setdefault(line_hash, set()).add(stayed)
        self._stayed_before: list[int] = []
        left, stayed = Counter(before), 0
        for line_hash in now:
            self._stayed_before.append(stayed)
            if left[line_hash] > 0:
                left[line_hash] -= 1
                stayed += 1

    def are_near(self, vanished: bytes, index: int) -> bool:
        """Whether a line vanished about where the line of this index is now."""
        at = self._stayed_before[index]
        return any(abs(place - at) <= NEAR_LINES for place in self._gone.get(vanished, ()))
