"""Finding and deleting what the ledger holds of text that is to be forgotten."""

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw

from openclaw_memd.domain.forgetting import LineRecord
from openclaw_memd.domain.line_hashes import pack_hashes, unpack_hashes
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp
from openclaw_memd.index.ledger.lines import raise_revision
from openclaw_memd.index.ledger.session_rows import Session, SessionKey

_EARLIEST = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to go of what was recorded between ``since`` (None: ever) and ``until``.

    ``sessions`` are what these sessions wrote; ``paths`` whole files; ``is_everything`` stands for all that
    any call wrote or reported. Files in ``failed`` could not be changed: what is known of them stays.
    """

    sessions: frozenset[SessionKey]
    paths: frozenset[str]
    is_everything: bool
    since: datetime | None
    until: datetime
    failed: frozenset[str] = frozenset()

    @property
    def first(self) -> str:
        """The least stamp."""
        return _EARLIEST if self.since is None else to_stamp(self.since)

    @property
    def last(self) -> str:
        """The greatest stamp."""
        return to_stamp(self.until)


@dataclass(frozen=True, slots=True)
class LedgerCounts:
    """How many rows went, or would go."""

    spans: int = 0
    appends: int = 0
    request_keys: int = 0
    flush_texts: int = 0
    observed_writes: int = 0


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """An accepted text that is not in its note yet."""

    id: int
    session: SessionKey | None
    path: str
    text: str
    accepted_at: datetime


def records_of(connection: apsw.Connection, path: str) -> list[LineRecord]:
    """What is recorded of the lines of a file, oldest first. Lines that vanished from it are not counted."""
    return [
        LineRecord(
            line_hash,
            count,
            None if agent is None or session_id is None else (agent, session_id),
            from_stamp(recorded_at),
            is_told=append_id is not None or agent is not None,
            is_own=append_id is not None,
        )
        for line_hash, count, agent, session_id, recorded_at, append_id in connection.execute(
            "SELECT hash, recorded - (seen - present), agent, session_id, recorded_at, append_id FROM spans"
            " WHERE path = ? ORDER BY id",
            (path,),
        )
    ]


def paths_in(connection: apsw.Connection, scope: Scope) -> set[str]:
    """The files that lines in ``scope`` were recorded in."""
    return {str(row[1]) for row in _spans_in(connection, scope)}


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
        _delete_appends(connection, [append_id])


def count_ledger(connection: apsw.Connection, scope: Scope) -> LedgerCounts:
    """How many rows ``forget_ledger`` would delete; what it finds by tombstones is not counted."""
    spans = _spans_in(connection, scope)
    appends = _appends_in(connection, scope)
    calls = _calls_of(connection, appends)
    return LedgerCounts(
        len(spans),
        len(appends),
        len(_keys_of(connection, calls)),
        len(_texts_of(connection, calls)),
        len(_observed_in(connection, scope)),
    )


def forget_ledger(connection: apsw.Connection, scope: Scope) -> LedgerCounts:
    """Delete what is recorded in ``scope`` and of lines that were buried and are gone from their files.

    It comes last, since the rest is found by it.
    """
    buried = connection.execute(
        "SELECT s.id, s.path, s.hash, s.append_id FROM line_tombstones AS t"
        " CROSS JOIN spans AS s ON s.path = t.path AND s.hash = t.hash"
        " WHERE s.present = 0 AND s.recorded_at <= t.forgotten_at"
        " AND s.path NOT IN (SELECT value FROM carray(?))",
        (_array(scope.failed),),
    ).fetchall()
    spans = {row[0]: row for row in (*_spans_in(connection, scope), *buried)}
    connection.executemany("DELETE FROM spans WHERE id = ?", [(span_id,) for span_id in spans])
    hashes = {bytes(row[2]) for row in spans.values()}
    connection.executemany(
        "DELETE FROM sketches WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM spans WHERE hash = ?1)",
        [(line_hash,) for line_hash in hashes],
    )
    bare = [
        append_id
        for append_id in {row[3] for row in spans.values() if row[3] is not None}
        if not connection.execute("SELECT EXISTS (SELECT 1 FROM spans WHERE append_id = ?)", (append_id,)).get
    ]
    appends = {*_appends_in(connection, scope), *_written(connection, bare)}
    calls = _calls_of(connection, appends)
    keys, texts = _keys_of(connection, calls), _texts_of(connection, calls)
    _delete_appends(connection, appends)
    observed = _observed_in(connection, scope)
    connection.executemany("DELETE FROM observed_writes WHERE id = ?", [(number,) for number in observed])
    _forget_gone_lines(connection)
    if scope.since is None:
        connection.executemany(
            "DELETE FROM flush_cycles WHERE agent = ? AND session_id = ?", sorted(scope.sessions)
        )
    if spans:
        raise_revision(connection)
    return LedgerCounts(len(spans), len(appends), len(keys), len(texts), len(observed))


def blank_session(connection: apsw.Connection, key: SessionKey, excluded: str) -> None:
    """Delete everything that was said in a session. That it is there, and its turn, stay."""
    row_id = _session_id(connection, key)
    if row_id is not None:
        for table in ("texts", "parts", "messages", "places", "exclusions"):
            connection.execute(f"DELETE FROM session_{table} WHERE session = ?", (row_id,))
        connection.execute(
            "UPDATE sessions SET kept = 0, turn_asker = NULL, excluded = ? WHERE id = ?", (excluded, row_id)
        )


def drop_messages(
    connection: apsw.Connection, before: Session, after: Session, numbers: Collection[int], reason: str
) -> None:
    """Delete what was said in the messages with these ``numbers``; ``after`` is the session without it."""
    row_id = _session_id(connection, before.key)
    connection.executemany(
        "DELETE FROM session_texts WHERE session = ? AND seq = ?", [(row_id, number) for number in numbers]
    )
    connection.executemany(
        "UPDATE session_messages SET skipped = ?, sender = NULL WHERE session = ? AND seq = ?",
        [(reason, row_id, number) for number in numbers],
    )
    connection.execute("UPDATE sessions SET kept = ? WHERE id = ?", (after.kept, row_id))
    left = {part.number: part for part in after.parts}
    for part in before.parts:
        if (now := left.get(part.number)) is None:
            connection.execute(
                "DELETE FROM session_parts WHERE session = ? AND part = ?", (row_id, part.number)
            )
        elif now != part:
            connection.execute(
                "UPDATE session_parts SET bytes = ?, fingerprint = ? WHERE session = ? AND part = ?",
                (now.bytes, now.fingerprint, row_id, part.number),
            )


def message_ids(connection: apsw.Connection, key: SessionKey, numbers: Iterable[int]) -> list[str]:
    """The ids that the host gave to messages."""
    row_id = _session_id(connection, key)
    query = "SELECT id FROM session_messages WHERE session = ? AND seq = ?"
    rows = [connection.execute(query, (row_id, number)).fetchone() for number in numbers]
    return [str(row[0]) for row in rows if row is not None]


def transcripts_of(connection: apsw.Connection, keys: Iterable[SessionKey]) -> list[str]:
    """The transcript files that sessions come from, relative to their folders."""
    query = "SELECT path FROM transcript_sessions WHERE agent = ? AND session_id = ?"
    rows = [connection.execute(query, key).fetchone() for key in keys]
    return sorted({str(row[0]) for row in rows if row is not None})


def _session_id(connection: apsw.Connection, key: SessionKey) -> int | None:
    row = connection.execute("SELECT id FROM sessions WHERE agent = ? AND session_id = ?", key).fetchone()
    return None if row is None else int(row[0])


def _spans_in(connection: apsw.Connection, scope: Scope) -> list[tuple[Any, ...]]:
    """Id, path, hash and append of every record in ``scope``."""
    found: dict[int, tuple[Any, ...]] = {}

    def add(condition: str, *values: object) -> None:
        rows = connection.execute(
            "SELECT id, path, hash, append_id FROM spans"
            f" WHERE {condition} AND recorded_at BETWEEN ? AND ?"
            " AND path NOT IN (SELECT value FROM carray(?))",
            (*values, scope.first, scope.last, _array(scope.failed)),
        )
        found.update((row[0], row) for row in rows)

    for key in scope.sessions:
        add("agent = ? AND session_id = ?", *key)
    for path in scope.paths:
        add("path = ? AND present = 0", path)
    if scope.is_everything:
        add("(append_id IS NOT NULL OR agent IS NOT NULL)")
    return list(found.values())


def _appends_in(connection: apsw.Connection, scope: Scope) -> list[int]:
    """Calls whose texts are written; those that wait are looked through one by one."""

    def find(add: Callable[..., None]) -> None:
        for key in scope.sessions:
            add("agent = ? AND session_id = ? AND state = 'written'", *key)
        for path in scope.paths:
            add("path = ? AND state = 'written'", path)
        if scope.is_everything:
            add("state = 'written'")

    return _ids_in(connection, scope, "appends", "accepted_at", find)


def _observed_in(connection: apsw.Connection, scope: Scope) -> list[int]:
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
            (*values, scope.first, scope.last, _array(scope.failed)),
        )
        found.update(int(number) for (number,) in rows)

    find(add)
    return sorted(found)


def _written(connection: apsw.Connection, ids: Iterable[int]) -> list[int]:
    query = "SELECT 1 FROM appends WHERE id = ? AND state = 'written'"
    return [number for number in ids if connection.execute(query, (number,)).fetchone()]


def _calls_of(connection: apsw.Connection, appends: Iterable[int]) -> set[int | None]:
    query = "SELECT call FROM appends WHERE id = ?"
    rows = [connection.execute(query, (number,)).fetchone() for number in appends]
    return {int(row[0]) for row in rows if row is not None}


def _keys_of(connection: apsw.Connection, calls: Collection[int | None]) -> list[tuple[str, str, str]]:
    """Request keys that are answered with what became of a call."""
    rows = connection.execute(
        "SELECT agent, method, key, answer FROM request_keys"
        " WHERE method IN ('note.append', 'flush.append', 'session.end')"
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


def _texts_of(connection: apsw.Connection, calls: Iterable[int | None]) -> list[tuple[int, str]]:
    query = "SELECT cycle, text_hash FROM flush_texts WHERE call = ?"
    return [
        (int(cycle), str(text_hash))
        for call in calls
        for cycle, text_hash in connection.execute(query, (call,)).fetchall()
    ]


def _delete_appends(connection: apsw.Connection, ids: Collection[int]) -> None:
    """Delete accepted texts, and what repeated calls would be answered with for them."""
    calls = _calls_of(connection, ids)
    connection.executemany(
        "DELETE FROM request_keys WHERE agent = ? AND method = ? AND key = ?", _keys_of(connection, calls)
    )
    connection.executemany(
        "DELETE FROM flush_texts WHERE cycle = ? AND text_hash = ?", _texts_of(connection, calls)
    )
    connection.executemany("DELETE FROM appends WHERE id = ?", [(number,) for number in ids])


def _forget_gone_lines(connection: apsw.Connection) -> None:
    """A buried line is no line that a file once had by hand."""
    rows: list[tuple[Any, ...]] = connection.execute(
        "SELECT path, gone FROM file_lines WHERE length(gone) > 0"
        " AND path IN (SELECT path FROM line_tombstones)"
    ).fetchall()
    for path, gone in rows:
        buried = {
            bytes(found)
            for (found,) in connection.execute("SELECT hash FROM line_tombstones WHERE path = ?", (path,))
        }
        left = [line_hash for line_hash in unpack_hashes(gone) if line_hash not in buried]
        connection.execute("UPDATE file_lines SET gone = ? WHERE path = ?", (pack_hashes(left), path))
    connection.execute(
        "DELETE FROM file_lines WHERE length(hashes) = 0 AND length(gone) = 0"
        " AND path IN (SELECT path FROM line_tombstones)"
    )


def _array(values: Collection[str]) -> Any:
    return apsw.carray(tuple(values) or ("",))
