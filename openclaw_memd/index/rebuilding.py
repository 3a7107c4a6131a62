"""Building a new index beside the one that answers, and putting it in its place."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.counters import (
    begin_block,
    raise_generation,
    read_generation,
    read_next_chunk_id,
)
from openclaw_memd.index.database import Durability, side_files, sync_file
from openclaw_memd.index.faults import translated
from openclaw_memd.index.indexer import Indexer, SyncReport
from openclaw_memd.index.leftovers import building_path, sweep_building
from openclaw_memd.index.opening import open_index_file
from openclaw_memd.index.publishing import Published

MOST_ATTEMPTS: Final = 3
"""How often a rebuild is begun that each time ends with its process: it may be the reason."""


class Rebuilder:
    """Rebuilds the index of ``indexer``. One rebuild at a time; syncs of the old index go on beside it.

    ``turn`` is held while one runs. ``cut_off`` is the attempt at a rebuild that ended with the process
    before this one, 0 when none did.
    """

    def __init__(self, indexer: Indexer, *, cut_off: int = 0) -> None:
        self.turn = trio.Lock()
        self._indexer = indexer
        self._cut_off = cut_off

    @property
    def is_owed(self) -> bool:
        """Whether a rebuild was cut off with the process before, and is to be begun again."""
        return 0 < self._cut_off < MOST_ATTEMPTS

    async def rebuild(
        self, on_progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> SyncReport:
        """Build from the files alone, then swap; the report counts every file as added, and all of the time.

        ``on_progress`` gets files done and files in all. A failure or a cancellation leaves the old index as
        it was.

        Raises:
            UnavailableError: the disk is full or fails, or another process holds the index.
            DamagedError: the index that is to be replaced cannot even say how far it has counted.
        """
        async with self.turn:
            started_at = trio.current_time()
            path = building_path(self._indexer.store.path, self._cut_off + 1)
            with self._indexer.building() as reattributed:
                try:
                    await self._build_and_swap(path, on_progress, reattributed)
                finally:
                    self._cut_off = 0
                    sweep_building(self._indexer.store.path)
            report = await self._indexer.sync()
            files = report.added + report.changed + report.unchanged
            took_ms = (trio.current_time() - started_at) * 1000
            return replace(report, added=files, changed=0, removed=0, unchanged=0, took_ms=took_ms)

    async def _build_and_swap(
        self, path: Path, on_progress: Callable[[int, int], None], reattributed: Collection[str]
    ) -> None:
        indexer, present = self._indexer, self._indexer.store
        building = open_index_file(path, indexer.preparer.identity, Durability.SCRATCH)
        try:
            next_id = await present.read(read_next_chunk_id)
            await building.write(partial(begin_block, after=next_id))
            await indexer.new_pass(building, on_progress=on_progress).run()
            async with indexer.turn:  # from here on the old index stands still
                await indexer.new_pass(building).run()
                await indexer.new_pass(building).run_again(reattributed)
                before = await present.read(read_generation)
                generation = await building.write(partial(raise_generation, to=before + 1))
                await building.aclose()
                with translated():
                    await trio.to_thread.run_sync(sync_file, path)
                with trio.CancelScope(shield=True):
                    await present.exchange(partial(_take_place, path))
                    indexer.announce(Published(generation, replaced=True))
        finally:
            await building.aclose()


def _take_place(successor: Path, path: Path) -> None:
    # A log that stayed behind would be played into the successor.
    if any(side.exists() for side in side_files(path)):
        raise UnavailableError("another process holds the index", reason="locked")
    successor.replace(path)
