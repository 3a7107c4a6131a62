"""Files of ours beside another one: what is about to take its place, and what had it before."""

import fcntl
import os
import re
import signal
import stat
from collections.abc import Collection
from contextlib import suppress
from secrets import token_hex
from typing import Final

from openclaw_memd.files import renaming

PREFIX: Final = ".memd-"  # hidden, so never listed as a memory
FILE_MODE: Final = 0o644  # of a file that was not there before: the process's umask narrows it
READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NAME: Final = re.compile(re.escape(PREFIX) + r"[0-9a-f]{16}\.(?:new|old)")

Identity = tuple[int, int]
"""Device and inode."""


def new_name(token: str) -> str:
    """The name of a version before it has the place, and of what changed places with it."""
    return f"{PREFIX}{token}.new"


def old_name(token: str) -> str:
    """The name of an old version where names cannot be exchanged."""
    return f"{PREFIX}{token}.old"


def is_beside(name: str) -> bool:
    """Whether a name is one that ``new_name`` or ``old_name`` made for a token of 16 hexadecimal digits."""
    return _NAME.fullmatch(name) is not None


def sweep(folder: int, *, before_ns: int, kept: Collection[str] = ()) -> int:
    """Remove files of ours from the open ``folder``; how many went.

    Only what has a name of ours, is a file, belongs to this user, was not touched since ``before_ns`` (on the
    system's clock) and is not among ``kept``: a process that was killed left it.
    """
    gone = 0
    for name in os.listdir(folder):
        if not is_beside(name) or name in kept:
            continue
        with suppress(OSError):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            is_old = max(status.st_mtime_ns, status.st_ctime_ns) < before_ns
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and is_old:
                os.unlink(name, dir_fd=folder)
                gone += 1
    return gone


def is_let_go(folder: int, name: str) -> bool:
    """Whether nobody but us has a file of ours open, so that nothing can be written to it any more.

    False where the system does not tell: it is asked by a lease, which Linux gives for such a file alone.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        descriptor = os.open(name, READ_FLAGS, dir_fd=folder)
    except OSError:
        return False
    try:
        # Whoever opens the file meanwhile has a signal sent to us, by default one that ends the process.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)


def can_exchange(folder: int) -> bool:
    """Whether names in the open ``folder`` can be exchanged, by trying with two files of ours.

    Raises:
        OSError: nothing can be written there.
    """
    names = [new_name(token_hex(8)) for _ in range(2)]
    made: list[str] = []
    try:
        for name in names:
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder))
            made.append(name)
        renaming.exchange_names(folder, *names)
    except OSError as error:
        if error.errno not in renaming.CANNOT or len(made) < len(names):
            raise
        return False
    else:
        return True
    finally:
        for name in made:
            os.unlink(name, dir_fd=folder)


def read_aside(folder: int, name: str) -> bytes:
    """The bytes of a file of ours in the open ``folder``."""
    descriptor = os.open(name, READ_FLAGS, dir_fd=folder)
    try:
        return read_all(descriptor)
    finally:
        os.close(descriptor)


def write_beside(folder: int, name: str, content: bytes, like: os.stat_result | None) -> Identity:
    """Make the durable file ``name``, with the mode and owner that another one has; its device and inode."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, FILE_MODE if like is None else 0o600, dir_fd=folder)
    try:
        if like is not None:
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


def identity_of(folder: int, name: str) -> Identity | None:
    """What a name in the open ``folder`` leads to; None when there is none."""
    try:
        return _identity(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


def holds(folder: int, name: str, content: bytes) -> bool:
    """Whether a file has this content; False when it is no file."""
    try:
        descriptor = os.open(name, READ_FLAGS, dir_fd=folder)
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode) and read_all(descriptor) == content
    finally:
        os.close(descriptor)


def read_all(descriptor: int) -> bytes:
    """The bytes of an open file from where it stands."""
    pieces = []
    while piece := os.read(descriptor, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)
