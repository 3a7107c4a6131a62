"""Reading what the ledger knows of candidates, and taking out what is over: functions over a connection."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

import apsw

from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.domain.recall_signals import Signal
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.ledger.signal_rows import CandidateRow, MovedRow, PhaseRow, SourceRow
from openclaw_memd.index.ledger.signals import MOST_SIGNALS


class Cursor(NamedTuple):
    """How many ``lines`` of a part of a session are read, and a hash of them (16 bytes).

    ``stamp`` is that of the part when all of it was; None when more is to be read.
    """

    lines: int
    proof: bytes
    stamp: str | None


def load_candidates(connection: apsw.Connection) -> list[CandidateRow]:
    """Every candidate, by key. A note is named before what was said, what was met first before the rest."""
    sources = _sources(connection)
    signals = _signals(connection)
    phases = {
        key: PhaseRow(light, rem, _instant(last_light), _instant(last_rem), _instant(considered))
        for key, light, rem, last_light, last_rem, considered in connection.execute(
            "SELECT candidate, light_hits, rem_hits, last_light_at, last_rem_at, considered_at"
            " FROM phase_signals"
        )
    }
    rows = connection.execute(
        "SELECT c.key, text, origin, session_kind, writer, promoted_at, rejected_at FROM candidates AS c"
        " LEFT JOIN candidate_verdicts AS v ON v.key = c.key ORDER BY c.key"
    )
    return [
        CandidateRow(
            key,
            text,
            Provenance(Origin(origin), SessionKind(kind), writer),
            tuple(sources[key]),
            tuple(signals[key]),
            phases.get(key, PhaseRow()),
            _instant(promoted_at),
            _instant(rejected_at),
        )
        for key, text, origin, kind, writer, promoted_at, rejected_at in rows
    ]


def known_texts(connection: apsw.Connection) -> dict[str, str]:
    """What every candidate says, by key."""
    return {str(key): str(text) for key, text in connection.execute("SELECT key, text FROM candidates")}


def sources_of(connection: apsw.Connection, keys: Collection[str]) -> list[tuple[str, str]]:
    """The places of these candidates: (key, path)."""
    query = "SELECT candidate, path FROM candidate_sources WHERE candidate = ?"
    return [(str(one), str(path)) for key in keys for one, path in connection.execute(query, (key,))]


def put_texts(connection: apsw.Connection, texts: Mapping[str, str]) -> None:
    """Say what candidates say in other words."""
    connection.executemany(
        "UPDATE candidates SET text = ? WHERE key = ?", [(text, key) for key, text in texts.items()]
    )


def drop_sources(connection: apsw.Connection, sources: Collection[tuple[str, str]]) -> None:
    """Take out places of candidates: (key, path)."""
    connection.executemany("DELETE FROM candidate_sources WHERE candidate = ? AND path = ?", sources)


def move_sources(connection: apsw.Connection, moved: Collection[MovedRow]) -> None:
    """Note where claims stand now; a place that is known there already stays as it is."""
    for key, path, source in ((one.key, one.path, one.source) for one in moved):
        connection.execute(
            "UPDATE OR IGNORE candidate_sources SET path = ?, start_line = ?, end_line = ?, noted_on = ?,"
            " supersedes_key = ?, projects = ? WHERE candidate = ? AND path = ?",
            (
                source.path,
                source.start_line,
                source.end_line,
                None if source.noted_on is None else source.noted_on.isoformat(),
                source.supersedes_key,
                json.dumps(source.projects, ensure_ascii=False),
                key,
                path,
            ),
        )
        connection.execute(
            "UPDATE OR IGNORE backfilled SET path = ? WHERE candidate = ? AND path = ?",
            (source.path, key, path),
        )


def drop_homeless(connection: apsw.Connection, *, verdicts: bool = False) -> int:
    """Take out the candidates that stand nowhere any more; with ``verdicts`` what became of them too.

    How many went.
    """
    rows: list[tuple[Any, ...]] = connection.execute(
        "DELETE FROM candidates WHERE NOT EXISTS"
        " (SELECT 1 FROM candidate_sources WHERE candidate = candidates.key) RETURNING key"
    ).fetchall()
    if verdicts:
        connection.executemany("DELETE FROM candidate_verdicts WHERE key = ?", rows)
    return len(rows)


def drop_sessions(
    connection: apsw.Connection, sessions: Collection[SessionKey] | None, since: datetime | None
) -> int:
    """Take out the signals of these sessions, whatever they are of, from ``since`` on; how many.

    None stands for all sessions, and for ever.
    """
    count = 0
    for condition, values in _of_sessions(sessions, since):
        connection.execute(f"DELETE FROM signals WHERE {condition}", values)
        count += connection.changes()
    return count


def count_sessions(
    connection: apsw.Connection, sessions: Collection[SessionKey] | None, since: datetime | None
) -> int:
    """How many signals ``drop_sessions`` would take out."""
    return sum(
        int(row[0])
        for condition, values in _of_sessions(sessions, since)
        for row in connection.execute(f"SELECT count(*) FROM signals WHERE {condition}", values)
    )


def _of_sessions(
    sessions: Collection[SessionKey] | None, since: datetime | None
) -> list[tuple[str, tuple[str, ...]]]:
    first = "" if since is None else to_stamp(since)
    if sessions is None:
        return [("at >= ?", (first,))]
    return [("agent = ? AND session_id = ? AND at >= ?", (*key, first)) for key in sessions]


def drop_silent(connection: apsw.Connection) -> int:
    """Take out the candidates that no signal is left of; how many."""
    connection.execute(
        "DELETE FROM candidates WHERE NOT EXISTS (SELECT 1 FROM signals WHERE candidate = candidates.key)"
    )
    return connection.changes()


def prune_signals(connection: apsw.Connection, now: datetime, most: int) -> int:
    """Delete up to ``most`` signals beyond the newest of each candidate; how many went."""
    del now
    connection.execute(
        "DELETE FROM signals WHERE (candidate, kind, question, agent, session_id, day) IN"
        " (SELECT candidate, kind, question, agent, session_id, day FROM"
        " (SELECT *, row_number() OVER (PARTITION BY candidate ORDER BY at DESC) AS number FROM signals)"
        " WHERE number > ? LIMIT ?)",
        (MOST_SIGNALS, most),
    )
    return connection.changes()


def read_cursors(connection: apsw.Connection) -> dict[str, Cursor]:
    """How far each part of a session is read, by path."""
    rows = connection.execute("SELECT path, lines, proof, stamp FROM session_cursors")
    return {path: Cursor(lines, bytes(proof), stamp) for path, lines, proof, stamp in rows}


def put_cursors(connection: apsw.Connection, cursors: Mapping[str, Cursor]) -> None:
    """Note how far parts of sessions are read."""
    connection.executemany(
        "INSERT OR REPLACE INTO session_cursors (path, lines, proof, stamp) VALUES (?, ?, ?, ?)",
        [(path, *cursor) for path, cursor in cursors.items()],
    )


def keep_cursors(connection: apsw.Connection, paths: Collection[str]) -> None:
    """Forget how far all other parts were read."""
    connection.execute(
        "DELETE FROM session_cursors WHERE path NOT IN (SELECT value FROM carray(?))",
        (apsw.carray(tuple(paths) or ("",)),),
    )


def _sources(connection: apsw.Connection) -> Mapping[str, list[SourceRow]]:
    found: dict[str, list[SourceRow]] = defaultdict(list)
    rows = connection.execute(
        "SELECT candidate, path, start_line, end_line, is_session, noted_on, supersedes_key, projects"
        " FROM candidate_sources ORDER BY candidate, is_session, first_at, path"
    )
    for key, path, start, end, is_session, noted_on, supersedes_key, projects in rows:
        day = None if noted_on is None else date.fromisoformat(noted_on)
        row = SourceRow(path, start, end, bool(is_session), day, supersedes_key, tuple(json.loads(projects)))
        found[key].append(row)
    return found


def _signals(connection: apsw.Connection) -> Mapping[str, list[Signal]]:
    found: dict[str, list[Signal]] = defaultdict(list)
    rows = connection.execute(
        "SELECT candidate, kind, question, agent, session_id, day, score, at FROM signals ORDER BY at"
    )
    for key, kind, question, agent, session_id, day, score, at in rows:
        found[key].append(
            Signal(
                kind,
                bytes(question),
                (agent, session_id),
                date.fromisoformat(day),
                score,
                from_stamp(at),
            )
        )
    return found


def _instant(stamp: str | None) -> datetime | None:
    return None if stamp is None else from_stamp(stamp)
