"""Putting files into the workspace, and taking them away, without losing what anybody else writes there.

Each step leaves the place as it was, or as it is meant to be; one that was cut off is settled afterwards (see
``import_asides``). Content is durable before it has a name; names are after ``sync_names``, which is quicker
once for the files of a folder than for each.
"""

import errno
import os
import posixpath
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final

from openclaw_memd.files import renaming
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.beside import READ_FLAGS, read_all
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.import_asides import at_spot
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.private import FOLDER_MODE, open_file
from openclaw_memd.files.private import open_folder as open_private

_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY
_ANY_SIZE: Final = 1 << 40


class ChangedError(Exception):
    """What has the place is not what it was taken for; it has the place still."""


def read_present(root: int, path: str) -> bytes | SkipReason | None:
    """SHA-256 of the file at ``path`` below ``root``; None for nothing, a reason for what is no file."""
    match read_bytes(root, path, _ANY_SIZE):
        case SkipReason.VANISHED:
            return None
        case SkipReason() as reason:
            return reason
        case (data, _):
            return sha256(data).digest()


def place_new(root: int, path: str, data: bytes, mtime_ns: int) -> None:
    """Make the file at ``path`` with this content and the folders that it needs. See ``sync_names``.

    Raises:
        ChangedError: there is something by now.
        OSError: it failed; nothing has the place.
    """
    with at_spot(root, path, create=True) as spot:
        spot.write(data, mtime_ns, None)
        try:
            spot.move_in(spot.new)
        except FileExistsError:
            os.unlink(spot.new, dir_fd=spot.folder)
            raise ChangedError from None


def place_instead(root: int, path: str, data: bytes, mtime_ns: int, before: bytes) -> None:
    """Put this content in the place of a file whose hash is ``before``, and of which there is a backup.

    Raises:
        ChangedError: it is another by now, or none.
        OSError: it failed; what had the place has it.
    """
    with at_spot(root, path) as spot:
        if spot.hash(spot.name) != before:
            raise ChangedError
        spot.write(data, mtime_ns, os.stat(spot.name, dir_fd=spot.folder, follow_symlinks=False))
        try:
            renaming.exchange_names(spot.folder, spot.new, spot.name)
        except FileNotFoundError:
            os.unlink(spot.new, dir_fd=spot.folder)
            raise ChangedError from None
        except OSError as error:
            if error.errno not in renaming.CANNOT:
                raise
            os.replace(spot.new, spot.name, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
        else:
            is_other = spot.hash(spot.new) != before
            if is_other:
                renaming.exchange_names(spot.folder, spot.new, spot.name)
            os.unlink(spot.new, dir_fd=spot.folder)
            if is_other:
                raise ChangedError


def take_away(root: int, path: str, expected: bytes) -> None:
    """Remove the file at ``path`` if its hash is ``expected``.

    Raises:
        ChangedError: it is another, and stays.
        OSError: it failed.
    """
    with at_spot(root, path) as spot:
        if spot.hash(spot.name) != expected:
            raise ChangedError
        os.rename(spot.name, spot.old, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
        if spot.hash(spot.old) != expected:
            spot.put_back(spot.old)
            raise ChangedError
        os.unlink(spot.old, dir_fd=spot.folder)


def sync_names(root: int, paths: Iterable[str]) -> None:
    """Make what the steps did to the names of ``paths`` durable: each folder once, or what is left above it.

    Raises:
        OSError: the disk failed.
    """
    for folder in {posixpath.dirname(path) for path in paths}:
        descriptor = _open_deepest(root, folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _open_deepest(root: int, path: str) -> int:
    """The folder ``path`` below ``root``, or the deepest one above it that is there."""
    while path:
        try:
            return open_beneath(root, path, _FOLDER_FLAGS)
        except (FileNotFoundError, NotADirectoryError):
            path = posixpath.dirname(path)
    return open_beneath(root, "", _FOLDER_FLAGS)


def remove_empty_folders(root: int, path: str, above: str) -> None:
    """Remove the folders that ``path`` lay in as far as they are empty, below ``above`` alone."""
    folder = posixpath.dirname(path)
    while folder.startswith(f"{above}/"):
        parent, name = posixpath.split(folder)
        try:
            descriptor = open_beneath(root, parent, _FOLDER_FLAGS)
            try:
                os.rmdir(name, dir_fd=descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            return
        folder = parent


def back_up(root: int, path: str, backup: Path, expected: bytes) -> None:
    """Copy the file at ``path`` below ``root`` into ``backup``, private and durable, and read it back.

    Raises:
        ChangedError: the file's hash is not ``expected``.
        OSError: it failed, or what was read back is not what was written.
    """
    found = read_bytes(root, path, _ANY_SIZE)
    if isinstance(found, SkipReason) or sha256(found[0]).digest() != expected:
        raise ChangedError
    data, stamp = found
    backup.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    folder = os.open(backup, _FOLDER_FLAGS | os.O_CLOEXEC)
    try:
        *parents, name = path.split("/")
        for parent in parents:
            deeper = open_private(folder, parent, create=True)
            os.fsync(folder)
            os.close(folder)
            folder = deeper
        with open(open_file(folder, name, os.O_RDWR | os.O_TRUNC), "w+b") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            os.utime(file.fileno(), ns=(stamp.mtime_ns, stamp.mtime_ns))
            os.fsync(file.fileno())
            file.seek(0)
            copied = file.read()
        os.fsync(folder)
    finally:
        os.close(folder)
    if sha256(copied).digest() != expected:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def read_backup(path: Path, expected: bytes) -> tuple[bytes, int] | None:
    """The content and the time of a backup; None when it is missing or not what it was."""
    try:
        descriptor = os.open(path, READ_FLAGS)
        try:
            data, status = read_all(descriptor), os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except OSError:
        return None
    return (data, status.st_mtime_ns) if sha256(data).digest() == expected else None
