"""Writing what an archive holds below an empty folder, and taking that away again.

Everything goes by descriptors: a path below a workspace may be longer than one call takes, and no link is
ever followed.
"""

import hashlib
import os
import posixpath
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.private import FOLDER_MODE
from openclaw_memd.ops.backup.manifest import ArchiveError, Manifest, Member
from openclaw_memd.ops.backup.reading import read_contents
from openclaw_memd.ops.backup.tar import Found

_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def unpack(file: BinaryIO, manifest: Manifest, beside: Path) -> None:
    """Write the members of a verified archive below the empty ``beside``. Blocks.

    Links come last, so nothing is written through one; modes that forbid writing after all.

    Raises:
        ArchiveError: the archive is another one now.
        OSError: the disk refuses.
    """
    links: list[Member] = []
    folders: list[Member] = []
    with _opened(beside) as root:
        for member, found in read_contents(file, manifest):
            match member.kind:
                case "folder":
                    with _parent(root, member.path) as (parent, name):
                        os.mkdir(name, FOLDER_MODE, dir_fd=parent)
                    folders.append(member)
                case "file":
                    with _parent(root, member.path) as (parent, name):
                        _write_file(parent, name, member, found)
                case "link":
                    links.append(member)
        for link in links:
            times = (link.mtime_ns, link.mtime_ns)
            with _parent(root, link.path) as (parent, name):
                os.symlink(link.target, name, dir_fd=parent)
                os.utime(name, ns=times, dir_fd=parent, follow_symlinks=False)
        for folder in reversed(folders):
            descriptor = open_beneath(root, folder.path, _FOLDER_FLAGS)
            try:
                os.utime(descriptor, ns=(folder.mtime_ns, folder.mtime_ns))
                os.fchmod(descriptor, folder.mode)
            finally:
                os.close(descriptor)


def remove_tree(folder: Path) -> None:
    """Take away what was unpacked, whatever its modes and however deep. Never raises for the disk."""
    try:
        with _opened(folder) as root:
            found = [""]
            for path in found:  # grows while it is gone through
                found += [posixpath.join(path, name) for name in _folders_in(root, path)]
            for path in reversed(found):
                _empty(root, path)
        folder.rmdir()
    except OSError:
        return  # the next restore tries again


def _write_file(parent: int, name: str, member: Member, found: Found) -> None:
    content = hashlib.sha256()
    with open(os.open(name, _FILE_FLAGS, 0o600, dir_fd=parent), "wb") as file:  # noqa: PTH123 - a descriptor
        while piece := found.read():
            content.update(piece)
            file.write(piece)
        os.fchmod(file.fileno(), member.mode)
        file.flush()
        os.utime(file.fileno(), ns=(member.mtime_ns, member.mtime_ns))
    if content.hexdigest() != member.sha256:
        raise ArchiveError("it changed while it was read")


def _folders_in(root: int, path: str) -> list[str]:
    """The folders in the folder ``path``, which can be written and read from here on."""
    head, name = posixpath.split(path)
    if name:
        descriptor = open_beneath(root, head, _FOLDER_FLAGS)
        try:
            os.chmod(name, FOLDER_MODE, dir_fd=descriptor)
        finally:
            os.close(descriptor)
    descriptor = open_beneath(root, path, _FOLDER_FLAGS)
    try:
        os.fchmod(descriptor, FOLDER_MODE)
        return [name for name in os.listdir(descriptor) if _is_folder(descriptor, name)]  # noqa: PTH208
    finally:
        os.close(descriptor)


def _empty(root: int, path: str) -> None:
    """Remove what is in a folder whose own folders are empty."""
    descriptor = open_beneath(root, path, _FOLDER_FLAGS)
    try:
        for name in os.listdir(descriptor):  # noqa: PTH208 - by descriptor
            if _is_folder(descriptor, name):
                os.rmdir(name, dir_fd=descriptor)
            else:
                os.unlink(name, dir_fd=descriptor)
    finally:
        os.close(descriptor)


def _is_folder(folder: int, name: str) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, _FOLDER_FLAGS)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _parent(root: int, path: str) -> Iterator[tuple[int, str]]:
    """The folder that ``path`` lies in, and its name there."""
    head, name = posixpath.split(path)
    descriptor = open_beneath(root, head, _FOLDER_FLAGS)
    try:
        yield descriptor, name
    finally:
        os.close(descriptor)
