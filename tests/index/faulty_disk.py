"""A disk under SQLite that fails when it is told to."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

BASE = "unix"


class FaultyDisk:
    """Counts the operations that change files; from the ``fail_at``-th on (or only that one) they fail.

    ``error`` is raised: an I/O error, or ``apsw.FullError`` for a disk without space. With ``only``, those of
    one database (and of the files beside it) are counted and fail, and no others.
    """

    def __init__(self) -> None:
        self.operations = 0
        self.failures = 0
        self.fail_at: int | None = None
        self.lasting = False
        self.error: type[apsw.Error] = apsw.IOError
        self.only: str | None = None

    def arm(
        self,
        fail_at: int,
        *,
        lasting: bool = False,
        error: type[apsw.Error] = apsw.IOError,
        only: str | None = None,
    ) -> None:
        self.operations = self.failures = 0
        self.fail_at, self.lasting, self.error, self.only = fail_at, lasting, error, only

    def disarm(self) -> None:
        self.fail_at = None

    def step(self, name: str) -> None:
        if self.only is not None and not name.startswith(self.only):
            return
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
        name = filename.filename() if isinstance(filename, apsw.URIFilename) else filename
        self._name = "" if name is None else Path(name).name

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 - SQLite's name
        self._disk.step(self._name)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.step(self._name)
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.step(self._name)
        super().xTruncate(newsize)


class _System(apsw.VFS):
    def __init__(self, disk: FaultyDisk) -> None:
        self._disk = disk
        super().__init__("faulty", base=BASE, makedefault=True)

    def xOpen(self, name: Any, flags: Any) -> apsw.VFSFile:  # noqa: N802
        return _File(self._disk, name, flags)


class DeadlyDisk(FaultyDisk):
    """Kills the process in place of an error."""

    def step(self, name: str) -> None:
        super().step(name)
        if self.operations == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def __init__(self, kill_at: int) -> None:
        super().__init__()
        self.kill_at = kill_at


@contextmanager
def faulty_disk(disk: FaultyDisk | None = None) -> Iterator[FaultyDisk]:
    """Every database opened inside lies on the faulty disk."""
    disk = disk or FaultyDisk()
    system = _System(disk)
    try:
        yield disk
    finally:
        system.unregister()
