"""What every benchmark is given."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.model import Model, NoModel
from benchmarks.progress import ProgressLine
from benchmarks.workspaces import Workspaces


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller asked for.

    ``sizes`` are in chunks; ``quick`` trades certainty for time; ``cache`` keeps what was embedded.
    """

    locomo: Path | None
    multilingual: Path | None
    sizes: tuple[int, ...]
    quick: bool
    cache: Path | None


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the benchmarks: its options, its workspaces, and the embedding model if one is installed."""

    options: Options
    workspaces: Workspaces
    progress: ProgressLine
    model: Model | NoModel

    @property
    def smallest(self) -> int:
        """The smallest size, in chunks."""
        return min(self.options.sizes)

    def pick(self, quick: int, otherwise: int) -> int:
        """How often to do something."""
        return quick if self.options.quick else otherwise

    def questions(self, most: int) -> tuple[str, ...]:
        """At most so many distinct questions, spread over all there are."""
        distinct = tuple(dict.fromkeys(self.workspaces.material.questions))
        return tuple(spread(distinct, most))


def spread(values: Sequence[str], most: int) -> Iterator[str]:
    """At most ``most`` of ``values``, evenly spaced."""
    step = max(1, len(values) // most)
    return islice(iter(values[::step]), most)
