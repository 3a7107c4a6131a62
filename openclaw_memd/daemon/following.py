"""Keeping one index like its files: hints come in, syncs follow."""

from collections.abc import Iterable
from typing import Protocol

import trio

from openclaw_memd.config.corpus_sections import Files
from openclaw_memd.files.debounce import Debounce
from openclaw_memd.files.hints import EVERYTHING
from openclaw_memd.index.counters import read_generation
from openclaw_memd.index.indexer import Indexer, SyncReport
from openclaw_memd.jobs import Jobs, Progress
from openclaw_memd.ports import Rng

LONGEST_BURST_S = 5.0
"""A file that is written to without a pause is indexed this often at least."""

RECONCILE_JITTER = 0.1


class Sync(Protocol):
    """Makes the index equal to the files now."""

    async def __call__(self, *, on_progress: Progress = ...) -> SyncReport:
        """Look at everything; ``on_progress`` gets files done and files in all."""
        ...


class Follower:
    """Syncs ``indexer`` when hints have come to rest, and from time to time. ``sync`` looks at everything.

    ``has_hints`` says that the watcher has begun, by whatever means.
    """

    def __init__(self, indexer: Indexer, sync: Sync, settings: Files, *, jobs: Jobs, key: str) -> None:
        """``key`` tells the first sync of this index from those of others among the ``jobs``."""
        self.has_hints = False
        self._indexer = indexer
        self._sync = sync
        self._jobs = jobs
        self._key = key
        self._reconcile_s = settings.reconcile_s
        self._debounce = Debounce(quiet_s=settings.debounce_s, longest_s=LONGEST_BURST_S)

    def hint(self, paths: Iterable[str]) -> None:
        """``paths`` may have changed.

        The first hint only tells that the watch is on: what changed before was not seen, so it is looked at
        without waiting for a rest.
        """
        is_first, self.has_hints = not self.has_hints, True
        self._add(frozenset(paths), at_once=is_first)

    def note(self, paths: Iterable[str]) -> None:
        """Memd itself changed ``paths``, so they are whole and there is nothing to wait for."""
        self._add(frozenset(paths), at_once=True)

    async def follow(self) -> None:
        """Sync, then once for each burst of hints, until cancelled. What a sync raises passes."""
        await self._sync_first()
        while True:
            burst = await self._debounce.burst()
            if EVERYTHING in burst:
                await self._sync()
            else:
                await self._indexer.sync_hinted()

    async def reconcile(self, rng: Rng) -> None:
        """Have everything looked at from time to time, until cancelled: events may be lost silently."""
        while True:
            jitter = 1 + RECONCILE_JITTER * (2 * rng.random() - 1)
            await trio.sleep(self._reconcile_s * jitter)
            self.has_hints = True
            self._add(frozenset({EVERYTHING}), at_once=True)

    async def _sync_first(self) -> None:
        """Where nothing was ever indexed this takes a while, so that it is a job and tells how far it is."""
        if await self._indexer.store.read(read_generation):
            await self._sync()
            return

        async def work(report_progress: Progress) -> object:
            return await self._sync(on_progress=report_progress)

        with self._indexer.building():
            await self._jobs.start("sync", work, key=self._key).wait()

    def _add(self, paths: frozenset[str], *, at_once: bool) -> None:
        self._indexer.hint(paths)
        self._debounce.add(paths, at_once=at_once)
