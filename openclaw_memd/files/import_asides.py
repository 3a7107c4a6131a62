"""What lies beside the place of an imported file while it changes, and what to do with it after a crash.

The names are made from the path's last part, so whoever goes on finds them. ``part`` is a new version that is
not written to its end; ``new`` a whole one, or what changed places with it; ``old`` what is being taken away.
"""

import errno
import hashlib
import os
import posixpath
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from openclaw_memd.files import renaming
from openclaw_memd.files.beside import PREFIX, READ_FLAGS, write_beside
from openclaw_memd.files.notes import FOLDER_MODE
from openclaw_memd.files.openat import open_beneath

_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY
_KEPT: Final = ".before-import"
NOTHING: Final = b""
"""Stands for the hash of what is no file, which equals no other."""


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of a file in its open folder, and the names beside it."""

    folder: int
    name: str

    @property
    def part(self) -> str:
        """A version that is being written."""
        return self._beside("part")

    @property
    def new(self) -> str:
        """A whole version before it has the place, and what it changed places with."""
        return self._beside("new")

    @property
    def old(self) -> str:
        """What is taken away."""
        return self._beside("old")

    def hash(self, name: str) -> bytes | None:
        """SHA-256 of what lies under a name of the folder; None for nothing, ``NOTHING`` for no file."""
        try:
            descriptor = os.open(name, READ_FLAGS, dir_fd=self.folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO, errno.ENODEV):
                return NOTHING
            raise
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return NOTHING
            return hashlib.file_digest(file, "sha256").digest()

    def write(self, data: bytes, mtime_ns: int, like: os.stat_result | None) -> None:
        """Make the whole and durable version ``new``, as old as ``mtime_ns`` says."""
        with suppress(FileNotFoundError):
            os.unlink(self.part, dir_fd=self.folder)
        try:
            write_beside(self.folder, self.part, data, like)
            os.utime(self.part, ns=(mtime_ns, mtime_ns), dir_fd=self.folder, follow_symlinks=False)
        except OSError:  # on a full disk it takes room that others need
            with suppress(OSError):
                os.unlink(self.part, dir_fd=self.folder)
            raise
        os.rename(self.part, self.new, src_dir_fd=self.folder, dst_dir_fd=self.folder)

    def move_in(self, aside: str) -> None:
        """Give the place to what lies aside.

        Raises:
            FileExistsError: something has it.
        """
        try:
            renaming.rename_new(self.folder, aside, self.name)
        except OSError as error:
            if error.errno not in renaming.CANNOT:
                raise
            os.link(aside, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder, follow_symlinks=False)
            os.unlink(aside, dir_fd=self.folder)

    def put_back(self, aside: str) -> None:
        """Give the place back to what lies aside, or a name that people see if somebody has it by now."""
        try:
            self.move_in(aside)
        except FileExistsError:
            self.keep(aside)

    def keep(self, aside: str) -> None:
        """Give what lies aside, which nobody wrote for us, a name that people see."""
        for number in range(1, 1_000):
            shown = f"{self.name[:200]}{_KEPT}{number}"
            with suppress(FileExistsError):
                Spot(self.folder, shown).move_in(aside)
                return

    def _beside(self, kind: str) -> str:
        token = hashlib.sha256(self.name.encode("utf-8")).hexdigest()[:16]
        return f"{PREFIX}import-{token}.{kind}"


@contextmanager
def at_spot(root: int, path: str, *, create: bool = False) -> Iterator[Spot]:
    """The spot of ``path`` below ``root``; ``create`` makes the folders that it needs.

    Raises:
        OSError: a folder cannot be opened or made, or a link has its place.
    """
    where, name = posixpath.split(path)
    folder = _make_folder(root, where) if create else open_beneath(root, where, _FOLDER_FLAGS)
    try:
        yield Spot(folder, name)
    finally:
        os.close(folder)


def settle(root: int, path: str, known: frozenset[bytes]) -> None:
    """Finish or undo what a step at ``path`` left when it was cut off.

    Content that is ``known`` (hashes) can be had again: from the source, or from the backup. What nobody
    knows had the place a moment ago, written by somebody else, and gets it back.

    Raises:
        OSError: the disk failed.
    """
    try:
        with at_spot(root, path) as spot:
            with suppress(FileNotFoundError):
                os.unlink(spot.part, dir_fd=spot.folder)
            _settle_old(spot, known)
            _settle_new(spot, known)
    except (FileNotFoundError, NotADirectoryError):
        return


def _settle_old(spot: Spot, known: frozenset[bytes]) -> None:
    found = spot.hash(spot.old)
    if found is None:
        return
    if spot.hash(spot.name) is None:
        spot.put_back(spot.old)
    elif found in known:
        os.unlink(spot.old, dir_fd=spot.folder)
    else:
        spot.keep(spot.old)


def _settle_new(spot: Spot, known: frozenset[bytes]) -> None:
    found = spot.hash(spot.new)
    if found is None:
        return
    holder = spot.hash(spot.name)
    if found in known:
        os.unlink(spot.new, dir_fd=spot.folder)
    elif holder is None:
        spot.put_back(spot.new)
    elif holder in known:
        renaming.exchange_names(spot.folder, spot.new, spot.name)
        os.unlink(spot.new, dir_fd=spot.folder)
    else:
        spot.keep(spot.new)


def _make_folder(root: int, path: str) -> int:
    """A descriptor of the folder ``path`` below ``root``; what is missing of it is made, and lasts."""
    held = os.dup(root)
    for name in path.split("/"):
        try:
            try:
                deeper = open_beneath(held, name, _FOLDER_FLAGS)
            except FileNotFoundError:
                with suppress(FileExistsError):
                    os.mkdir(name, FOLDER_MODE, dir_fd=held)
                os.fsync(held)
                deeper = open_beneath(held, name, _FOLDER_FLAGS)
        finally:
            os.close(held)
        held = deeper
    return held
