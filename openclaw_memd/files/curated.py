"""The curated files as bytes: reading one, putting another version in its place, what then lies beside it.

Only the one writer of the curated files uses this. All of it blocks.
"""

import os
import stat
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from openclaw_memd.errors import ConflictError, DeniedError, TooLargeError, UnavailableError
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.beside import (
    can_exchange,
    identity_of,
    is_let_go,
    new_name,
    old_name,
    read_aside,
    sweep,
)
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.exchange import Commit, create_content, replace_content
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import Roots

_REFUSALS: Final = {
    SkipReason.SYMLINK: "the file is a symbolic link",
    SkipReason.NOT_REGULAR: "there is something else than a file",
}

_MAY_WRITE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH

_LOOKS: Final = 4
_SAVING_NS: Final = 60_000_000
"""Some editors empty a file and then write it: one that ends in the middle of a line and changed in so many
nanoseconds is looked at again."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A version beside the file, under a name of ours. ``is_ours``: it is the one that was to take the place;
    else it had the place before.
    """

    name: str
    is_ours: bool


@dataclass(frozen=True, slots=True)
class Version:
    """What is to have the place of ``before`` (None: of no file); ``token`` names what lies beside it."""

    before: bytes | None
    after: bytes
    token: str


@dataclass(frozen=True, slots=True)
class Put:
    """A version that has the place. ``aside`` is what had it before, None where there was no file."""

    aside: Aside | None
    is_weak: bool


@dataclass(frozen=True, slots=True)
class Leftover:
    """What a rewrite that was cut off came to: whether it took place, and what is left beside the file."""

    took_place: bool
    aside: Aside | None


def read_curated(roots: Roots, file: str, max_bytes: int) -> bytes | None:
    """The bytes of a curated file, which are text; None when there is no such file.

    Raises:
        DeniedError: a link, a folder or the like has its place, its name has other capital letters, or it is
            no text (``reason`` tells what).
        TooLargeError: it has more than ``max_bytes``.
        ConflictError: it is written to all the time.
        UnavailableError: it cannot be read.
        OSError: the workspace cannot be reached.
    """
    with roots.anchored(WORKSPACE) as root:
        match _read_quiet(root, file, max_bytes):
            case SkipReason.VANISHED:
                return None
            case SkipReason.TOO_LARGE:
                raise TooLargeError("the file is too large", reason="file_bytes")
            case SkipReason.CHANGING:
                raise ConflictError("the file was changed meanwhile", reason="changed")
            case SkipReason.SYMLINK | SkipReason.NOT_REGULAR as reason:
                raise DeniedError(_REFUSALS[reason], reason=reason.value)
            case SkipReason():
                raise UnavailableError("the file cannot be read", reason=SkipReason.UNREADABLE.value)
            case bytes() as data:
                pass
        if file not in os.listdir(root):  # noqa: PTH208 - a descriptor
            raise DeniedError("the file's name has other capital letters", reason=SkipReason.NAME_CASE.value)
    if b"\0" in data:
        raise DeniedError("the file is no text", reason=SkipReason.BINARY.value)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise DeniedError("the file is not UTF-8", reason=SkipReason.NOT_UTF8.value) from None
    return data


def put_curated(roots: Roots, file: str, version: Version, commit: Commit) -> Put:
    """Give a version its place; errors and ``commit`` as in ``exchange``.

    Raises:
        DeniedError: nobody may write to the file (``read_only``). A name is exchanged all the same, so the
            system does not stop us; but whoever took everybody's right to write away wants it as it is.
    """
    with roots.anchored(WORKSPACE) as root:
        with suppress(OSError):
            status = os.stat(file, dir_fd=root, follow_symlinks=False)
            if stat.S_ISREG(status.st_mode) and not status.st_mode & _MAY_WRITE:
                raise DeniedError("the file is read-only", reason="read_only")
        if version.before is None:
            create_content(root, file, version.after, commit, token=version.token)
            return Put(None, is_weak=False)
        displaced = replace_content(root, file, version.after, version.before, commit, token=version.token)
        return Put(Aside(displaced.aside, is_ours=False), displaced.is_weak)


