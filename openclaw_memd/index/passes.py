"""One pass over the files: list, compare, read, analyse, publish in slices."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.catalog import FileState, ListedFile, Listing, Skipped, SkipReason
from openclaw_memd.files.snapshot import Diff, diff
from openclaw_memd.index import readers
from openclaw_memd.index.corpus import SLICE_FILES, Batch, Corpus, ReadSlice
from openclaw_memd.index.counters import read_generation
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.preparing import Draft, PreparedFile, Preparer
from openclaw_memd.index.preparing_process import PreparingProcess, is_worth_it
from openclaw_memd.index.publishing import Published, Slice, publish
from openclaw_memd.index.rows import FileRow
from openclaw_memd.index.store import Store

T = TypeVar("T")

ROUNDS: Final = 3  # how often a file that changes while it is read is tried again


@dataclass(frozen=True, slots=True)
class PassResult:
    """What a pass did, in files.

    ``skipped`` holds every path that it left out; ``left`` are files that changed each time they were read:
    they have to be looked at again, whether or not something of them was published.
    """

    generation: int
    added: int
    changed: int
    removed: int
    unchanged: int
    skipped: tuple[Skipped, ...]
    left: tuple[str, ...]


class IndexPass:
    """Brings one index up to the files of one corpus. Used for one run.

    ``on_published`` and ``on_progress`` (files done, files in all) are called in the event loop.
    """

    def __init__(
        self,
        store: Store,
        corpus: Corpus,
        preparer: Preparer,
        *,
        on_published: Callable[[Published], None],
        on_progress: Callable[[int, int], None],
    ) -> None:
        self._store = store
        self._corpus = corpus
        self._preparer = preparer
        self._on_published = on_published
        self._on_progress = on_progress
        self._limiter = trio.CapacityLimiter(1)
        self._preparing = trio.CapacityLimiter(1)
        self._settling = trio.CapacityLimiter(1)
        self._published: set[str] = set()
        self._restless: set[str] = set()
        self._accept = corpus.holds
        self._unprepared: Exception | None = None
        self._skipped: dict[str, Skipped] = {}
        self._removed = 0
        self._total = 0
        self._left: list[Slice] = []

    async def run(self, *, verify: bool = False) -> PassResult:
        """Look at everything; with ``verify`` read also those files that seem unchanged.

        Raises:
            UnavailableError: the index cannot be written; what was published stays.
            DamagedError: the index is damaged.
        """
        listing = await self._in_thread(self._corpus.list)
        await self._in_thread(partial(self._corpus.attributor.listed, _every_path(listing)))
        known = await self._store.read(readers.files)
        found = await self._compare(known, listing, verify=verify)
        return await self._apply(found, known, _reclassified(known, listing, found))

    async def run_for(self, paths: Collection[str]) -> PassResult | None:
        """Look at indexed files and nothing else; None when some are not indexed. Errors as in ``run``."""
        known = await self._store.read(partial(readers.files_at, paths=paths))
        if len(known) < len(paths):
            return None
        files = [known[path].file for path in sorted(known)]
        listing = await self._in_thread(partial(self._corpus.look_at, files))
        return await self._apply(await self._compare(known, listing), known, ())

    async def run_again(self, paths: Collection[str]) -> PassResult:
        """Index again those of ``paths`` that are indexed, changed or not. Errors as in ``run``."""
        known = await self._store.read(partial(readers.files_at, paths=paths))
        files = [known[path].file for path in sorted(known)]
        listing = await self._in_thread(partial(self._corpus.look_at, files))
        found = await self._compare(known, listing)
        return await self._apply(found, known, _unchanged(listing, found))

    async def _compare(self, known: Mapping[str, FileRow], listing: Listing, *, verify: bool = False) -> Diff:
        states = {path: row.state for path, row in known.items()}
        return await self._in_thread(partial(diff, states, listing, self._corpus.read, verify=verify))

    async def _apply(
        self, found: Diff, known: Mapping[str, FileRow], reclassified: Sequence[ListedFile]
    ) -> PassResult:
        files = [*found.added, *found.changed, *reclassified]
        self._total = len(files) + len(found.removed)
        self._report_progress()
        for refreshed in _parts(found.refreshed):
            await self._publish(Slice(refreshed=refreshed))
        await self._remove(found.removed)
        for number in range(ROUNDS):
            if number == ROUNDS - 1:
                self._accept = self._accept_restless
            files = await self._index(files)
            if not files:
                break
        await self._remove([path for path, skip in self._skipped.items() if path in known and _is_lost(skip)])
        await self._finish_left()
        if self._published or self._removed:
            with suppress(UnavailableError):  # all is published; the next pass empties the log
                await self._store.checkpoint()
        added = len(self._published.intersection(file.path for file in found.added))
        return PassResult(
            generation=await self._store.read(read_generation),
            added=added,
            changed=len(self._published) - added,
            removed=self._removed,
            unchanged=found.unchanged - len(reclassified),
            skipped=tuple(sorted((*found.skipped, *self._skipped.values()), key=lambda skip: skip.path)),
            left=tuple(sorted({file.path for file in files} | self._restless)),
        )

    async def _index(self, files: Sequence[ListedFile]) -> list[ListedFile]:
        """Read, analyse and publish ``files``; those that changed meanwhile.

        While one slice is written, others are read and analysed: much of it by a second process too.
        """
        moved: list[ListedFile] = []
        failure: Exception | None = None
        send_read, receive_read = trio.open_memory_channel[ReadSlice](0)
        send, receive = trio.open_memory_channel[Batch](1)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read, iter(files), send_read)
            nursery.start_soon(partial(self._prepare, receive_read, send, is_much=is_worth_it(files)))
            try:
                async for batch in receive:
                    await self._publish_batch(batch)
                    moved.extend(batch.moved)
            except (UnavailableError, DamagedError) as error:
                failure = error
                nursery.cancel_scope.cancel()
        failure = failure or self._unprepared
        if failure is not None:
            raise failure  # outside, so that callers meet it alone and not in a group
        return moved

    async def _publish_batch(self, batch: Batch) -> None:
        self._skipped.update((skip.path, skip) for skip in batch.skipped)
        await self._publish(Slice(files=batch.prepared))

    async def _read(self, waiting: Iterator[ListedFile], send: "trio.MemorySendChannel[ReadSlice]") -> None:
        read_slice = partial(self._corpus.read_slice, waiting, trio.from_thread.check_cancelled)
        # Nobody receives any more when preparing failed.
        async with send:
            with self._keeping_failure(), suppress(trio.BrokenResourceError):
                last = False
                while not last:
                    read = await self._in_thread(read_slice)
                    await send.send(read)
                    last = read.last

    async def _prepare(
        self,
        receive: "trio.MemoryReceiveChannel[ReadSlice]",
        send: "trio.MemorySendChannel[Batch]",
        *,
        is_much: bool,
    ) -> None:
        """Analyse slices: when it ``is_much``, in a second process as soon as that is there.

        Until then it is done here, one slice at a time, so that the others are left to the second process:
        all else that a pass does is done in this one.
        """
        second = PreparingProcess(self._preparer)
        waiting = trio.CancelScope()

        async def work() -> None:
            with self._keeping_failure():
                async for read in receive:
                    # The last is not queued behind the one before, since nothing is left to be read.
                    is_left = read.last and (second.is_busy or not read.drafts)
                    prepared = None if is_left else await second.prepare(read.drafts)
                    if prepared is None:
                        here = partial(self._prepare_here, read.drafts)
                        prepared = await self._in_thread(here, self._preparing)
                    settle = partial(self._corpus.settle, read, prepared, self._accept)
                    await send.send(await self._in_thread(settle, self._settling))

        async def work_once_ready() -> None:
            with waiting:
                await second.ready.wait()
            await work()

        async with receive, send, trio.open_nursery() as outer:
            if is_much:
                outer.start_soon(second.run)
            async with trio.open_nursery() as nursery:
                if is_much:
                    nursery.start_soon(work_once_ready)
                await work()
                waiting.cancel()  # all is taken, by whoever it was
            outer.cancel_scope.cancel()

    @contextmanager
    def _keeping_failure(self) -> Iterator[None]:
        """What was prepared before a failure is published before it is raised."""
        try:
            yield
        except (UnavailableError, DamagedError) as error:
            self._unprepared = error

    def _prepare_here(self, drafts: Sequence[Draft]) -> tuple[PreparedFile, ...]:
        pause = trio.from_thread.check_cancelled
        return tuple([self._preparer.prepare(draft, pause=pause) for draft in drafts])

    async def _remove(self, paths: Sequence[str]) -> None:
        for part in _parts(paths):
            await self._in_thread(partial(self._corpus.attributor.removed, part))
            await self._publish(Slice(removed=part))

    async def _publish(self, change: Slice) -> None:
        """Publish of ``change`` what one transaction may hold; the rest waits until all else is done."""
        published, left = await self._store.write(partial(publish, change=change))
        if published is not None:
            self._on_published(published)
        if left:
            self._left.append(left)
        waiting = {prepared.file.path for prepared in left.files}
        self._published |= {prepared.file.path for prepared in change.files} - waiting
        self._removed += len(change.removed) - len(left.removed)
        self._report_progress()

    async def _finish_left(self) -> None:
        while self._left:
            await self._publish(self._left.pop())

    def _accept_restless(self, file: ListedFile, state: FileState) -> bool:
        """What was read counts as long as the file is there, so that one that never rests is found too."""
        if self._corpus.holds(file, state):
            return True
        is_there = self._corpus.is_there(file)
        if is_there:
            self._restless.add(file.path)
        return is_there

    def _report_progress(self) -> None:
        done = len(self._published) + len(self._skipped) + self._removed
        self._on_progress(min(done, self._total), self._total)

    async def _in_thread(self, work: Callable[[], T], turn: trio.CapacityLimiter | None = None) -> T:
        return await trio.to_thread.run_sync(work, limiter=turn or self._limiter)


def _reclassified(known: Mapping[str, FileRow], listing: Listing, found: Diff) -> list[ListedFile]:
    """Files of known content that now count as something else, as after a change of the configuration."""
    other = {file.path for file in (*found.added, *found.changed)} | {skip.path for skip in found.skipped}
    return [
        file
        for file in listing.files
        if file.path not in other and file.path in known and file != known[file.path].file
    ]


def _unchanged(listing: Listing, found: Diff) -> list[ListedFile]:
    other = {file.path for file in (*found.added, *found.changed)} | {skip.path for skip in found.skipped}
    return [file for file in listing.files if file.path not in other]


def _every_path(listing: Listing) -> list[str]:
    return [file.path for file in listing.files] + [skip.path for skip in listing.skipped]


def _is_lost(skip: Skipped) -> bool:
    """Whether what is indexed of a file that could not be read is to go too."""
    return not SkipReason(skip.reason).is_transient


def _parts(values: Sequence[T]) -> Iterator[tuple[T, ...]]:
    for start in range(0, len(values), SLICE_FILES):
        yield tuple(values[start : start + SLICE_FILES])
