"""How fast files become searchable by keyword, against bare FTS5 inserts of the same chunks."""

from collections.abc import Iterator

from benchmarks.report import Row
from benchmarks.run import Run
from benchmarks.workspaces import Prepared

TRIES_BY_FILES = {2_000: 7, 38_000: 1}
QUICK_TRIES_BY_FILES = {500: 3}
TIMES_FLOOR = 6.0


def measure(run: Run) -> Iterator[Row]:
    """Two sizes of workspace; only a small one when it is to be quick."""
    tries_by_files = QUICK_TRIES_BY_FILES if run.options.quick else TRIES_BY_FILES
    for files, tries in tries_by_files.items():
        yield from _compare(run.workspaces.of_files(files, tries=tries))


def _compare(prepared: Prepared) -> Iterator[Row]:
    ours, bare = prepared.indexing, prepared.bare
    what = f"index {prepared.files:,} files ({prepared.chunks:,} chunks)"
    yield Row.within(what, ours.wall_s, "s", floor=bare.wall_s, times=TIMES_FLOOR)
    yield Row(f"{what}, processor time", ours.cpu_s, "s", bare.cpu_s)
    yield Row(f"{what}, speed", ours.per_s, "chunks/s", bare.per_s)
    yield Row(f"{what}, most memory", ours.most_rss_mb, "MB")
