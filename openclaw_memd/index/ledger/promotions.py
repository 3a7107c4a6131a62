"""What runs of dreaming wrote into the curated files, so that it is known again, bounded and undone."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final, NamedTuple

import apsw

from openclaw_memd.index.ledger.instants import to_stamp

CAUSE: Final = "dream"
"""What the history says of the rewrite of a night."""


class Promotion(NamedTuple):
    """One claim that a run wrote into ``file``; ``entry`` is SHA-256 of the entry's text in hex."""

    run_id: str
    file: str
    key: str
    entry: str


def begin_promotions(
    connection: apsw.Connection, run_id: str, file: str, entries: Mapping[str, str], at: datetime
) -> None:
    """Note what a run is about to write into a file: entries by the keys of their claims."""
    connection.executemany(
        "INSERT OR REPLACE INTO promotions (run_id, file, key, entry, at, state)"
        " VALUES (?, ?, ?, ?, ?, 'begun')",
        [(run_id, file, key, entry, to_stamp(at)) for key, entry in entries.items()],
    )


def conclude_promotions(
    connection: apsw.Connection, run_id: str, file: str, keys: Collection[str], preimage_id: int | None
) -> None:
    """Note that of what was begun these are there, by the rewrite that ``preimage_id`` undoes."""
    connection.executemany(
        "UPDATE promotions SET state = 'done' WHERE run_id = ? AND file = ? AND key = ?",
        [(run_id, file, key) for key in keys],
    )
    connection.execute(
        "DELETE FROM promotions WHERE run_id = ? AND file = ? AND state = 'begun'", (run_id, file)
    )
    if preimage_id is not None:
        connection.execute(
            "INSERT OR REPLACE INTO dream_rewrites (preimage_id, run_id, file) VALUES (?, ?, ?)",
            (preimage_id, run_id, file),
        )


def begun_promotions(connection: apsw.Connection) -> list[Promotion]:
    """What was begun and never concluded, since the process ended."""
    rows = connection.execute("SELECT run_id, file, key, entry FROM promotions WHERE state = 'begun'")
    return [Promotion(*row) for row in rows]


def unclaimed_rewrite(connection: apsw.Connection, run_id: str, file: str) -> int | None:
    """The rewrite of a file by a run that had no time to claim it: the first from its beginning on."""
    found = connection.execute(
        "SELECT min(id) FROM preimages WHERE file = ?2 AND cause IN ('dream', 'accept')"
        " AND at >= (SELECT min(at) FROM promotions WHERE run_id = ?1 AND file = ?2 AND state = 'begun')"
        " AND id NOT IN (SELECT preimage_id FROM dream_rewrites)",
        (run_id, file),
    ).get
    return None if found is None else int(str(found))


def promoted_entries(connection: apsw.Connection, file: str) -> frozenset[str]:
    """Hashes of the entries that runs wrote into a file."""
    return frozenset(
        str(entry) for (entry,) in connection.execute("SELECT entry FROM promotions WHERE file = ?", (file,))
    )


def last_run(connection: apsw.Connection) -> str | None:
    """The last run that wrote anything that nobody took back."""
    found = connection.execute(
        "SELECT run_id FROM promotions WHERE state = 'done' ORDER BY at DESC, run_id DESC LIMIT 1"
    ).get
    return None if found is None else str(found)


def promotions_of(connection: apsw.Connection, run_id: str) -> list[Promotion]:
    """What a run wrote, without what was taken back."""
    rows = connection.execute(
        "SELECT run_id, file, key, entry FROM promotions WHERE run_id = ? AND state = 'done'"
        " ORDER BY file, key",
        (run_id,),
    )
    return [Promotion(*row) for row in rows]


def rewrites_of(connection: apsw.Connection, run_id: str, file: str) -> list[int]:
    """The pre-images of a run's rewrites of a file that are still kept, oldest first."""
    rows = connection.execute(
        "SELECT d.preimage_id FROM dream_rewrites AS d JOIN preimages AS p ON p.id = d.preimage_id"
        " WHERE d.run_id = ? AND d.file = ? ORDER BY d.preimage_id",
        (run_id, file),
    )
    return [int(number) for (number,) in rows]


def undo_promotions(connection: apsw.Connection, run_id: str, file: str) -> None:
    """Note that what a run wrote into a file was taken back."""
    connection.execute(
        "UPDATE promotions SET state = 'undone' WHERE run_id = ? AND file = ? AND state = 'done'",
        (run_id, file),
    )


def rewrites_since(connection: apsw.Connection, file: str, since: datetime) -> list[tuple[bytes, bytes]]:
    """What a file was before and after each rewrite of a night since then, oldest first."""
    rows = connection.execute(
        "SELECT coalesce(before, x''), after FROM preimages WHERE file = ? AND cause = ? AND at > ?"
        " ORDER BY id",
        (file, CAUSE, to_stamp(since)),
    )
    return [(bytes(before), bytes(after)) for before, after in rows]
