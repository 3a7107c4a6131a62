"""Looking at databases for people: are they whole, and what is the newest that they know of?"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

import apsw

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.index.database import migrations, schema_number, side_files
from openclaw_memd.index.faults import DamagedError, proven
from openclaw_memd.index.ledger.instants import from_stamp

_NEWEST: Final = (
    "SELECT recorded_at FROM spans ORDER BY id DESC LIMIT 1",
    "SELECT at FROM preimages ORDER BY id DESC LIMIT 1",
)

Condition = Literal["sound", "damaged", "newer", "unreadable"]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is known of a database file that nobody has open. ``newest`` is of the ledger alone."""

    condition: Condition
    newest: datetime | None = None


def has_sound_pages(connection: apsw.Connection) -> bool:
    """Whether the pages of the database agree with each other. Reads all of it."""
    connection.pragma("shrink_memory")  # pages that are still in memory would hide what became of the file
    try:
        with proven():
            return bool(connection.execute("PRAGMA quick_check(1)").get == "ok")
    except DamagedError:
        return False


def has_sound_words(connection: apsw.Connection, tier: TrustTier) -> bool:
    """Whether a full-text table agrees with the chunks. It needs the writer's connection."""
    table = f"{tier.value}_text"
    try:
        with proven():
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
    except DamagedError:
        return False
    return True


def newest_record(connection: apsw.Connection) -> datetime | None:
    """When the ledger last recorded lines or a rewrite; None when it never did."""
    found = [connection.execute(query).get for query in _NEWEST]
    return max((from_stamp(stamp) for stamp in found if isinstance(stamp, str)), default=None)


def inspect_file(path: Path, schema: str) -> Inspection:
    """Look at a database that nobody has open; nothing is written to it. ``schema`` as in ``migrate``.

    Without a log beside it the file is read as it is, so that not even side files are made. With one SQLite
    reads that too, in its own way.
    """
    connection = _open_closed(path)
    if connection is None:
        return Inspection("unreadable")
    try:
        if schema_number(connection) > len(migrations(schema)):
            return Inspection("newer")
        if not has_sound_pages(connection):
            return Inspection("damaged")
        return Inspection("sound", newest_record(connection) if schema == "state" else None)
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError):
        return Inspection("damaged")
    except apsw.Error:
        return Inspection("unreadable")
    finally:
        connection.close()


def _open_closed(path: Path) -> apsw.Connection | None:
    if not path.is_file():  # SQLite would wait for a pipe
        return None
    has_log = any(side.exists() for side in side_files(path))
    address = f"file:{quote(str(path))}?mode=ro{'' if has_log else '&immutable=1'}"
    try:
        return apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    except apsw.Error:
        return None
