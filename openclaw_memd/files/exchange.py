"""Putting a new version in a file's place without losing what somebody else writes to it meanwhile.

The new version is written beside the file and made durable, then both change places in one step. What came
out is compared with what the new version was made from: if it is anything else, both change places again. An
editor that had the old file open may still write to it, so it stays, under a name of ours, until it has been
looked at again (``Displaced.settle``).

Where a file system cannot exchange two names the old version gets a second name first and the new one is
renamed over it. Somebody who renames a file into place between these two steps is overwritten, and only found
out afterwards: ``Displaced.is_weak`` says that it was done so.
"""

import ctypes
import errno
import functools
import hashlib
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex
from typing import Final

from openclaw_memd.errors import ConflictError, DeniedError

PREFIX: Final = ".memd-"  # hidden, so never listed as a memory
_RENAME_EXCHANGE: Final = 2  # linux/fs.h
_READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CANNOT: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM})


@dataclass(frozen=True, slots=True)
class Displaced:
    """The version that had the place: now ``aside`` in the open folder.

    ``size`` of its bytes are known, and the SHA-256 ``digest`` of these.
    """

    folder: int
    aside: str
    size: int
    digest: bytes
    is_weak: bool

    def settle(self) -> bytes:
        """What was still written behind its end, or all of it if it was written anew; then it is gone."""
        descriptor = os.open(self.aside, _READ_FLAGS, dir_fd=self.folder)
        try:
            content = _read_all(descriptor)
        finally:
            os.close(descriptor)
        os.unlink(self.aside, dir_fd=self.folder)
        is_known = hashlib.sha256(content[: self.size]).digest() == self.digest
        return content[self.size :] if is_known else content


def replace_content(
    folder: int, name: str, content: bytes, made_from: bytes, commit: Callable[[], None] = lambda: None
) -> Displaced:
    """Put ``content`` in the place of the file ``name`` in the open ``folder``.

    ``made_from`` is the SHA-256 digest of the version that ``content`` was made from. ``commit`` is called
    when the new version is durable and not yet in place: what it raises leaves the file as it was. Mode and,
    where that is allowed, owner are kept.

    Raises:
        ConflictError: the file is another by now; it is as somebody else left it.
        DeniedError: it is a link (``symlink``), has several names (``hard_link``) or is no file at all
            (``not_regular``).
        OSError: the disk is full or cannot be written; the file is as it was.
    """
    status = _check(folder, name, made_from)
    token = token_hex(8)
    fresh = f"{PREFIX}{token}.new"
    try:
        ours = _write_beside(folder, fresh, content, status)
        commit()
        aside, is_weak = _swap(folder, fresh, name, f"{PREFIX}{token}.old")
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=folder)
        raise
    try:
        os.fsync(folder)
        size = _size_if(folder, aside, made_from)
    except OSError:
        _swap_back(folder, aside, name, ours, is_weak=is_weak)
        raise
    if size is None:
        _swap_back(folder, aside, name, ours, is_weak=is_weak)
        raise ConflictError("the file was changed meanwhile", reason="changed")
    return Displaced(folder, aside, size, made_from, is_weak)


def take_away(folder: int, name: str, made_from: bytes) -> Displaced:
    """Take the file ``name`` out of the open ``folder``, if its SHA-256 digest is ``made_from``.

    Where another one was put in its place at the same moment, that one stays, and all of what was taken away
    counts as written late.

    Raises:
        ConflictError, DeniedError, OSError: as ``replace_content``; the file is still there.
    """
    _check(folder, name, made_from)
    aside = f"{PREFIX}{token_hex(8)}.old"
    os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
    failure: OSError | ConflictError
    try:
        os.fsync(folder)
        size = _size_if(folder, aside, made_from)
    except OSError as error:
        failure = error
    else:
        if size is not None:
            return Displaced(folder, aside, size, made_from, is_weak=False)
        failure = ConflictError("the file was changed meanwhile", reason="changed")
    try:
        os.link(aside, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        return Displaced(folder, aside, 0, hashlib.sha256().digest(), is_weak=False)
    os.unlink(aside, dir_fd=folder)
    raise failure


def _check(folder: int, name: str, made_from: bytes) -> os.stat_result:
    try:
        descriptor = os.open(name, _READ_FLAGS, dir_fd=folder)
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
        if hashlib.sha256(_read_all(descriptor)).digest() != made_from:
            raise ConflictError("the file was changed meanwhile", reason="changed")
        return status
    finally:
        os.close(descriptor)


def _write_beside(folder: int, name: str, content: bytes, like: os.stat_result) -> tuple[int, int]:
    """Make the durable file ``name``; its device and inode."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o600, dir_fd=folder)
    try:
        with suppress(PermissionError):  # only root may give files away
            os.fchown(descriptor, like.st_uid, like.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
        return _identity(os.fstat(descriptor))
    finally:
        os.close(descriptor)


def _swap(folder: int, fresh: str, name: str, aside: str) -> tuple[str, bool]:
    """The name that the old version has then, and whether names could not be exchanged."""
    try:
        _exchange_names(folder, fresh, name)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    else:
        return fresh, False
    os.link(name, aside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    try:
        os.replace(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(aside, dir_fd=folder)
        raise
    return aside, True


def _swap_back(folder: int, aside: str, name: str, ours: tuple[int, int], *, is_weak: bool) -> None:
    """Put what came out back in its place, unless somebody saved once more meanwhile: then that one stays."""
    if is_weak:
        if _identity_of(folder, name) == ours:
            os.replace(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            os.unlink(aside, dir_fd=folder)
    else:
        _exchange_names(folder, aside, name)
        if _identity_of(folder, aside) != ours:  # the last save came out, and goes back
            _exchange_names(folder, aside, name)
        os.unlink(aside, dir_fd=folder)
    with suppress(OSError):  # nothing was to be made durable
        os.fsync(folder)


def _identity_of(folder: int, name: str) -> tuple[int, int] | None:
    try:
        return _identity(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _size_if(folder: int, name: str, digest: bytes) -> int | None:
    """The size of a file whose content has the digest; None when it has another, or is no file."""
    try:
        descriptor = os.open(name, _READ_FLAGS, dir_fd=folder)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = _read_all(descriptor)
    finally:
        os.close(descriptor)
    return len(content) if hashlib.sha256(content).digest() == digest else None


def _read_all(descriptor: int) -> bytes:
    pieces = []
    while piece := os.read(descriptor, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def _exchange_names(folder: int, first: str, second: str) -> None:
    renameat2 = _renameat2()
    if renameat2 is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if renameat2(folder, os.fsencode(first), folder, os.fsencode(second), _RENAME_EXCHANGE) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


@functools.cache
def _renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """The C library's function; macOS has its own of the same meaning under another name."""
    libc = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    function = getattr(libc, name, None)
    if function is None:
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    function.restype = ctypes.c_int
    return function  # type: ignore[no-any-return]
