"""What the ledger holds of its own loss: since when, and which files are older."""

from collections.abc import Collection
from datetime import datetime

import apsw

from openclaw_memd.index.ledger.instants import from_stamp, to_stamp


def record_loss(connection: apsw.Connection, at: datetime) -> None:
    """Note that this ledger begins anew where there was one."""
    connection.execute("INSERT OR IGNORE INTO losses (id, lost_at) VALUES (1, ?)", (to_stamp(at),))


def read_loss(connection: apsw.Connection) -> datetime | None:
    """When this ledger began anew where there was one, as long as lines are untrusted for that."""
    found = connection.execute("SELECT lost_at FROM losses").get
    return from_stamp(found) if isinstance(found, str) else None


def settle_loss(connection: apsw.Connection) -> None:
    """Forget the loss once no line is untrusted without anybody who is known to have written it."""
    connection.execute(
        "DELETE FROM losses WHERE listed = 1 AND NOT EXISTS (SELECT 1 FROM lost_files) AND NOT EXISTS"
        " (SELECT 1 FROM spans WHERE present > 0 AND origin = 'untrusted' AND NOT decided"
        " AND append_id IS NULL AND agent IS NULL)"
    )


def awaits_listing(connection: apsw.Connection) -> bool:
    """Whether it is still to be told which files are older than this ledger."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM losses WHERE listed = 0)").get)


def list_lost(connection: apsw.Connection, paths: Collection[str]) -> None:
    """Note which files are older than this ledger."""
    if awaits_listing(connection):
        connection.executemany(
            "INSERT OR IGNORE INTO lost_files (path)"
            " SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM file_lines WHERE path = ?1)",
            [(path,) for path in paths],
        )
        connection.execute("UPDATE losses SET listed = 1")


def read_lost(connection: apsw.Connection, paths: Collection[str]) -> frozenset[str]:
    """Those of ``paths`` that are older than this ledger and were not attributed yet; all of them while
    nothing was listed.
    """
    if awaits_listing(connection):
        return frozenset(paths)
    if not paths:
        return frozenset()
    rows = connection.execute(
        "SELECT path FROM lost_files WHERE path IN (SELECT value FROM carray(?))",
        (apsw.carray(tuple(paths)),),
    )
    return frozenset(path for (path,) in rows)


def settle_lost(connection: apsw.Connection, paths: Collection[str]) -> None:
    """The lines of these files are attributed now."""
    if not paths:
        return
    connection.execute(
        "DELETE FROM lost_files WHERE path IN (SELECT value FROM carray(?))", (apsw.carray(tuple(paths)),)
    )
