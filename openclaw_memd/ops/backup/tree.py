"""What of a workspace goes into an archive, and copying it without ever leaving the workspace."""

import errno
import hashlib
import os
import posixpath
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import IO, Final

from openclaw_memd.files.beneath import stamp_of
from openclaw_memd.files.beside import is_beside
from openclaw_memd.files.catalog import SkipReason, Stamp
from openclaw_memd.files.lock import LOCK_NAME
from openclaw_memd.files.marker import MARKER_NAME
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.ops.backup.manifest import Kind, stays_inside
from openclaw_memd.ops.backup.types import LeftOut

PIECE_BYTES: Final = 256 * 1024
REBUILDABLE: Final = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox", ".pnpm-store"})
"""Folders that tools fill again by themselves."""

OF_THIS_MACHINE: Final = frozenset({f"memory/.dreams/{LOCK_NAME}", f"memory/.dreams/{MARKER_NAME}"})
"""Files that tie a workspace to its place; a restore makes them anew."""

_TRIES: Final = 3
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY
# Without O_NONBLOCK the open itself waits when a pipe takes the file's place.
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_MODES: Final = 0o777

Identity = tuple[int, int]
"""Device and inode."""


@dataclass(frozen=True, slots=True)
class Node:
    """A file, folder or link below a workspace. ``target`` is where a link leads."""

    path: str
    kind: Kind
    mode: int
    mtime_ns: int
    stamp: Stamp
    target: str = ""


def is_ledgered(path: str) -> bool:
    """Whether the ledger may speak of what is at ``path``: files that memd writes to, or tells lines of.

    They go into an archive as they were at the moment of the ledger's copy.
    """
    head = path.partition("/")[0]
    return head == "memory" or head.lower().endswith(".md") or is_beside(head)


def walk(
    root: int, skip: frozenset[Identity], takes: Callable[[str], bool] = lambda _path: True
) -> Iterator[Node | LeftOut]:
    """Everything below the open folder ``root``, a folder before what is in it, in the order of names.

    Folders in ``skip``, and what ``takes`` does not take, are passed over. Links are not followed. What
    vanishes meanwhile is not there.

    Raises:
        OSError: ``root`` itself cannot be read.
    """
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            entries = _read_folder(root, folder)
        except OSError as error:
            if not folder:
                raise
            if error.errno not in _GONE:
                yield LeftOut(folder, SkipReason.UNREADABLE)
            continue
        below = []
        for name, status in entries:
            path = posixpath.join(folder, name)
            if not takes(path) or path in OF_THIS_MACHINE or (status.st_dev, status.st_ino) in skip:
                continue
            found = _judge(root, path, status)
            if found is None:
                continue
            yield found
            if isinstance(found, Node) and found.kind == "folder":
                below.append(path)
        pending.extend(reversed(below))


def copy_file(root: int, path: str, sink: IO[bytes]) -> tuple[Node, str] | SkipReason:
    """Write the file at ``path`` to the empty ``sink``; what it was, and SHA-256 of its content.

    A file that changes meanwhile is copied again; after some tries what was read last counts.

    Raises:
        OSError: the sink cannot be written.
    """
    for number in range(_TRIES):
        try:
            descriptor = open_beneath(root, path, _FILE_FLAGS)
        except OSError as error:
            return SkipReason.VANISHED if error.errno in _GONE else SkipReason.UNREADABLE
        try:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                return SkipReason.NOT_REGULAR
            sink.seek(0)
            sink.truncate()
            copied = _pour(descriptor, sink)
            if copied is None:
                return SkipReason.UNREADABLE
            size, digest = copied
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        same = stamp_of(before) == stamp_of(after) and size == after.st_size
        if same or number == _TRIES - 1:
            stamp = Stamp(size, after.st_mtime_ns, after.st_ctime_ns, after.st_ino)
            mode = stat.S_IMODE(after.st_mode) & _MODES
            return Node(path, "file", mode, after.st_mtime_ns, stamp), digest
    raise AssertionError


def _pour(descriptor: int, sink: IO[bytes]) -> tuple[int, str] | None:
    """Size and hash of what was copied; None when it cannot be read."""
    found, size = hashlib.sha256(), 0
    while True:
        try:
            data = os.read(descriptor, PIECE_BYTES)
        except OSError:
            return None
        if not data:
            return size, found.hexdigest()
        found.update(data)
        size += len(data)
        sink.write(data)


def _read_folder(root: int, folder: str) -> list[tuple[str, os.stat_result]]:
    descriptor = open_beneath(root, folder, _FOLDER_FLAGS)
    try:
        names = sorted(os.listdir(descriptor))  # noqa: PTH208 - by descriptor
        found = []
        for name in names:
            try:
                found.append((name, os.stat(name, dir_fd=descriptor, follow_symlinks=False)))
            except FileNotFoundError:
                continue
        return found
    finally:
        os.close(descriptor)


def _judge(root: int, path: str, status: os.stat_result) -> Node | LeftOut | None:
    mode, stamp = stat.S_IMODE(status.st_mode) & _MODES, stamp_of(status)
    if stat.S_ISREG(status.st_mode):
        return Node(path, "file", mode, status.st_mtime_ns, stamp)
    if stat.S_ISDIR(status.st_mode):
        if posixpath.basename(path) in REBUILDABLE:
            return LeftOut(path, SkipReason.TOOL_FOLDER)
        return Node(path, "folder", mode, status.st_mtime_ns, stamp)
    if stat.S_ISLNK(status.st_mode):
        return _judge_link(root, path, Node(path, "link", mode, status.st_mtime_ns, stamp))
    return LeftOut(path, SkipReason.NOT_REGULAR)


def _judge_link(root: int, path: str, link: Node) -> Node | LeftOut | None:
    target = _read_link(root, path)
    if target is None:
        return None
    if not stays_inside(path, target):
        return LeftOut(path, SkipReason.SYMLINK)
    return replace(link, target=target)


def _read_link(root: int, path: str) -> str | None:
    folder, name = posixpath.split(path)
    try:
        descriptor = open_beneath(root, folder, _FOLDER_FLAGS)
    except OSError:
        return None
    try:
        return os.readlink(name, dir_fd=descriptor)
    except OSError:
        return None
    finally:
        os.close(descriptor)
