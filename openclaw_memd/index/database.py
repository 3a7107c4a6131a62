"""Opening SQLite files: private from their first byte, the same settings everywhere, migrated by number."""

import os
from enum import Enum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import apsw

BUSY_TIMEOUT_MS: Final = 5_000
WRITER_CACHE_KIB: Final = 512
READER_CACHE_KIB: Final = 128
DERIVED_PAGE_BYTES: Final = 8_192  # twice the default: a chunk is 5 kB, and writing takes a sixth less
WAL_LIMIT_BYTES: Final = 16 * 1024 * 1024


class Durability(Enum):
    """What a commit waits for. The value is SQLite's ``synchronous`` setting."""

    DURABLE = "full"  # on the disk: the ledger
    DERIVED = "normal"  # consistent after a power cut, without the last commits: what the files give again
    SCRATCH = "off"  # nothing: a file that nobody reads before it was synced as a whole


class NewerFormatError(Exception):
    """A newer version of this program wrote the database; ``found`` and ``known`` are schema numbers."""

    def __init__(self, name: str, found: int, known: int) -> None:
        super().__init__(f"{name} has schema {found}, this version knows {known}")
        self.name = name
        self.found = found
        self.known = known


def make_private_folder(folder: Path) -> None:
    """Make ``folder`` and set it to 0700 whatever the umask; missing parents are made the same way."""
    if not folder.parent.exists():
        make_private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)


def create_private_file(path: Path) -> bool:
    """Make an empty file of mode 0600 whatever the umask; False when there was one already.

    SQLite gives its side files the mode of the database, so this decides for all of them. A file that exists
    is not opened: closing it would drop the locks that SQLite holds on it in this process.
    """
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return False
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
    return True


def open_writer(path: Path, durability: Durability, *, create: bool = True) -> apsw.Connection:
    """The connection that writes ``path``, which is made when missing unless ``create`` forbids it.

    Raises:
        apsw.NotADBError, apsw.CorruptError: the file is not a database.
        OSError, apsw.Error: the place cannot be used.
    """
    if create:
        create_private_file(path)
    connection = _open(path, WRITER_CACHE_KIB)
    try:
        if durability is not Durability.DURABLE:
            connection.pragma("page_size", DERIVED_PAGE_BYTES)  # of a new file
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", durability.value)
        connection.pragma("secure_delete", "on")
        connection.pragma("journal_size_limit", WAL_LIMIT_BYTES)
        connection.transaction_mode = "IMMEDIATE"
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> apsw.Connection:
    """A connection that cannot change ``path``. Errors are as in ``open_writer``."""
    connection = _open(path, READER_CACHE_KIB)
    connection.pragma("query_only", "on")
    return connection


def migrate(connection: apsw.Connection, schema: str) -> int:
    """Bring the database to the newest schema in one transaction; the number of its schema.

    ``schema`` names a folder of numbered SQL files beside this module.

    Raises:
        NewerFormatError: the database knows more migrations than this version.
    """
    scripts = migrations(schema)
    with connection:
        found = schema_number(connection)
        if found > len(scripts):
            raise NewerFormatError(schema, found, len(scripts))
        for script in scripts[found:]:
            connection.execute(script)
        if found < len(scripts):
            connection.pragma("user_version", len(scripts))
    return len(scripts)


def schema_number(connection: apsw.Connection) -> int:
    """How many migrations the database has seen."""
    number = connection.pragma("user_version")
    assert isinstance(number, int)
    return number


@cache
def migrations(schema: str) -> tuple[str, ...]:
    """The SQL scripts of ``schema``, first to last.

    Raises:
        RuntimeError: the numbers have a hole, so the package is broken.
    """
    folder = resources.files("openclaw_memd.index") / "migrations" / schema
    scripts = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda e: e.name
    )
    for number, script in enumerate(scripts, start=1):
        if int(script.name.partition("_")[0]) != number:
            raise RuntimeError(f"migration {number} of {schema} is missing")
    return tuple(script.read_text("utf-8") for script in scripts)


def _open(path: Path, cache_kib: int) -> apsw.Connection:
    connection = apsw.Connection(os.fspath(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
        connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.pragma("foreign_keys", "on")
        connection.pragma("cache_size", -cache_kib)
    except BaseException:
        connection.close()
        raise
    return connection


def side_files(path: Path) -> tuple[Path, ...]:
    """The files that SQLite keeps beside the database while it is open."""
    return tuple(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))


def open_marker(path: Path) -> Path:
    """The file that is there while the database is open, and after nobody closed it."""
    return path.with_name(path.name + ".open")


def sync_file(path: Path) -> None:
    """Make the content of a file, or the names in a folder, survive a power cut.

    Never for a database that is open: closing any descriptor of it drops the locks that SQLite holds.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
