"""Recording claims that were of use: plain functions over a connection, in an open transaction."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, Literal

import apsw

from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind, is_trusted, join
from openclaw_memd.index.ledger.instants import to_stamp
from openclaw_memd.index.ledger.signal_rows import Sighting

MOST_CANDIDATES: Final = 512  # OpenClaw's value
MOST_SIGNALS: Final = 256
"""So many signals of one candidate are kept, the newest; scores are saturated long before."""

MOST_VERDICTS: Final = 8192

_EXCESS: Final = """
SELECT c.key FROM candidates AS c LEFT JOIN (
  SELECT candidate, max(at) AS last_at, count(*) AS number, sum(score) AS total, max(score) AS best,
    max(kind = 'recall')
      OR count(DISTINCT session_id) FILTER (WHERE kind = 'said') > 1 AS is_recalled
  FROM signals GROUP BY candidate
) AS s ON s.candidate = c.key LEFT JOIN candidate_verdicts AS v ON v.key = c.key
ORDER BY c.trusted DESC, coalesce(s.is_recalled, 0) DESC, coalesce(s.last_at, '') DESC,
  coalesce(s.number, 0) DESC, coalesce(s.total, 0) DESC, coalesce(s.best, 0) DESC,
  coalesce(v.promoted_at, '') DESC, c.key
