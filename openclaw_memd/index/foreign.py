"""Reading tables of a database that somebody else wrote: from a copy, and believing nothing that is in it.

The original is only read as a file. SQLite opens the copy, where a log that came with it can be played in.
The connection runs no triggers, views, extensions or functions of the schema and reads the named tables
only; it ends when it takes long.
"""

import errno
import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import apsw

from openclaw_memd.domain.importing import ImportReason
from openclaw_memd.files.beside import READ_FLAGS
from openclaw_memd.files.catalog import SkipReason

MOST_BYTES: Final = 1 << 30
"""A database, and the log beside it, up to this size."""

SPARE_BYTES: Final = 64 << 20
"""So much room stays on the disk."""

LONGEST_VALUE: Final = 1 << 20
MOST_STEPS: Final = 50_000_000
"""Steps of SQLite's virtual machine: some seconds."""

_CHECK_STEPS: Final = 50_000
_TRIES: Final = 3
_HEADER: Final = b"SQLite format 3\0"
_LIMITS: Final = {
    apsw.SQLITE_LIMIT_LENGTH: 4 * LONGEST_VALUE,
    apsw.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    apsw.SQLITE_LIMIT_COLUMN: 200,
    apsw.SQLITE_LIMIT_EXPR_DEPTH: 20,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 2,
    apsw.SQLITE_LIMIT_VDBE_OP: 10_000,
    apsw.SQLITE_LIMIT_FUNCTION_ARG: 8,
    apsw.SQLITE_LIMIT_ATTACHED: 0,
    apsw.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    apsw.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_SETTINGS: Final = {
    apsw.SQLITE_DBCONFIG_DEFENSIVE: 1,
    apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_VIEW: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER: 0,
    apsw.SQLITE_DBCONFIG_DQS_DML: 0,
    apsw.SQLITE_DBCONFIG_DQS_DDL: 0,
    apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA: 0,
}

Value = str | int | float | bytes | None
Row = tuple[Value, ...]


class ForeignError(Exception):
    """The database cannot be used."""

    def __init__(self, reason: SkipReason | ImportReason) -> None:
        super().__init__(reason)
        self.reason = reason


class ForeignDatabase:
    """A copy of somebody else's database. ``close`` removes it."""

    def __init__(self, path: Path, scratch: Path) -> None:
        """Copy the database at ``path`` into the folder ``scratch``, which is made and is this copy's alone.

        Raises:
            ForeignError: it is none, is damaged, too large, or changes all the time.
            OSError: the copy cannot be written.
        """
        self._scratch = scratch
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(0o700, parents=True)
        self._connection: apsw.Connection | None = None
        try:
            copy = scratch / "copy"
            _copy_quietly(path, copy)
            self._connection = _open(copy)
            self._steps = 0
            self._connection.set_progress_handler(self._is_too_long, _CHECK_STEPS)
        except apsw.Error:
            self.close()
            raise ForeignError(ImportReason.NOT_A_DATABASE) from None
        except BaseException:
            self.close()
            raise

    def rows(
        self, table: str, columns: Sequence[str], *, where: Mapping[str, str] | None = None, most: int
    ) -> list[Row] | None:
        """Up to ``most`` rows of a table, None when there is no such one; a column it has not gives None.

        ``where`` are columns and the text that they equal.

        Raises:
            ForeignError: the database is damaged, its table is no plain one, or reading takes too long.
        """
        connection = self._connection
        assert connection is not None
        where = where or {}
        try:
            connection.authorizer = _allow_nothing_else("sqlite_master", table)
            made = connection.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
            ).fetchall()
            if not made:
                return None
            ((sql,),) = made
            if not isinstance(sql, str) or not sql.lstrip().upper().startswith("CREATE TABLE"):
                raise ForeignError(ImportReason.UNKNOWN_TABLE)
            connection.authorizer = None
            known = {str(row[1]) for row in connection.execute(f"PRAGMA table_info({_quote(table)})")}
            if not set(where) <= known:
                raise ForeignError(ImportReason.UNKNOWN_TABLE)
            connection.authorizer = _allow_nothing_else(table)
            wanted = ", ".join(_quote(one) if one in known else "NULL" for one in columns)
            conditions = " AND ".join(f"{_quote(one)} = ?" for one in where) or "1"
            query = f"SELECT {wanted} FROM {_quote(table)} WHERE {conditions} LIMIT {most:d}"
            return [tuple(row) for row in connection.execute(query, tuple(where.values()))]
        except (apsw.Error, UnicodeDecodeError, ValueError):
            raise ForeignError(ImportReason.NOT_A_DATABASE) from None

    def close(self) -> None:
        """Remove the copy."""
        if self._connection is not None:
            self._connection.close(True)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _is_too_long(self) -> bool:
        self._steps += _CHECK_STEPS
        return self._steps > MOST_STEPS


