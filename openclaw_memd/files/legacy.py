"""The memory.md of older OpenClaws: reading it, and moving it out of the way. All of it blocks."""

import errno
import os
import stat
from datetime import UTC, datetime
from typing import Final

from openclaw_memd.errors import ConflictError, DeniedError, TooLargeError, UnavailableError
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.beside import READ_FLAGS, identity_of, read_all
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.private import open_file, open_folder
from openclaw_memd.files.roots import Roots

LEGACY: Final = "memory.md"
CANONICAL: Final = "MEMORY.md"
ARCHIVE: Final = (".openclaw-repair", "root-memory")
"""Where OpenClaw's own doctor moves it; each time into a folder with the time in its name."""

_MOST_FOLDERS: Final = 1_000


def read_legacy(roots: Roots, max_bytes: int) -> bytes | None:
    """The bytes of the file, by its exact name; None when there is none.

    Raises:
        DeniedError: it is a link, no file or no UTF-8, has a second name, or the disk takes it for MEMORY.md.
        TooLargeError, ConflictError, UnavailableError: it cannot be read now.
        OSError: the workspace cannot be reached.
    """
    with roots.anchored(WORKSPACE) as root:
        names = set(os.listdir(root))  # noqa: PTH208 - a descriptor
        if LEGACY not in names:
            return None
        if CANONICAL not in names and identity_of(root, CANONICAL) is not None:
            raise DeniedError("the disk does not tell memory.md from MEMORY.md: rename it by hand")
        if os.stat(LEGACY, dir_fd=root, follow_symlinks=False).st_nlink > 1:
            raise DeniedError("memory.md has several names: they would lead into the archive")
        match read_bytes(root, LEGACY, max_bytes):
            case SkipReason.VANISHED:
                return None
            case SkipReason.TOO_LARGE:
                raise TooLargeError("memory.md is too large", reason="file_bytes")
            case SkipReason.CHANGING:
                raise ConflictError("memory.md was changed meanwhile", reason="changed")
            case SkipReason.SYMLINK | SkipReason.NOT_REGULAR as reason:
                raise DeniedError("memory.md is a link or no file", reason=reason.value)
            case SkipReason() as reason:
                raise UnavailableError("memory.md cannot be read", reason=reason.value)
            case (data, _):
                pass
    if b"\0" in data:
        raise DeniedError("memory.md is no text", reason=SkipReason.BINARY.value)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise DeniedError("memory.md is not UTF-8", reason=SkipReason.NOT_UTF8.value) from None
    return data


def archive_legacy(roots: Roots, at: datetime) -> tuple[str, bytes]:
    """Move the file into a new folder of the archive: its new path in the workspace, and what it held.

    Nothing is ever overwritten, and until the file is there under its new name it has the old one.

    Raises:
        DeniedError: something else than a folder is in the way.
        OSError: it cannot be moved; it is where it was.
    """
    with roots.anchored(WORKSPACE) as root:
        folder, path = _make_folder(root, at)
        try:
            return f"{path}/{LEGACY}", _move(root, folder)
        finally:
            os.close(folder)


def _move(root: int, folder: int) -> bytes:
    try:
        os.rename(LEGACY, LEGACY, src_dir_fd=root, dst_dir_fd=folder)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy(root, folder)
    os.fsync(folder)
    os.fsync(root)
    return _read(folder)


def _copy(root: int, folder: int) -> None:
    """The same from one disk to another: the file goes once its copy is durable, if it is still as it was."""
    content = _read(root)
    descriptor = open_file(folder, LEGACY, os.O_WRONLY | os.O_EXCL)
    with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.fsync(folder)
    if _read(root) != content:
        os.unlink(LEGACY, dir_fd=folder)
        raise OSError(errno.EAGAIN, "the file was changed meanwhile")
    os.unlink(LEGACY, dir_fd=root)


def _read(folder: int) -> bytes:
    descriptor = os.open(LEGACY, READ_FLAGS, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a file")
        return read_all(descriptor)
    finally:
        os.close(descriptor)


def _make_folder(root: int, at: datetime) -> tuple[int, str]:
    """A folder that was not there before, as a descriptor and by its path in the workspace."""
    held = os.dup(root)
    try:
        for name in ARCHIVE:
            try:
                deeper = open_folder(held, name, create=True)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise DeniedError(f"{name} is no folder, so there is no archive") from None
                raise
            os.fsync(held)
            os.close(held)
            held = deeper
        stem = f"{at.astimezone(UTC):%Y-%m-%dT%H-%M-%SZ}"
        for number in range(1, _MOST_FOLDERS):
            name = stem if number == 1 else f"{stem}-{number}"
            try:
                os.mkdir(name, 0o700, dir_fd=held)
            except FileExistsError:
                continue
            os.fsync(held)
            return open_folder(held, name, create=False), "/".join((*ARCHIVE, name))
        raise FileExistsError(errno.EEXIST, "too many folders of one second")
    finally:
        os.close(held)