LIMIT -1 OFFSET ?
"""

Phase = Literal["light", "rem"]


def record_sightings(
    connection: apsw.Connection, sightings: Sequence[Sighting], *, most: int = MOST_CANDIDATES
) -> None:
    """Take note of each sighting; one that was noted before changes no counts and no scores.

    Of more than ``most`` candidates those go that are worth the least: first what nobody vouches for, then
    what nobody asked for and no second session said, then what was of use longest ago. So what old notes
    bring never takes a place from what was asked for.
    """
    for sighting in sightings:
        _put_candidate(connection, sighting)
        _put_source(connection, sighting)
        if sighting.signal.kind != "grounded":
            _own_place(connection, sighting)
        _put_signal(connection, sighting)
    count = connection.execute("SELECT count(*) FROM candidates").get
    if isinstance(count, int) and count > most:
        excess = connection.execute(_EXCESS, (most,)).fetchall()
        drop_candidates(connection, [str(key) for (key,) in excess])


def drop_candidates(connection: apsw.Connection, keys: Collection[str]) -> int:
    """Take candidates out with everything of them but what became of them; how many."""
    connection.executemany("DELETE FROM candidates WHERE key = ?", [(key,) for key in keys])
    return len(keys)


def mark_promoted(connection: apsw.Connection, keys: Collection[str], at: datetime) -> None:
    """Note that these claims are in the curated files since ``at``."""
    _put_verdicts(connection, "promoted_at", keys, at)


def mark_rejected(connection: apsw.Connection, keys: Collection[str], at: datetime) -> None:
    """Note that the owner does not want these claims."""
    _put_verdicts(connection, "rejected_at", keys, at)


def stage(connection: apsw.Connection, phase: Phase, keys: Collection[str], at: datetime) -> None:
    """Count a hit of a phase for each of the candidates that are still there; at most 9 999."""
    connection.executemany(
        f"INSERT INTO phase_signals (candidate, {phase}_hits, last_{phase}_at)"
        " SELECT key, 1, ?2 FROM candidates WHERE key = ?1"
        f" ON CONFLICT (candidate) DO UPDATE SET {phase}_hits = min({phase}_hits + 1, 9999),"
        f" last_{phase}_at = excluded.last_{phase}_at",
        [(key, to_stamp(at)) for key in keys],
    )


def mark_considered(connection: apsw.Connection, keys: Collection[str], at: datetime) -> None:
    """Note that REM looked at the candidates."""
    connection.executemany(
        "INSERT INTO phase_signals (candidate, considered_at) SELECT key, ?2 FROM candidates WHERE key = ?1"
        " ON CONFLICT (candidate) DO UPDATE SET considered_at = excluded.considered_at",
        [(key, to_stamp(at)) for key in keys],
    )


def prune_verdicts(connection: apsw.Connection, now: datetime, most: int) -> int:
    """Delete up to ``most`` of the oldest verdicts beyond those that are kept; how many went."""
    del now
    connection.execute(
        "DELETE FROM candidate_verdicts WHERE key IN (SELECT key FROM candidate_verdicts"
        " ORDER BY max(coalesce(promoted_at, ''), coalesce(rejected_at, '')) DESC, key LIMIT ? OFFSET ?)",
        (most, MOST_VERDICTS),
    )
    return connection.changes()


def _put_candidate(connection: apsw.Connection, sighting: Sighting) -> None:
    """A new candidate, or one whose provenance falls to what the two have in common.

    What old notes say again changes nothing of who is behind it, so that it can be taken back.
    """
    row = connection.execute(
        "SELECT origin, session_kind, writer FROM candidates WHERE key = ?", (sighting.key,)
    ).fetchone()
    met = sighting.provenance
    if row is None:
        connection.execute(
            "INSERT INTO candidates (key, text, origin, session_kind, writer, trusted, first_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                sighting.key,
                sighting.text,
                met.origin.value,
                met.session_kind.value,
                met.writer,
                is_trusted(met.origin),
                to_stamp(sighting.signal.at),
            ),
        )
        return
    if sighting.signal.kind == "grounded":
        return
    known = Provenance(Origin(row[0]), SessionKind(row[1]), row[2])
    joined = join_provenance(known, met)
    if joined != known:
        connection.execute(
            "UPDATE candidates SET origin = ?, session_kind = ?, writer = ? WHERE key = ?",
            (joined.origin.value, joined.session_kind.value, joined.writer, sighting.key),
        )


def join_provenance(one: Provenance, other: Provenance) -> Provenance:
    """The less trusted origin; the kind of session and the conversation only where both have the same."""
    return Provenance(
        join(one.origin, other.origin),
        one.session_kind if one.session_kind is other.session_kind else SessionKind.UNKNOWN,
        one.writer if one.writer == other.writer else None,
    )


def _put_source(connection: apsw.Connection, sighting: Sighting) -> None:
    """Note where the claim stands now. What old notes bring changes no place that is known."""
    source = sighting.source
    moved = (
        "NOTHING"
        if sighting.signal.kind == "grounded"
        else "UPDATE SET start_line = excluded.start_line, end_line = excluded.end_line, noted_on ="
        " excluded.noted_on, supersedes_key = excluded.supersedes_key, projects = excluded.projects"
    )
    connection.execute(
        "INSERT INTO candidate_sources (candidate, path, start_line, end_line, is_session, noted_on,"
        " supersedes_key, projects, first_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        f" ON CONFLICT (candidate, path) DO {moved}",
        (
            sighting.key,
            source.path,
            source.start_line,
            source.end_line,
            source.is_session,
            None if source.noted_on is None else source.noted_on.isoformat(),
            source.supersedes_key,
            json.dumps(source.projects, ensure_ascii=False),
            to_stamp(sighting.signal.at),
        ),
    )


def _own_place(connection: apsw.Connection, sighting: Sighting) -> None:
    """Note that a candidate stands there whoever looked through old notes."""
    connection.execute(
        "UPDATE backfilled SET adds_place = 0 WHERE candidate = ? AND path = ?",
        (sighting.key, sighting.source.path),
    )


def _put_signal(connection: apsw.Connection, sighting: Sighting) -> None:
    signal = sighting.signal
    connection.execute(
        "INSERT OR IGNORE INTO signals (candidate, kind, question, agent, session_id, day, score, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            sighting.key,
            signal.kind,
            signal.question,
            *signal.session,
            signal.day.isoformat(),
            min(1.0, max(0.0, signal.score)),
            to_stamp(signal.at),
        ),
    )


def _put_verdicts(connection: apsw.Connection, column: str, keys: Collection[str], at: datetime) -> None:
    connection.executemany(
        f"INSERT INTO candidate_verdicts (key, {column}) VALUES (?, ?)"
        f" ON CONFLICT (key) DO UPDATE SET {column} = excluded.{column}",
        [(key, to_stamp(at)) for key in keys],
    )
