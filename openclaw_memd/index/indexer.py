"""Keeping the index like the files: hints, syncs, and what is known of how fresh it is."""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, Literal

import trio

from openclaw_memd.errors import (
    ConflictError,
    DeniedError,
    InvalidParamsError,
    NotFoundError,
    UnavailableError,
)
from openclaw_memd.files.catalog import Skipped
from openclaw_memd.files.hints import EVERYTHING
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.hints import Hints
from openclaw_memd.index.passes import IndexPass, PassResult
from openclaw_memd.index.preparing import Preparer
from openclaw_memd.index.publishing import Published
from openclaw_memd.index.store import Store
from openclaw_memd.index.unsettling import settle, unsettle
from openclaw_memd.ports import Clock

Freshness = Literal["fresh", "stale", "partial"]
_REFUSALS: Final = (InvalidParamsError, NotFoundError, ConflictError, DeniedError)
MOST_HINTED_FILES: Final = 256  # above, one look at everything is cheaper


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one sync did, in files; ``skipped`` counts the paths that are left out by nobody's choice."""

    generation: int
    added: int
    changed: int
    removed: int
    unchanged: int
    skipped: int
    took_ms: float


@dataclass(frozen=True, slots=True)
class IndexState:
    """How well the index shows the files.

    ``stale``: ``pending`` files, hints or documents wait, nothing was looked at yet, or the database is to be
    mended. ``partial``: the
    index is being built, or files could not be read. ``last_scan_at`` is when everything was last looked at.
    """

    freshness: Freshness
    pending: int
    skipped: tuple[Skipped, ...]
    last_scan_at: datetime | None


