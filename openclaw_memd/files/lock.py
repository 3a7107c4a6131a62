"""A lock on a folder that ends with the process that holds it, however that ends."""

import errno
import fcntl
import os
import time

from openclaw_memd.errors import ConflictError
from openclaw_memd.files.private import open_file

LOCK_NAME = "lock"

PROBED_S = 0.1
"""Who asks whether a lock is held has it for microseconds, which must not keep a daemon from starting."""

_PAUSE_S = 0.005


def take_flock(descriptor: int) -> None:
    """Take the exclusive flock on an open file. Blocks, for ``PROBED_S`` at most.

    Raises:
        BlockingIOError: another one holds it.
        OSError: the file system has no locks.
    """
    ends_at = time.monotonic() + PROBED_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= ends_at:
                raise
            time.sleep(_PAUSE_S)
        else:
            return


class FolderLock:
    """An exclusive flock on the file ``lock`` in a folder. What the file says means nothing."""

    def __init__(self, folder: int) -> None:
        """Take the lock in the open folder ``folder``.

        Raises:
            ConflictError: another process holds it (``reason`` is ``lock_held``).
            OSError: the file cannot be made, or the file system has no locks.
        """
        while True:
            descriptor = open_file(folder, LOCK_NAME, os.O_RDWR)
            try:
                take_flock(descriptor)
                if _is_named(descriptor, folder):
                    self._descriptor = descriptor
                    return
            except OSError as error:
                os.close(descriptor)
                if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                    raise ConflictError("another daemon has this workspace", reason="lock_held") from None
                raise
            os.close(descriptor)  # the file was removed or replaced before it was locked

    def release(self) -> None:
        """Let go of the lock; the file stays, since removing it could split it in two."""
        os.close(self._descriptor)


def _is_named(descriptor: int, folder: int) -> bool:
    """Whether the name still leads to the file that is open."""
    try:
        named = os.stat(LOCK_NAME, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    held = os.fstat(descriptor)
    return (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)
