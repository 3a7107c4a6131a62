"""What SQLite and the disk say, in the words of this package."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from openclaw_memd.errors import UnavailableError

BUSY_RETRY_MS = 1_000

_DISK_ERRORS = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EROFS: "read_only",
    errno.EIO: "disk_error",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
    errno.ENOENT: "no_folder",
    errno.ENOTDIR: "no_folder",
    errno.EEXIST: "no_folder",
    errno.ELOOP: "no_folder",
}


class DamagedError(Exception):
    """The file is no database, or its pages contradict each other."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn what SQLite raises about its file into ``DamagedError`` or ``UnavailableError``.

    Mistakes in statements and broken constraints stay what they are: they are bugs. Text that is no UTF-8 is
    damage, since none was ever stored.
    """
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
        raise DamagedError("the database is damaged") from error
    except apsw.FullError as error:
        raise UnavailableError("the disk is full", reason="disk_full") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise UnavailableError(
            "the database is locked", reason="locked", retry_after_ms=BUSY_RETRY_MS
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise UnavailableError("the database cannot be opened for writing", reason="read_only") from error
    except apsw.IOError as error:
        # A start needs room for the memory that connections share. The type stubs lack the attribute.
        if getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_SHMSIZE:
            raise UnavailableError("the disk is full", reason="disk_full") from error
        raise UnavailableError("the disk cannot be read or written", reason="disk_error") from error
    except OSError as error:
        reason = _DISK_ERRORS.get(error.errno or 0)
        if reason is None:
            raise
        raise UnavailableError("the state folder cannot be used", reason=reason) from error


@contextmanager
def proven() -> Iterator[None]:
    """As ``translated``, for statements that hold in every whole database: one that is refused is damaged.

    SQLite says so of a full-text table whose own tables cannot be read, for one.
    """
    try:
        with translated():
            yield
    except apsw.SQLError as error:
        raise DamagedError("the database is damaged") from error
