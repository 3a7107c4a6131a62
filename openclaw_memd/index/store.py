"""One database: a writer that runs whole transactions, two readers, and a reader for point look-ups."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

import apsw
import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.connections import READERS, Connections, MovedError
from openclaw_memd.index.database import Durability, sync_file
from openclaw_memd.index.faults import DamagedError, translated

T = TypeVar("T")
Work = Callable[[apsw.Connection], T]

_DISK_FAILURES: Final = frozenset({"disk_full", "read_only", "disk_error", "denied", "no_folder"})
ROOM_BYTES: Final = 64 * 1024
CANCEL_CHECK_STEPS: Final = 20_000  # steps of SQLite's virtual machine, well under a millisecond


class Store:
    """A database file that this process alone opens, used from one event loop.

    Work comes as plain functions over a connection and runs in worker threads; nothing half-read or
    half-written outlives a call. ``epoch`` grows when another file may have taken the place of the one that
    was open: whatever was remembered about rows is void then. ``damage`` is set when the file proves damaged,
    until ``exchange`` or ``forget_damage``; ``moved`` when a file was taken away or put here by somebody
    else, until ``forget_move``.
    ``unclean`` says that whoever had the file before did not close it. ``write_failure`` is the failure of
    the disk that the last write met; None when it went well.
    """

    def __init__(self, path: Path, durability: Durability, prepare: Work[None]) -> None:
        """Open ``path``, making it when missing; ``prepare`` brings its schema up to date.

        Raises:
            DamagedError: the file is no readable database.
            UnavailableError: the disk or the folder cannot be used.
        """
        self.path = path
        self.epoch = 0
        self.damage = trio.Event()
        self.moved = trio.Event()
        self.write_failure: UnavailableError | None = None
        self._is_closed = False
        self._writer_turn = trio.CapacityLimiter(1)
        self._reader_turns = trio.CapacityLimiter(READERS)
        self._side_turn = trio.CapacityLimiter(1)
        with translated():
            self._connections = Connections(path, durability, prepare)
        self.unclean = self._connections.unclean

    async def write(self, work: Work[T]) -> T:
        """Run ``work`` as one transaction; cancelling before its commit undoes it.

        Raises:
            UnavailableError: the disk is full or fails; nothing was changed.
            DamagedError: the database is damaged.
        """
        with self._noting_failure():
            return await self._run(self._writer_turn, lambda: self._transact(work))

    async def read(self, work: Work[T]) -> T:
        """Run ``work`` over one snapshot; cancelling interrupts it. Errors as in ``write``."""
        return await self._run(self._reader_turns, lambda: self._query(work))

    def read_now(self, work: Work[T]) -> T:
        """Run a look-up of a few rows by key, at once, in the event loop's thread. Errors as in ``write``."""
        with self._watched(), translated():
            self._check_open()
            return work(self._connections.point)

    async def probe(self) -> None:
        """Prove that the writer can begin a transaction, and after a failed write that it can write again.

        Errors as in ``write``: it cannot.
        """
        if self.write_failure is None:
            await self._run(self._writer_turn, lambda: self._transact(_do_nothing))
        elif self.write_failure.reason != "disk_full" or _has_room(self.path):
            await self.write(_write_page)
        else:
            raise self.write_failure

    async def maintain(self, work: Work[T]) -> T:
        """Run ``work`` on the writer with no transaction around it; cancelling interrupts it.

        Errors as in ``write``.
        """
        with self._noting_failure():
            return await self._run(self._writer_turn, lambda: self._upkeep(work))

    async def checkpoint(self) -> None:
        """Move the write-ahead log into the database and empty it, so that deleted text is gone from both.

        A reader that is busy on an old snapshot makes it do less, silently: the next call does the rest.
        """
        await self.maintain(_checkpoint)

    async def scrub(self) -> None:
        """Write the database anew, so that nothing is left of what was deleted, and empty its log.

        Readers go on but for the last moment. Errors as in ``write``.
        """
        await self.maintain(_vacuum)
        await self.empty_log()

    async def empty_log(self) -> None:
        """Do what ``checkpoint`` does, for certain: readers wait for it. Errors as in ``write``."""
        await self.checkpoint()
        async with self._alone():
            await self._in_side_thread(lambda: self._upkeep(_checkpoint))

    async def exchange(self, arrange: Callable[[Path], None]) -> None:
        """Close the file, let ``arrange`` put another in its place, open that one.

        Callers wait meanwhile; point look-ups cannot come between. ``arrange`` runs in the event loop's
        thread and may only rename; when it raises, what then lies at the path is opened again.

        Raises:
            UnavailableError: another process holds the file, or the disk cannot be used.
            DamagedError: the file that took the place is damaged.
        """
        async with self._alone():
            self._check_open()
            with suppress(DamagedError, UnavailableError):
                await self._in_side_thread(lambda: self._upkeep(_checkpoint))
            try:
                self._connections.close()
                with translated():
                    self._connections.remove_orphans()
                    arrange(self.path)
            finally:
                self._open_again()
            self.forget_damage()
            await self._in_side_thread(lambda: sync_file(self.path.parent))

    def forget_damage(self) -> None:
        """Take the damage for mended. An event that is not set stays: somebody may wait for it."""
        if self.damage.is_set():
            self.damage = trio.Event()

    def forget_move(self) -> None:
        """Take the change of files for handled, in the same way."""
        if self.moved.is_set():
            self.moved = trio.Event()

    async def aclose(self) -> None:
        """Wait for what runs, then close. Afterwards every call raises ``UnavailableError``."""
        with trio.CancelScope(shield=True):
            async with self._alone():
                await self._in_side_thread(self.close)

    def close(self) -> None:
        """Close at once. Only for when nothing runs."""
        self._is_closed = True
        self._connections.close_cleanly()

    def _open_again(self) -> None:
        self.epoch += 1
        with self._watched(), translated():
            self._connections.open_again()

    def _check_open(self) -> None:
        if self._is_closed:
            raise UnavailableError("the database is closed", reason="closed")

    def _check_place(self) -> None:
        self._check_open()
        if self._connections.are_elsewhere:
            raise MovedError

    async def _reopen(self) -> None:
        with trio.CancelScope(shield=True):
            async with self._alone():
                if not self._is_closed and self._connections.are_elsewhere:
                    self._connections.close()
                    self._connections.remove_orphans()
                    self._open_again()
                    self.moved.set()

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        async with self._writer_turn:
            tokens = [object() for _ in range(READERS)]
            held: list[object] = []
            try:
                for token in tokens:
                    await self._reader_turns.acquire_on_behalf_of(token)
                    held.append(token)
                yield
            finally:
                for token in held:
                    self._reader_turns.release_on_behalf_of(token)

    async def _in_side_thread(self, work: Callable[[], T]) -> T:
        with translated():
            return await trio.to_thread.run_sync(work, limiter=self._side_turn)

    async def _run(self, turn: trio.CapacityLimiter, work: Callable[[], T]) -> T:
        with self._watched(), translated():
            try:
                return await trio.to_thread.run_sync(work, limiter=turn)
            except MovedError:
                await self._reopen()
                return await trio.to_thread.run_sync(work, limiter=turn)

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except UnavailableError as error:
            if error.reason in _DISK_FAILURES:
                self.write_failure = error
            raise
        self.write_failure = None

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except DamagedError:
            self.damage.set()
            raise

    def _transact(self, work: Work[T]) -> T:
        self._check_place()
        writer = self._connections.writer
        try:
            with _cancellable(writer):
                writer.execute("BEGIN IMMEDIATE")
                result = work(writer)
                trio.from_thread.check_cancelled()
            writer.execute("COMMIT")
        except BaseException:
            if writer.in_transaction:  # SQLite ends some by itself, as on a full disk
                writer.execute("ROLLBACK")
            raise
        return result

    def _query(self, work: Work[T]) -> T:
        self._check_place()
        with self._connections.reader() as reader:
            try:
                with _cancellable(reader):
                    reader.execute("BEGIN")
                    return work(reader)
            finally:
                if reader.in_transaction:
                    reader.execute("ROLLBACK")

    def _upkeep(self, work: Work[T]) -> T:
        self._check_place()
        writer = self._connections.writer
        with _cancellable(writer):
            return work(writer)


@contextmanager
def _cancellable(connection: apsw.Connection) -> Iterator[None]:
    def check() -> bool:
        trio.from_thread.check_cancelled()
        return False

    connection.set_progress_handler(check, CANCEL_CHECK_STEPS)
    try:
        yield
    finally:
        connection.set_progress_handler(None)


def _do_nothing(_writer: apsw.Connection) -> None:
    pass


def _write_page(writer: apsw.Connection) -> None:
    """Write the first page as it is: the least that needs the disk."""
    writer.pragma("user_version", writer.pragma("user_version"))


def _has_room(path: Path) -> bool:
    """Whether the disk has room for more; a page alone may still fit into a log that is there."""
    found = os.statvfs(path.parent)
    return found.f_bavail * found.f_frsize >= ROOM_BYTES


def _vacuum(writer: apsw.Connection) -> None:
    writer.execute("VACUUM")


def _checkpoint(writer: apsw.Connection) -> None:
    with suppress(apsw.BusyError):
        writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    writer.pragma("shrink_memory")  # what was just written is read by others, if at all
