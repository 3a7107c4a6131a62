"""Indexed workspaces of the load corpus, made once in a run for all benchmarks that want that size."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks import corpus
from benchmarks.cost import Cost, ask
from benchmarks.material import Material
from benchmarks.progress import ProgressLine
from openclaw_memd.index.opening import INDEX_NAME


@dataclass(frozen=True, slots=True)
class Prepared:
    """A folder that ``tests.daemons.RunningDaemon`` can start in, with its index made.

    ``indexing`` is what the product's indexing took, ``bare`` the same chunks in a bare FTS5 table, which
    lies at ``bare_database``.
    """

    folder: Path
    files: int
    indexing: Cost
    bare: Cost

    @property
    def chunks(self) -> int:
        """How many chunks the index holds."""
        return self.indexing.items

    @property
    def index(self) -> Path:
        """The index's database."""
        return _index_of(self.folder)

    @property
    def vectors(self) -> Path:
        """The database of vectors."""
        return self.index.with_name("vectors.db")

    @property
    def bare_database(self) -> Path:
        """The bare table."""
        return self.folder / "bare.db"


class Workspaces:
    """Makes workspaces of ``material`` below ``folder``."""

    def __init__(self, folder: Path, material: Material, progress: ProgressLine) -> None:
        self.material = material
        self._folder = folder
        self._progress = progress
        self._made: dict[str, Prepared] = {}

    def of_chunks(self, chunks: int) -> Prepared:
        """A workspace of about so many chunks."""
        return self._prepare(f"chunks-{chunks}", corpus.sized(self.material, chunks))

    def of_files(self, files: int, *, tries: int = 1) -> Prepared:
        """A workspace of so many files; the costs are those of the try with the median ratio.

        A processor's speed changes within seconds: the fastest of several floors, each some tenths of a
        second, met a moment that work of seconds never meets. So each try is compared with the floor beside
        it.
        """
        return self._prepare(f"files-{files}", islice(corpus.files_of(self.material), files), tries)

    def _prepare(self, name: str, files: Iterator[corpus.File], tries: int = 1) -> Prepared:
        if name not in self._made:
            folder = self._folder / name
            self._progress.say(f"writing the notes of {name}")
            number = corpus.write(files, folder / "ws")
            costs = [self._index(folder, number) for _ in range(tries)]
            indexing, bare = median_pair(costs)
            self._made[name] = Prepared(folder, number, indexing, bare)
        return self._made[name]

    def _index(self, folder: Path, files: int) -> tuple[Cost, Cost]:
        shutil.rmtree(folder / "state", ignore_errors=True)
        (folder / "bare.db").unlink(missing_ok=True)
        self._progress.say(f"indexing {files:,} files")
        indexing = ask("indexing", str(folder / "ws"), str(folder / "state"))
        self._progress.say(f"inserting {indexing.items:,} chunks into bare FTS5")
        return indexing, ask("bare_fts", str(_index_of(folder)), str(folder / "bare.db"))


def median_pair(costs: Sequence[tuple[Cost, Cost]]) -> tuple[Cost, Cost]:
    """The pair, of a cost and its floor, whose ratio is the median; of an even number the lower one."""
    ordered = sorted(costs, key=lambda pair: pair[0].wall_s / pair[1].wall_s)
    return ordered[(len(ordered) - 1) // 2]


def _index_of(folder: Path) -> Path:
    (found,) = (folder / "state").glob(f"*/{INDEX_NAME}")
    return found
