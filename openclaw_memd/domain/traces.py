"""What an entry of a curated file is known by without its words, and finding those that say the same."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Final

from openclaw_memd.domain.curated_files import bare_text, hash_memory
from openclaw_memd.domain.rewording import Wording, find_wording, is_reworded
from openclaw_memd.domain.sketches import Sketch, near_duplicate_sketches, sketch
from openclaw_memd.domain.text import Analyzer

_CACHED_TEXTS: Final = 24_576
_CACHED_CHARS: Final = 1_024

_MOST_COMPARED: Final = 64
"""How many others one trace is compared with: ordinary files stay far below, and no file makes it long."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What an entry is known by: what it says, by a hash, a sketch and its wording, and what it is about.

    Not every trace that was kept has a wording, so it makes no difference to which are equal.
    """

    hash: bytes
    subject: bytes | None
    sketch: Sketch
    wording: Wording = field(default=(), compare=False)

    def is_like(self, other: "Trace") -> bool:
        """Whether the two say the same, or almost. Without words that is so only when they are equal."""
        return self.hash == other.hash or (
            self.sketch.words > 0 and near_duplicate_sketches(self.sketch, other.sketch)
        )

    def is_reworded(self, other: "Trace") -> bool:
        """Whether the two say the same, if need be in other words."""
        return self.is_like(other) or is_reworded(self.wording, other.wording)


def trace_text(text: str, analyzer: Analyzer, subject: bytes | None = None) -> Trace:
    """The trace of an entry with this text. Texts come again with every version of a file: they are kept."""
    is_short = len(text) <= _CACHED_CHARS
    hash_, made, words = _analyse(text, analyzer) if is_short else _analyse_anew(text, analyzer)
    return Trace(hash_, subject, made, words)


def _analyse_anew(text: str, analyzer: Analyzer) -> tuple[bytes, Sketch, Wording]:
    bare = bare_text(text)
    return hash_memory(text), sketch(bare, analyzer), find_wording(bare, analyzer)


_analyse = lru_cache(maxsize=_CACHED_TEXTS)(_analyse_anew)


class Traces:
    """Many traces, each known by its place, held such that those like another are found quickly.

    Two sets of shingles with a Jaccard index of at least 0.9 have a member in common among the first tenth
    (and one more) of both in any order. Here the rarest come first, so few others have the same.
    """

    def __init__(self, traces: Iterable[Trace]) -> None:
        self._traces = tuple(traces)
        self._counts = Counter(shingle for one in self._traces for shingle in one.sketch.shingles)
        self._hashes: dict[bytes, int] = {}
        self._subjects: set[bytes] = set()
        self._by_key: dict[tuple[bytes, int], list[int]] = {}
        for place, one in enumerate(self._traces):
            self._hashes.setdefault(one.hash, place)
            if one.subject is not None:
                self._subjects.add(one.subject)
            for key in self._keys(one.sketch):
                self._by_key.setdefault(key, []).append(place)

    def like(self, trace: Trace) -> Iterator[int]:
        """The places of those that say the same or almost, the first of those with its hash before others."""
        same = self._hashes.get(trace.hash)
        if same is not None:
            yield same
        if trace.sketch.words:
            places = (place for key in self._keys(trace.sketch) for place in self._by_key.get(key, ()))
            for place in dict.fromkeys(islice(places, _MOST_COMPARED)):
                if place != same and trace.is_like(self._traces[place]):
                    yield place

    def has_like(self, trace: Trace) -> bool:
        """Whether one says the same or almost."""
        return next(self.like(trace), None) is not None

    def has_of(self, trace: Trace) -> bool:
        """Whether one says the same or is about the same."""
        return trace.subject in self._subjects or self.has_like(trace)

    def _keys(self, made: Sketch) -> list[tuple[bytes, int]]:
        ordered = sorted(made.shingles, key=lambda shingle: (self._counts[shingle], shingle))
        return [(made.decisive, shingle) for shingle in ordered[: made.key_count]]
