"""Reading one listed file beneath its root: no links, no hangs, nothing half-written, a bounded size."""

import errno
import hashlib
import os
import stat
import time

from openclaw_memd.files.catalog import FileState, FileText, ListedFile, Skipped, SkipReason, Stamp
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import Roots

FRESH_NS = 2_000_000_000  # FAT keeps times to two seconds; no file system in use is coarser
_TRIES = 3
# Without O_NONBLOCK the open itself waits when a pipe takes the file's place.
_READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_BOM = "\ufeff"


def read_file(roots: Roots, file: ListedFile, max_bytes: int) -> FileText | Skipped:
    """Read and decode ``file``; a `Skipped` says why that could not be."""
    match _read_listed(roots, file, max_bytes):
        case SkipReason() as reason:
            return Skipped(file.path, reason)
        case (data, stamp):
            pass
    if b"\0" in data:
        return Skipped(file.path, SkipReason.BINARY)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Skipped(file.path, SkipReason.NOT_UTF8)
    changed_at_ns = max(stamp.mtime_ns, stamp.ctime_ns)
    state = FileState(
        size=stamp.size,
        mtime_ns=stamp.mtime_ns,
        ctime_ns=stamp.ctime_ns,
        inode=stamp.inode,
        hash=hashlib.sha256(data).digest(),
        fresh=time.time_ns() - changed_at_ns < FRESH_NS,
    )
    return FileText(text.removeprefix(_BOM), state)


def stat_file(roots: Roots, file: ListedFile) -> Stamp | None:
    """The present stamp of ``file``; None when it is gone, cannot be reached or is no regular file."""
    try:
        with roots.anchored(file.root) as root:
            descriptor = open_beneath(root, file.relative, getattr(os, "O_PATH", _READ_FLAGS))
            try:
                status = os.fstat(descriptor)
            finally:
                os.close(descriptor)
    except OSError:
        return None
    return stamp_of(status) if stat.S_ISREG(status.st_mode) else None


def stamp_of(status: os.stat_result) -> Stamp:
    """The part of a ``stat`` result that changes when a file does."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _read_listed(roots: Roots, file: ListedFile, max_bytes: int) -> tuple[bytes, Stamp] | SkipReason:
    try:
        with roots.anchored(file.root) as root:
            return read_bytes(root, file.relative, max_bytes)
    except OSError as error:
        return _reason(error)


def read_bytes(root: int, relative: str, max_bytes: int) -> tuple[bytes, Stamp] | SkipReason:
    """The bytes of a regular file below the descriptor ``root``, all of one moment.

    A file that changes during the read is read again, at most three times in all.
    """
    try:
        for _ in range(_TRIES):
            descriptor = open_beneath(root, relative, _READ_FLAGS)
            try:
                found = _read_open(descriptor, max_bytes)
            finally:
                os.close(descriptor)
            if found is not SkipReason.CHANGING:
                return found
    except OSError as error:
        return _reason(error)
    return SkipReason.CHANGING


def _read_open(descriptor: int, max_bytes: int) -> tuple[bytes, Stamp] | SkipReason:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return SkipReason.NOT_REGULAR
    before = stamp_of(status)
    if before.size > max_bytes:
        return SkipReason.TOO_LARGE
    data = bytearray()
    while piece := os.read(descriptor, before.size + 1 - len(data)):
        data += piece
        if len(data) > before.size:
            return SkipReason.CHANGING
    after = stamp_of(os.fstat(descriptor))
    if after != before or len(data) != before.size:
        return SkipReason.CHANGING
    return bytes(data), before


def _reason(error: OSError) -> SkipReason:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return SkipReason.VANISHED
        case errno.ELOOP:
            return SkipReason.SYMLINK
        case errno.ENXIO | errno.ENODEV | errno.EISDIR:
            return SkipReason.NOT_REGULAR
        case _:
            return SkipReason.UNREADABLE
