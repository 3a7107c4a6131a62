"""Claims that were said before in almost the same words. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from openclaw_memd.domain.similarity import (
    NEAR_DUPLICATE_JACCARD,
    Shingles,
    find_signs,
    jaccard,
    outline,
)
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.index.ledger.signal_rows import Sighting

_Sense = tuple[str, tuple[str, ...], tuple[str, ...]]
"""What two claims have in common that can say the same: trust, what decides in their words, and signs."""


class Alike:
    """Knows claims by key, and which other texts say the same. Trusted and other claims are never alike."""

    def __init__(self, texts: Mapping[str, str], analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._keys: set[str] = set()
        self._by_sense: dict[_Sense, list[tuple[str, Shingles]]] = defaultdict(list)
        for key, text in texts.items():
            self._add(key, text)

    def resolve(self, sightings: Iterable[Sighting]) -> Sequence[Sighting]:
        """The sightings, those of sessions under the key of a claim that says the same, if there is one.

        In a conversation things are said in other words each time; what is noted stays what it is.
        """
        resolved: list[Sighting] = []
        for sighting in sightings:
            key = sighting.key
            if sighting.source.is_session:
                key = self.find_key(key, sighting.text) or key
            if key == sighting.key:
                self._add(key, sighting.text)
            resolved.append(sighting if key == sighting.key else replace(sighting, key=key))
        return resolved

    def find_key(self, key: str, text: str) -> str | None:
        """The key of a known claim that says what ``text`` says, which would have ``key`` itself."""
        return key if key in self._keys else self._find(key, text)

    def _add(self, key: str, text: str) -> None:
        if key not in self._keys:
            self._keys.add(key)
            sense, words = self._outline(key, text)
            self._by_sense[sense].append((key, words))

    def _find(self, key: str, text: str) -> str | None:
        sense, words = self._outline(key, text)
        near = ((jaccard(words, shingles), other) for other, shingles in self._by_sense.get(sense, ()))
        close = [one for one in near if one[0] >= NEAR_DUPLICATE_JACCARD]
        return min(close, key=lambda one: (-one[0], one[1]))[1] if close else None

    def _outline(self, key: str, text: str) -> tuple[_Sense, Shingles]:
        found = outline(text, self._analyzer)
        return (key[:1], found.decisive, find_signs(text)), found.shingles
