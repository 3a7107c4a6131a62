"""Putting a new version in a file's place without losing what somebody else writes to it meanwhile.

The new version is written beside the file and made durable, then both change places in one step. What came
out is compared with what the new version was made from: if it is anything else, both change places again. An
editor that had either open may still write to it, so what lies aside in the end stays, under a name of ours,
until it has been looked at again (``Displaced.settle``).

Where a file system cannot exchange two names the old version gets a second name first and the new one is
renamed over it. Somebody who renames a file into place between these two steps is overwritten, and only found
out afterwards: ``Displaced.is_weak`` says that it was done so.
"""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex

from openclaw_memd.domain.late_lines import find_late
from openclaw_memd.errors import ConflictError, DeniedError
from openclaw_memd.files import renaming
from openclaw_memd.files.beside import (
    READ_FLAGS,
    Identity,
    holds,
    identity_of,
    new_name,
    old_name,
    read_all,
    read_aside,
    write_beside,
)

Commit = Callable[[int], None]
"""Called with the inode of the new version when that is durable and not yet in place: what it raises leaves
the file as it was."""


@dataclass(frozen=True, slots=True)
class Displaced:
    """A version that had the place, or had it for a moment: now ``aside`` in the open folder.

    ``base`` is what is known of its content.
    """

    folder: int
    aside: str
    base: bytes
    is_weak: bool

    def settle(self) -> bytes:
        """The lines that were still written to it; then it is gone."""
        content = read_aside(self.folder, self.aside)
        os.unlink(self.aside, dir_fd=self.folder)
        return find_late(self.base, content).data


class RevertedError(ConflictError):
    """The new version had the place for a moment and had to go.

    ``displaced`` is what lies aside now. ``found`` is what has the place again: an editor that read the new
    version may save it over that. ``failure`` is that of the disk; None when the file was another.
    """

    def __init__(self, displaced: Displaced, found: bytes, failure: OSError | None) -> None:
        super().__init__("the file was changed meanwhile", reason="changed")
        self.displaced = displaced
        self.found = found
        self.failure = failure


def replace_content(
    folder: int,
    name: str,
    content: bytes,
    made_from: bytes,
    commit: Commit = lambda _inode: None,
    *,
    token: str | None = None,
) -> Displaced:
    """Put ``content`` in the place of the file ``name`` in the open ``folder``.

    ``made_from`` is the version that ``content`` was made from. Mode and, where that is allowed, owner are
    kept. ``token`` makes the names of what lies beside the file; random by default.

    Raises:
        ConflictError: the file is another by now; it is as somebody else left it. A ``RevertedError`` has
            what others may have written to.
        DeniedError: it is a link (``symlink``), has several names (``hard_link``) or is no file at all
            (``not_regular``).
        OSError: the disk is full or cannot be written; the file is as it was.
    """
    status = _check(folder, name, made_from)
    token = token_hex(8) if token is None else token
    fresh = new_name(token)
    try:
        ours = write_beside(folder, fresh, content, status)
        commit(ours[1])
        if not holds(folder, name, made_from):  # once more, since nobody has seen the new version yet
            raise ConflictError("the file was changed meanwhile", reason="changed")
        aside, is_weak = _swap(folder, fresh, name, old_name(token), made_from)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=folder)
        raise
    failure: OSError | None = None
    found = made_from
    try:
        os.fsync(folder)
        if holds(folder, aside, made_from):
            return Displaced(folder, aside, made_from, is_weak)
    except OSError as error:
        failure = error
    with suppress(OSError):
        found = read_aside(folder, aside)
    if is_weak:
        left, is_ours = _swap_back_weakly(folder, aside, name, fresh, ours)
    else:
        left, is_ours = _swap_back(folder, aside, name, ours)
    with suppress(OSError):  # nothing was to be made durable
        os.fsync(folder)
    displaced = Displaced(folder, left, content if is_ours else made_from, is_weak)
    raise RevertedError(displaced, found if is_ours else made_from, failure)


