"""What a look through old notes and sessions brought, in the ledger: functions over a connection."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import apsw

from openclaw_memd.index.ledger.signal_rows import Sighting
from openclaw_memd.index.ledger.signal_upkeep import drop_silent
from openclaw_memd.index.ledger.signals import record_sightings


class Grounding(NamedTuple):
    """A claim as it was met, by its own ``claim`` key, and as it counts."""

    claim: str
    sighting: Sighting


def known_claims(connection: apsw.Connection, claims: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of (claim, path) that were brought before, or of which it is decided what became of them."""
    known: set[tuple[str, str]] = set()
    for claim, path in claims:
        row = connection.execute(
            "SELECT 1 FROM backfilled WHERE claim = ?1 AND path = ?2"
            " UNION ALL SELECT 1 FROM candidate_verdicts WHERE key = ?1 LIMIT 1",
            (claim, path),
        ).fetchone()
        if row is not None:
            known.add((claim, path))
    return known


def record_grounded(connection: apsw.Connection, groundings: Sequence[Grounding]) -> list[str]:
    """Take note of claims that ``known_claims`` does not name; the candidate of each, for each place.

    Several signals of one are one claim.
    """
    adds = {
        (one.sighting.key, one.sighting.source.path): connection.execute(
            "SELECT 1 FROM candidates WHERE key = ?1 AND NOT EXISTS"
            " (SELECT 1 FROM candidate_sources WHERE candidate = ?1 AND path = ?2)",
            (one.sighting.key, one.sighting.source.path),
        ).fetchone()
        is not None
        for one in groundings
    }
    record_sightings(connection, [one.sighting for one in groundings])
    rows = {
        (one.claim, one.sighting.source.path): (
            one.claim,
            one.sighting.source.path,
            one.sighting.key,
            adds[one.sighting.key, one.sighting.source.path],
        )
        for one in groundings
    }
    connection.executemany("INSERT OR IGNORE INTO backfilled VALUES (?, ?, ?, ?)", list(rows.values()))
    return [key for _, _, key, _ in rows.values()]


def count_there(connection: apsw.Connection, keys: Sequence[str]) -> int:
    """How many of ``keys`` are those of candidates; one that is named twice counts twice."""
    there = {str(key) for (key,) in connection.execute("SELECT key FROM candidates")}
    return sum(key in there for key in keys)


def drop_grounded(connection: apsw.Connection) -> int:
    """Take back everything that was brought; how many candidates went.

    One that was there before is what it was. One that came so and was of use since stays, with its places.
    """
    connection.execute("DELETE FROM signals WHERE kind = 'grounded'")
    gone = drop_silent(connection)
    connection.execute(
        "DELETE FROM candidate_sources WHERE (candidate, path) IN"
        " (SELECT candidate, path FROM backfilled WHERE adds_place)"
    )
    connection.execute("DELETE FROM backfilled")
    return gone


def forget_sources(connection: apsw.Connection, takes: Callable[[str], bool]) -> None:
    """Drop what is known of having brought anything from the paths that ``takes`` names."""
    paths = [str(path) for (path,) in connection.execute("SELECT DISTINCT path FROM backfilled")]
    gone = [(path,) for path in paths if takes(path)]
    connection.executemany("DELETE FROM backfilled WHERE path = ?", gone)


def forget_brought(connection: apsw.Connection, places: Collection[tuple[str, str]]) -> None:
    """Drop what is known of having brought (candidate, path)."""
    connection.executemany("DELETE FROM backfilled WHERE candidate = ? AND path = ?", places)
