"""A disk under SQLite that fails when it is told to."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw

BASE = "unix"


class FaultyDisk:
    """Counts the operations that change files; from the ``fail_at``-th on (or only that one) they fail.

    ``error`` is raised: an I/O error, or ``apsw.FullError`` for a disk without space.
    """

    def __init__(self) -> None:
        self.operations = 0
        self.failures = 0
        self.fail_at: int | None = None
        self.lasting = False
        self.error: type[apsw.Error] = apsw.IOError

    def arm(self, fail_at: int, *, lasting: bool = False, error: type[apsw.Error] = apsw.IOError) -> None:
        self.operations = self.failures = 0
        self.fail_at, self.lasting, self.error = fail_at, lasting, error

    def disarm(self) -> None:
        self.fail_at = None

    def step(self) -> None:
        self.operations += 1
        if self.fail_at is None:
            return
        if self.operations == self.fail_at or (self.lasting and self.operations > self.fail_at):
            self.failures += 1
            raise self.error("made to fail")


class _File(apsw.VFSFile):
    def __init__(self, disk: FaultyDisk, filename: Any, flags: Any) -> None:
        super().__init__(BASE, filename, flags)
        self._disk = disk

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.step()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.step()
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.step()
        super().xTruncate(newsize)


class _System(apsw.VFS):
    def __init__(self, disk: FaultyDisk) -> None:
        self._disk = disk
        super().__init__("faulty", base=BASE, makedefault=True)

    def xOpen(self, name: Any, flags: Any) -> apsw.VFSFile:  # noqa: N802
        return _File(self._disk, name, flags)


@contextmanager
def faulty_disk() -> Iterator[FaultyDisk]:
    """Every database opened inside lies on the faulty disk."""
    disk = FaultyDisk()
    system = _System(disk)
    try:
        yield disk
    finally:
        system.unregister()
