"""Finding and deleting texts that were accepted for notes, and what calls are answered with for them."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

import apsw

from openclaw_memd.index.ledger.instants import from_stamp
from openclaw_memd.index.ledger.scopes import Scope, path_array
from openclaw_memd.index.ledger.session_rows import SessionKey


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """An accepted text that is not in its note yet."""

    id: int
    session: SessionKey | None
    path: str
    text: str
    accepted_at: datetime


def load_waiting(connection: apsw.Connection) -> list[WaitingRow]:
    """Every accepted text that is not in its note."""
    return [
        WaitingRow(
            append_id,
            None if session_id is None else SessionKey(agent, session_id),
            path,
            text,
            from_stamp(accepted_at),
        )
        for append_id, agent, session_id, path, text, accepted_at in connection.execute(
            "SELECT id, agent, session_id, path, text, accepted_at FROM appends"
            " WHERE state <> 'written' ORDER BY id"
        )
    ]


def replace_waiting(connection: apsw.Connection, append_id: int, text: str, text_hash: str) -> None:
    """Put another text in the place of one that waits; "" takes it out."""
    if text:
        connection.execute(
            "UPDATE appends SET text = ?, text_hash = ? WHERE id = ?", (text, text_hash, append_id)
        )
    else:
        delete_appends(connection, [append_id])


def appends_in(connection: apsw.Connection, scope: Scope) -> list[int]:
    """Calls whose texts are written; those that wait are looked through one by one."""
    return _ids_in(connection, scope, "appends", "accepted_at", "state = 'written'")


def observed_in(connection: apsw.Connection, scope: Scope) -> list[int]:
    """Reported writes."""
    return _ids_in(connection, scope, "observed_writes", "observed_at", "true")


def _ids_in(connection: apsw.Connection, scope: Scope, table: str, instant: str, condition: str) -> list[int]:
    query = (
        f"SELECT id FROM {table} WHERE {{}} AND {condition} AND {instant} BETWEEN ? AND ?"
        " AND path NOT IN (SELECT value FROM carray(?))"
    )
    wanted: list[tuple[str, tuple[str, ...]]] = [
        *(("agent = ? AND session_id = ?", tuple(key)) for key in scope.sessions),
        *(("path = ?", (path,)) for path in scope.paths),
        *([("true", ())] if scope.is_everything else []),
    ]
    rest = (scope.first, scope.last, path_array(scope.failed))
    return sorted(
        {
            number
            for which, values in wanted
            for (number,) in connection.execute(query.format(which), (*values, *rest))
        }
    )


def written_among(connection: apsw.Connection, ids: Iterable[int]) -> list[int]:
    """Those of ``ids`` whose texts are written."""
    query = "SELECT 1 FROM appends WHERE id = ? AND state = 'written'"
    return [number for number in ids if connection.execute(query, (number,)).fetchone()]


def calls_of(connection: apsw.Connection, appends: Iterable[int]) -> set[int]:
    """The calls that these texts came with."""
    query = "SELECT call FROM appends WHERE id = ?"
    rows = [connection.execute(query, (number,)).fetchone() for number in appends]
    return {int(row[0]) for row in rows if row is not None}


def keys_of(connection: apsw.Connection, calls: Collection[int]) -> list[tuple[str, str, str]]:
    """Request keys that are answered with what became of a call."""
    rows = connection.execute(
        "SELECT agent, method, key, answer FROM request_keys"
        " WHERE method IN ('note.append', 'flush.append', 'session.capture')"
    ).fetchall()
    return [
        (str(agent), str(method), str(key))
        for agent, method, key, answer in rows
        if _call_in(str(answer)) in calls
    ]


def _call_in(answer: str) -> int | None:
    try:
        found = json.loads(answer)["call"]
    except (ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, int) else None


def texts_of(connection: apsw.Connection, calls: Iterable[int]) -> list[tuple[int, str]]:
    """What was flushed by a call, as cycles and hashes of texts."""
    query = "SELECT cycle, text_hash FROM flush_texts WHERE call = ?"
    return [
        (cycle, str(text_hash))
        for call in calls
        for cycle, text_hash in connection.execute(query, (call,)).fetchall()
        if isinstance(cycle, int)
    ]


def delete_appends(connection: apsw.Connection, ids: Collection[int]) -> None:
    """Delete accepted texts, and what repeated calls would be answered with for them."""
    calls = calls_of(connection, ids)
    connection.executemany(
        "DELETE FROM request_keys WHERE agent = ? AND method = ? AND key = ?", keys_of(connection, calls)
    )
    connection.executemany(
        "DELETE FROM flush_texts WHERE cycle = ? AND text_hash = ?", texts_of(connection, calls)
    )
    connection.executemany("DELETE FROM appends WHERE id = ?", [(number,) for number in ids])