def _open(path: Path) -> apsw.Connection:
    has_log = path.with_name(path.name + "-wal").exists()
    flags = apsw.SQLITE_OPEN_READWRITE if has_log else apsw.SQLITE_OPEN_READONLY
    name = os.fspath(path) if has_log else f"{path.absolute().as_uri()}?immutable=1"
    connection = apsw.Connection(name, flags=flags | apsw.SQLITE_OPEN_URI)
    try:
        for limit, value in _LIMITS.items():
            connection.limit(limit, value)
        for setting, on in _SETTINGS.items():
            connection.config(setting, on)
        connection.pragma("cell_size_check", "on")
        connection.pragma("mmap_size", 0)
        connection.pragma("temp_store", "memory")
        connection.pragma("query_only", "on")
    except BaseException:
        connection.close(True)
        raise
    return connection


def _allow_nothing_else(*tables: str) -> "apsw.Authorizer":
    """An authorizer that lets these tables be read, and nothing else be done."""

    def judge(operation: int, first: str | None, *_rest: object) -> int:
        is_allowed = operation == apsw.SQLITE_SELECT or (operation == apsw.SQLITE_READ and first in tables)
        return apsw.SQLITE_OK if is_allowed else apsw.SQLITE_DENY

    return judge


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _copy_quietly(path: Path, copy: Path) -> None:
    """Copy the database and its log as they were at one moment."""
    log, log_copy = (one.with_name(one.name + "-wal") for one in (path, copy))
    for _ in range(_TRIES):
        before = _stamps(path, log)
        if before[0] is None:
            raise ForeignError(SkipReason.UNREADABLE)
        size = sum(stamp[0] for stamp in before if stamp)
        if size > MOST_BYTES:
            raise ForeignError(SkipReason.TOO_LARGE)
        room = os.statvfs(copy.parent)
        if room.f_bavail * room.f_frsize < size + SPARE_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        _copy(path, copy)
        log_copy.unlink(missing_ok=True)
        if before[1] is not None and before[1][0] > 0:
            _copy(log, log_copy)
        if _stamps(path, log) == before:
            with copy.open("rb") as file:
                if file.read(len(_HEADER)) != _HEADER:
                    raise ForeignError(ImportReason.NOT_A_DATABASE)
            return
    raise ForeignError(SkipReason.CHANGING)


def _stamps(*paths: Path) -> list[tuple[int, int, int] | None]:
    found: list[tuple[int, int, int] | None] = []
    for path in paths:
        try:
            status = path.lstat()
        except OSError:
            found.append(None)
            continue
        if not stat.S_ISREG(status.st_mode):
            raise ForeignError(SkipReason.SYMLINK if stat.S_ISLNK(status.st_mode) else SkipReason.NOT_REGULAR)
        found.append((status.st_size, status.st_mtime_ns, status.st_ino))
    return found


def _copy(path: Path, copy: Path) -> None:
    try:
        descriptor = os.open(path, READ_FLAGS)
    except OSError as error:
        raise ForeignError(
            SkipReason.SYMLINK if error.errno == errno.ELOOP else SkipReason.UNREADABLE
        ) from None
    with open(descriptor, "rb") as source, copy.open("wb") as target:  # noqa: PTH123 - a descriptor
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ForeignError(SkipReason.NOT_REGULAR)
        left = MOST_BYTES
        while piece := source.read(min(1 << 20, left)):
            target.write(piece)
            left -= len(piece)
