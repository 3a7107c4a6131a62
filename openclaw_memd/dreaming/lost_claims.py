"""Claims that go with the lines that they stand in."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LostClaims:
    """Where claims go from, as (path, key), which of them stand nowhere else, and what they say."""

    places: frozenset[tuple[str, str]] = frozenset()
    keys: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()

    def holds(self, keys: Iterable[str], paths: Collection[str]) -> bool:
        """Whether one of ``keys`` goes for good, or from one of ``paths``."""
        return any(key in self.keys or any((path, key) in self.places for path in paths) for key in keys)