def find_leftover(roots: Roots, file: str, token: str, inode: int, *, is_new: bool) -> Leftover:
    """What became of the rewrite whose new version had this ``inode``; what nobody can have open goes.

    ``is_new``: there was no file before.

    Raises:
        OSError: it cannot be told now.
    """
    fresh, old = new_name(token), old_name(token)
    with roots.anchored(WORKSPACE) as root:
        there = {name: _inode(root, name) for name in (file, fresh, old)}
        if there[fresh] is None and there[old] is None:
            return Leftover(there[file] == inode, None)
        if is_new:
            os.unlink(fresh, dir_fd=root)
            return Leftover(there[file] == inode, None)
        if there[old] is None:
            is_ours = there[fresh] == inode
            return Leftover(not is_ours, Aside(fresh, is_ours))
        if there[fresh] is not None:  # a second name of the new version, or one that was never seen
            os.unlink(fresh, dir_fd=root)
        if there[old] == there[file]:
            os.unlink(old, dir_fd=root)
            return Leftover(took_place=False, aside=None)
        took_place = there[fresh] is None or there[file] == inode
        return Leftover(took_place, Aside(old, is_ours=False))


def find_aside(roots: Roots, token: str) -> str | None:
    """The name of what lies beside the file after a rewrite; None when nothing does.

    Raises:
        OSError: it cannot be told now.
    """
    with roots.anchored(WORKSPACE) as root:
        return next((name for name in (new_name(token), old_name(token)) if _inode(root, name)), None)


def read_beside(roots: Roots, name: str) -> bytes | None:
    """The bytes of a version beside the file; None when it is gone.

    Raises:
        OSError: it cannot be read now.
    """
    with roots.anchored(WORKSPACE) as root:
        try:
            return read_aside(root, name)
        except (FileNotFoundError, IsADirectoryError):
            return None


def drop_beside(roots: Roots, name: str) -> None:
    """Remove a version beside the file.

    Raises:
        OSError: it cannot be removed now.
    """
    with roots.anchored(WORKSPACE) as root, suppress(FileNotFoundError, IsADirectoryError):
        os.unlink(name, dir_fd=root)


def sweep_beside(roots: Roots, known: Collection[str], before_ns: int) -> None:
    """Remove what was left in the workspace's folder before ``before_ns``, but for the ``known`` tokens.

    A rewrite is noted before its version can be seen, so nobody but us had any of these open.
    """
    with suppress(OSError), roots.anchored(WORKSPACE) as root:
        kept = {make(token) for token in known for make in (new_name, old_name)}
        sweep(root, before_ns=before_ns, kept=kept)


def is_beside_let_go(roots: Roots, name: str) -> bool:
    """Whether nobody can write to a version beside the file any more; False where that cannot be told."""
    with suppress(OSError), roots.anchored(WORKSPACE) as root:
        return is_let_go(root, name)
    return False


def has_exchange(roots: Roots) -> bool:
    """Whether versions can change places in one step in the workspace; True where nothing can be written."""
    try:
        with roots.anchored(WORKSPACE) as root:
            return can_exchange(root)
    except OSError:
        return True


def _read_quiet(folder: int, file: str, max_bytes: int) -> bytes | SkipReason:
    """The bytes of a file, unless somebody seems to be in the middle of saving it: then a little later."""
    for number in range(_LOOKS):
        found = read_bytes(folder, file, max_bytes)
        if isinstance(found, SkipReason):
            return found
        data, stamp = found
        is_quiet = time.time_ns() - stamp.mtime_ns not in range(_SAVING_NS)
        if data.endswith(b"\n") or is_quiet or number == _LOOKS - 1:
            break
        time.sleep(_SAVING_NS / 1e9 / _LOOKS)
    return data


def _inode(folder: int, name: str) -> int | None:
    found = identity_of(folder, name)
    return None if found is None else found[1]
