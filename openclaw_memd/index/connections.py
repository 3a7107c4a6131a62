"""The connections to one database file, and whether that file is still what lies at its path."""

import errno
import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.database import (
    Durability,
    create_private_file,
    make_private_folder,
    open_marker,
    open_reader,
    open_writer,
    side_files,
)
from openclaw_memd.index.faults import BUSY_RETRY_MS

READERS: Final = 2


class MovedError(UnavailableError):
    """The files at the path are not those that the connections have open, or none could be opened."""

    def __init__(self) -> None:
        super().__init__(
            "another process replaces the database", reason="locked", retry_after_ms=BUSY_RETRY_MS
        )


class Connections:
    """A writer, ``READERS`` readers and one for point look-ups, open together or not at all.

    Used by one thread at a time, but for readers that run beside the writer. ``unclean`` says that whoever
    had the file before did not close it.
    """

    def __init__(
        self, path: Path, durability: Durability, prepare: Callable[[apsw.Connection], None]
    ) -> None:
        """Open ``path``, making it and its folder when missing; ``prepare`` brings its schema up to date.

        Raises:
            OSError, apsw.Error: it cannot be opened.
        """
        self.path = path
        self._durability = durability
        self._prepare = prepare
        self._writer: apsw.Connection | None = None
        self._point: apsw.Connection | None = None
        self._readers: deque[apsw.Connection] = deque()
        self._marker = open_marker(path)
        make_private_folder(path.parent)
        self.unclean = not create_private_file(self._marker)
        self._open()

    @property
    def are_open(self) -> bool:
        """Whether there are any."""
        return self._writer is not None

    @property
    def are_elsewhere(self) -> bool:
        """Whether a file was taken away or replaced, or none is open."""
        return self._writer is None or self._find_inodes() != self._inodes

    @property
    def writer(self) -> apsw.Connection:
        """The one that writes.

        Raises:
            MovedError: none is open.
        """
        return _present(self._writer)

    @property
    def point(self) -> apsw.Connection:
        """The one for point look-ups. Errors as for ``writer``."""
        return _present(self._point)

    @contextmanager
    def reader(self) -> Iterator[apsw.Connection]:
        """One of the readers, for the caller alone; at most ``READERS`` callers may have one."""
        reader = self._readers.pop()
        try:
            yield reader
        finally:
            self._readers.append(reader)

    def open_again(self) -> None:
        """Open what lies at the path now; a missing one is made, unless it is one that nothing gives again.

        Raises:
            FileNotFoundError: such a file is gone. An empty one in its place would hide that it is lost.
            OSError, apsw.Error: as when first opened; none is open then.
        """
        may_create = self._durability is not Durability.DURABLE
        if not may_create and not self.path.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path.name)
        create_private_file(self._marker)
        self._open(create=may_create)

    def close(self) -> None:
        """The last connection to go moves the log into the file that it has open, wherever that is now."""
        for connection in (*self._readers, self._point, self._writer):
            if connection is not None:
                connection.close(True)
        self._readers.clear()
        self._point = self._writer = None

    def close_cleanly(self) -> None:
        """Close for good, and say beside the file that this was done."""
        if self.are_open:
            self.close()
            self._marker.unlink(missing_ok=True)

    def remove_orphans(self) -> None:
        """SQLite leaves its log behind when the database was taken away, and plays it into the next one."""
        found = self._find_inodes()
        if found[0] != self._inodes[0]:
            for path, inode, ours in zip(side_files(self.path), found[1:], self._inodes[1:], strict=True):
                if inode is not None and inode == ours:
                    path.unlink()

    def _open(self, *, create: bool = True) -> None:
        self._writer = open_writer(self.path, self._durability, create=create)
        try:
            self._prepare(self._writer)
            self._point = open_reader(self.path)
            self._readers.extend(open_reader(self.path) for _ in range(READERS))
            self._inodes = self._find_inodes()
        except BaseException:
            self.close()
            raise

    def _find_inodes(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(_inode(path) for path in (self.path, *side_files(self.path)))


def _present(connection: apsw.Connection | None) -> apsw.Connection:
    if connection is None:
        raise MovedError
    return connection


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
