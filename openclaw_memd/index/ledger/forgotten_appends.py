"""Finding and deleting texts that were accepted for notes, and what calls are answered with for them."""

import json
from collections.abc import Callable, Collection, Iterable
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

    def find(add: Callable[..., None]) -> None:
        for key in scope.sessions:
            add("agent = ? AND session_id = ? AND state = 'written'", *key)
        for path in scope.paths:
            add("path = ? AND state = 'written'", path)
        if scope.is_everything:
            add("state = 'written'")

    return _ids_in(connection, scope, "appends", "accepted_at", find)


def observed_in(connection: apsw.Connection, scope: Scope) -> list[int]:
    """Reported writes."""

    def find(add: Callable[..., None]) -> None:
        for key in scope.sessions:
            add("agent = ? AND session_id = ?", *key)
        for path in scope.paths:
            add("path = ?", path)
        if scope.is_everything:
            add("1")

    return _ids_in(connection, scope, "observed_writes", "observed_at", find)


def _ids_in(
    connection: apsw.Connection,
    scope: Scope,
    table: str,
    instant: str,
    find: Callable[[Callable[..., None]], None],
) -> list[int]:
    found: set[int] = set()

    def add(condition: str, *values: object) -> None:
        rows = connection.execute(
            f"SELECT id FROM {table} WHERE {condition} AND {instant} BETWEEN ? AND ?"
            " AND path NOT IN (SELECT value FROM carray(?))",
            (*values, scope.first, scope.last, path_array(scope.failed)),
        )
        found.update(int(number) for (number,) in rows)

    find(add)
    return sorted(found)


def written_among(connection: apsw.Connection, ids: Iterable[int]) -> list[int]:
    """Those of ``ids`` whose texts are written."""
    query = "SELECT 1 FROM appends WHERE id = ? AND state = 'written'"
    return [number for number in ids if connection.execute(query, (number,)).fetchone()]


def calls_of(connection: apsw.Connection, appends: Iterable[int]) -> set[int | None]:
    """The calls that these texts came with."""
    query = "SELECT call FROM appends WHERE id = ?"
    rows = [connection.execute(query, (number,)).fetchone() for number in appends]
    return {int(row[0]) for row in rows if row is not None}


def keys_of(connection: apsw.Connection, calls: Collection[int | None]) -> list[tuple[str, str, str]]:
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


def texts_of(connection: apsw.Connection, calls: Iterable[int | None]) -> list[tuple[int, str]]:
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