def create_content(
    folder: int, name: str, content: bytes, commit: Commit = lambda _inode: None, *, token: str | None = None
) -> None:
    """Make the file ``name`` in the open ``folder``, with the mode that new files have.

    Raises:
        ConflictError: there is something of this name by now; it stays.
        OSError: the disk is full or cannot be written; there is no file.
    """
    token = token_hex(8) if token is None else token
    fresh = new_name(token)
    try:
        ours = write_beside(folder, fresh, content, None)
        commit(ours[1])
        try:
            renaming.rename_new(folder, fresh, name)
        except OSError as error:
            if error.errno not in renaming.CANNOT:
                raise
            os.link(fresh, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            os.unlink(fresh, dir_fd=folder)
    except BaseException as error:
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=folder)
        if isinstance(error, FileExistsError):
            raise ConflictError("there is such a file by now", reason="changed") from None
        raise
    try:
        os.fsync(folder)
    except OSError:
        if identity_of(folder, name) == ours and holds(folder, name, content):
            os.unlink(name, dir_fd=folder)
        raise


def take_away(folder: int, name: str, made_from: bytes) -> Displaced:
    """Take the file ``name`` out of the open ``folder``, if it is the version ``made_from``.

    Where another one was put in its place at the same moment, that one stays, and all of what was taken away
    counts as written late.

    Raises:
        ConflictError, DeniedError, OSError: as ``replace_content``; the file is still there.
    """
    _check(folder, name, made_from)
    aside = old_name(token_hex(8))
    os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
    failure: OSError | ConflictError
    try:
        os.fsync(folder)
        is_known = holds(folder, aside, made_from)
    except OSError as error:
        failure = error
    else:
        if is_known:
            return Displaced(folder, aside, made_from, is_weak=False)
        failure = ConflictError("the file was changed meanwhile", reason="changed")
    try:
        os.link(aside, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        return Displaced(folder, aside, b"", is_weak=False)
    os.unlink(aside, dir_fd=folder)
    raise failure


def _check(folder: int, name: str, made_from: bytes) -> os.stat_result:
    try:
        descriptor = os.open(name, READ_FLAGS, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise DeniedError("the file is a symbolic link", reason="symlink") from None
        if error.errno in (errno.ENXIO, errno.ENODEV):
            raise DeniedError("there is something else than a file", reason="not_regular") from None
        if error.errno == errno.ENOENT:
            raise ConflictError("the file is gone", reason="changed") from None
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise DeniedError("there is something else than a file", reason="not_regular")
        if status.st_nlink > 1:
            raise DeniedError("the file has several names", reason="hard_link")
        if read_all(descriptor) != made_from:
            raise ConflictError("the file was changed meanwhile", reason="changed")
        return status
    finally:
        os.close(descriptor)


def _swap(folder: int, fresh: str, name: str, aside: str, made_from: bytes) -> tuple[str, bool]:
    """The name that the old version has then, and whether names could not be exchanged."""
    try:
        renaming.exchange_names(folder, fresh, name)
    except OSError as error:
        if error.errno not in renaming.CANNOT:
            raise
    else:
        return fresh, False
    os.link(name, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    try:
        if not holds(folder, aside, made_from):
            raise ConflictError("the file was changed meanwhile", reason="changed")
        os.replace(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(aside, dir_fd=folder)
        raise
    return aside, True


def _swap_back(folder: int, aside: str, name: str, ours: Identity) -> tuple[str, bool]:
    """Put what came out back in its place, unless somebody saved once more meanwhile: then that one stays.

    The name of what is aside then, and whether that is our version.
    """
    put = ours
    while True:
        going = identity_of(folder, aside)
        try:
            renaming.exchange_names(folder, aside, name)
        except FileNotFoundError:  # somebody took ours away: nothing of us is in the place
            return aside, False
        out = identity_of(folder, aside)
        if out == put or out is None or going is None:
            return aside, out == ours
        put = going  # out is newer than what took its place


def _swap_back_weakly(folder: int, aside: str, name: str, fresh: str, ours: Identity) -> tuple[str, bool]:
    if identity_of(folder, name) != ours:
        return aside, False
    os.link(name, fresh, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    os.replace(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
    return fresh, True