class Indexer:
    """Syncs one index with one corpus, one sync at a time.

    ``unannounced`` says how many documents changed that nobody hinted at yet. ``on_published`` is called in
    the event loop after each published change. ``turn`` is held by whoever changes the index as a whole;
    ``generation`` is the last one that was seen.
    """

    def __init__(
        self,
        store: Store,
        corpus: Corpus,
        preparer: Preparer,
        clock: Clock,
        *,
        unannounced: Callable[[], int] = lambda: 0,
        on_published: Callable[[Published], None] = lambda _: None,
    ) -> None:
        self.store = store
        self.corpus = corpus
        self.preparer = preparer
        self.on_published = on_published
        self.on_synced: Callable[[SyncReport], None] = lambda _: None
        """Called in the event loop after each look at files that goes through."""
        self.turn = trio.Lock()
        self.generation = 0
        self._clock = clock
        self._unannounced = unannounced
        self._hints = Hints()
        self._seen = 0
        self._remaining = 0
        self._builds: list[set[str]] = []
        self._asked = 0
        self._served = 0
        self._report: SyncReport | None = None
        self._skipped: dict[str, Skipped] = {}
        self._last_scan_at: datetime | None = None

    def hint(self, paths: Iterable[str]) -> None:
        """Note that ``paths`` may have changed (see ``Hints``); a sync has to look at them."""
        self._hints.mark(paths)

    @property
    def state(self) -> IndexState:
        """What is known now."""
        pending = self._remaining + self._hints.count_after(self._seen) + self._unannounced()
        skipped = tuple(self._skipped[path] for path in sorted(self._skipped))
        freshness: Freshness = "fresh"
        if self._builds or any(skip.hides for skip in skipped):
            freshness = "partial"
        elif pending or self._last_scan_at is None or self.store.damage.is_set() or self.store.moved.is_set():
            freshness = "stale"  # what was damaged or taken away is made anew
        return IndexState(freshness, pending, skipped, self._last_scan_at)

    async def sync(
        self, *, verify: bool = False, on_progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> SyncReport:
        """Look at everything; afterwards the index shows every write that was made before the call.

        Callers that wait for a running sync share the next one. ``verify`` compares the content of all files.
        ``on_progress`` gets files done and files in all.

        Raises:
            UnavailableError: the index cannot be written; what was published stays, the rest waits.
            DamagedError: the index is damaged.
        """
        self._asked += 1
        ticket = self._asked
        async with self.turn:
            if self._served >= ticket and self._report is not None and not verify:
                return self._report
            return await self._sync_all(verify=verify, on_progress=on_progress)

    async def sync_hinted(self) -> SyncReport | None:
        """Look at what is hinted, at no more if that can be; None when nothing is. Errors as in ``sync``."""
        async with self.turn:
            if not self._hints:
                return None
            paths = self._hints.files
            if paths is None or len(paths) > MOST_HINTED_FILES:
                return await self._sync_all(verify=False)
            started_at, seen = self._clock.monotonic(), self._hints.last
            with self._looking(seen) as looking:
                result = await looking.run_for(paths)
            if result is None:
                return await self._sync_all(verify=False)
            for path in paths:
                self._skipped.pop(path, None)
            return self._finish(result, seen, started_at)

    async def reindex(self, paths: Collection[str]) -> SyncReport:
        """Index files again whether or not they changed, as after a decision about their lines.

        Those that are not indexed yet are left to the next sync. Errors as in ``sync``.
        """
        async with self.turn:
            started_at = self._clock.monotonic()
            with self._looking(0) as looking:
                result = await looking.run_again(paths)
            return self._finish(result, 0, started_at)

    @asynccontextmanager
    async def reattributing(self, path: str) -> AsyncIterator[None]:
        """Change inside of this what the ledger says of the lines of a file; behind it the index shows it.

        Until it does the file counts as changed, so that a sync sees to it should the process end meanwhile.
        What is refused changes nothing; after any other error a sync sees to it too. Errors as in ``sync``.
        """
        before = await self.store.write(partial(unsettle, path=path))
        for reattributed in self._builds:
            reattributed.add(path)
        try:
            yield
        except _REFUSALS:
            if before is not None:
                await self.store.write(partial(settle, path=path, before=before))
            raise
        except BaseException:
            self.hint([path])
            raise
        await self.reindex([path])

    @contextmanager
    def building(self) -> Iterator[Collection[str]]:
        """While a new index is built the present one counts as ``partial``.

        Gives the files of `reattributing` since, which the new one may hold as they were before.
        """
        reattributed: set[str] = set()
        self._builds.append(reattributed)
        try:
            yield reattributed
        finally:
            self._builds = [one for one in self._builds if one is not reattributed]

    def announce(self, published: Published) -> None:
        """Tell whoever listens of a published change."""
        self.generation = published.generation
        self.on_published(published)

    def new_pass(
        self,
        store: Store,
        *,
        on_published: Callable[[Published], None] = lambda _: None,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> IndexPass:
        """A pass that brings ``store`` up to this corpus."""
        return IndexPass(
            store, self.corpus, self.preparer, on_published=on_published, on_progress=on_progress
        )

    async def _sync_all(
        self, *, verify: bool, on_progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> SyncReport:
        started_at, asked, seen = self._clock.monotonic(), self._asked, self._hints.last
        scanned_at = self._clock.now()
        with self._looking(seen, on_progress) as looking:
            result = await looking.run(verify=verify)
        with suppress(UnavailableError):  # then later changes are suspect for longer
            await trio.to_thread.run_sync(self.corpus.attributor.looked, scanned_at)
        self._skipped = {}
        self._last_scan_at = scanned_at
        report = self._finish(result, seen, started_at)
        self._served, self._report = asked, report
        return report

    @contextmanager
    def _looking(
        self, seen: int, on_progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> Iterator[IndexPass]:
        """A pass that sees to the hints up to ``seen``; when it fails, everything has to be seen again."""

        def count(done: int, total: int) -> None:
            self._remaining = total - done
            on_progress(done, total)

        self._seen = seen
        try:
            yield self.new_pass(self.store, on_published=self.announce, on_progress=count)
        except BaseException:
            self._hints.mark({EVERYTHING})
            raise
        finally:
            self._seen = self._remaining = 0

    def _finish(self, result: PassResult, seen: int, started_at: float) -> SyncReport:
        self.generation = result.generation
        self._hints.clear(seen)
        self._hints.mark(result.left)
        self._skipped.update((skip.path, skip) for skip in result.skipped)
        report = SyncReport(
            generation=result.generation,
            added=result.added,
            changed=result.changed,
            removed=result.removed,
            unchanged=result.unchanged,
            skipped=sum(not skip.is_choice for skip in self._skipped.values()),
            took_ms=(self._clock.monotonic() - started_at) * 1000,
        )
        self.on_synced(report)
        return report
