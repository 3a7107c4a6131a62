"""Finding and deleting what the ledger holds of lines that are to be forgotten."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw

from openclaw_memd.domain.forgetting import LineRecord
from openclaw_memd.domain.line_hashes import pack_hashes, unpack_hashes
from openclaw_memd.index.ledger.forgotten_appends import (
    appends_in,
    calls_of,
    delete_appends,
    keys_of,
    observed_in,
    texts_of,
    written_among,
)
from openclaw_memd.index.ledger.instants import from_stamp
from openclaw_memd.index.ledger.lines import raise_revision
from openclaw_memd.index.ledger.scopes import Scope, path_array
from openclaw_memd.index.ledger.spans import drop_sketches


@dataclass(frozen=True, slots=True)
class LedgerCounts:
    """How many rows went, or would go."""

    spans: int = 0
    appends: int = 0
    request_keys: int = 0
    flush_texts: int = 0
    observed_writes: int = 0


def records_of(connection: apsw.Connection, path: str, *, ever: bool = False) -> list[LineRecord]:
    """What is recorded of the lines of a file, oldest first.

    Lines that vanished from it are not counted, unless all that were ``ever`` in it are asked for.
    """
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
            "SELECT hash, iif(?, recorded, recorded - (seen - present)), agent, session_id, recorded_at,"
            " append_id FROM spans WHERE path = ? ORDER BY id",
            (ever, path),
        )
    ]


def last_recorded(connection: apsw.Connection) -> datetime | None:
    """The latest instant that anything was recorded at, which a clock that was set back has not reached."""
    stamp = connection.execute(
        "SELECT max(at) FROM (SELECT max(recorded_at) AS at FROM spans"
        " UNION ALL SELECT max(accepted_at) FROM appends"
        " UNION ALL SELECT max(observed_at) FROM observed_writes)"
    ).get
    return from_stamp(stamp) if isinstance(stamp, str) else None


def paths_in(connection: apsw.Connection, scope: Scope) -> set[str]:
    """The files that lines in ``scope`` were recorded in."""
    return {str(row[1]) for row in _spans_in(connection, scope)}


def count_ledger(
    connection: apsw.Connection, scope: Scope, going: Mapping[str, Collection[bytes]]
) -> LedgerCounts:
    """How many rows ``forget_ledger`` would delete, once the lines with the hashes ``going`` are gone from
    their files and buried.
    """
    found = [*_spans_in(connection, scope, present=True), *_buried_spans(connection, scope)]
    for path, hashes in going.items():
        found += connection.execute(
            "SELECT id, path, hash, append_id FROM spans WHERE path = ?1 AND recorded_at <= ?2"
            " AND hash IN (SELECT value FROM carray(?3)) AND path NOT IN (SELECT value FROM carray(?4))",
            (path, scope.last, apsw.carray(tuple(hashes) or (b"",)), path_array(scope.failed)),
        ).fetchall()
    spans = {row[0]: row for row in found}
    appends = _appends_of(connection, scope, spans.values())
    calls = calls_of(connection, appends)
    return LedgerCounts(
        len(spans),
        len(appends),
        len(keys_of(connection, calls)),
        len(texts_of(connection, calls)),
        len(observed_in(connection, scope)),
    )


def settle_interrupted(connection: apsw.Connection, scope: Scope) -> None:
    """Of a call that was cut off between the files and the ledger, say which of equal lines went.

    Else those that stay would be taken for the ones that were to go.
    """
    for key in scope.sessions:
        rows: list[tuple[Any, ...]] = connection.execute(
            "SELECT s.id FROM session_tombstones AS b"
            " CROSS JOIN spans AS s ON s.agent = b.agent AND s.session_id = b.session_id"
            " CROSS JOIN line_tombstones AS t ON t.path = s.path AND t.hash = s.hash"
            " WHERE b.agent = ? AND b.session_id = ? AND s.recorded_at <= t.forgotten_at",
            key,
        ).fetchall()
        _pass_on_lines(connection, frozenset(span_id for (span_id,) in rows))


def forget_ledger(connection: apsw.Connection, scope: Scope) -> LedgerCounts:
    """Delete what is recorded in ``scope`` and of lines that were buried and are gone from their files.

    It comes last, since the rest is found by it.
    """
    spans = _spans_in(connection, scope)
    _pass_on_lines(connection, frozenset(row[0] for row in spans))
    _delete_spans(connection, spans)
    buried = _buried_spans(connection, scope)  # those that are gone for certain now
    spans += buried
    appends = _appends_of(connection, scope, spans)
    _delete_spans(connection, buried)
    hashes = {bytes(row[2]) for row in spans}
    drop_sketches(connection, hashes)
    calls = calls_of(connection, appends)
    keys, texts = keys_of(connection, calls), texts_of(connection, calls)
    delete_appends(connection, appends)
    observed = observed_in(connection, scope)
    connection.executemany("DELETE FROM observed_writes WHERE id = ?", [(number,) for number in observed])
    _forget_gone_lines(connection)
    if scope.since is None:
        connection.executemany(
            "DELETE FROM flush_cycles WHERE agent = ? AND session_id = ?", sorted(scope.sessions)
        )
    if spans:
        raise_revision(connection)
    return LedgerCounts(len(spans), len(appends), len(keys), len(texts), len(observed))


def _spans_in(connection: apsw.Connection, scope: Scope, *, present: bool = False) -> list[tuple[Any, ...]]:
    """Id, path, hash and append of every record in ``scope``; of whole files those of lines that are gone
    from them, and with ``present`` all.
    """
    found: dict[int, tuple[Any, ...]] = {}

    def add(condition: str, *values: object) -> None:
        rows = connection.execute(
            "SELECT id, path, hash, append_id FROM spans"
            f" WHERE {condition} AND recorded_at BETWEEN ? AND ?"
            " AND path NOT IN (SELECT value FROM carray(?))",
            (*values, scope.first, scope.last, path_array(scope.failed)),
        )
        found.update((row[0], row) for row in rows)

    for key in scope.sessions:
        add("agent = ? AND session_id = ?", *key)
    for path in scope.paths:
        add("path = ? AND (present = 0 OR ?)", path, present)
    if scope.is_everything:
        add("(append_id IS NOT NULL OR agent IS NOT NULL)")
    return list(found.values())


def _buried_spans(connection: apsw.Connection, scope: Scope) -> list[tuple[Any, ...]]:
    """The same of every record of a buried line that is gone from its file."""
    return connection.execute(
        "SELECT s.id, s.path, s.hash, s.append_id FROM line_tombstones AS t"
        " CROSS JOIN spans AS s ON s.path = t.path AND s.hash = t.hash"
        " WHERE s.present = 0 AND s.recorded_at <= t.forgotten_at"
        " AND s.path NOT IN (SELECT value FROM carray(?))",
        (path_array(scope.failed),),
    ).fetchall()


def _appends_of(connection: apsw.Connection, scope: Scope, spans: Iterable[tuple[Any, ...]]) -> set[int]:
    """The appends in ``scope``, and those that nothing is recorded of but ``spans``."""
    ids: dict[int, set[int]] = defaultdict(set)
    for span_id, _, _, append_id in spans:
        if append_id is not None:
            ids[append_id].add(span_id)
    bare = [
        append_id
        for append_id, own in ids.items()
        if own.issuperset(
            number
            for (number,) in connection.execute("SELECT id FROM spans WHERE append_id = ?", (append_id,))
        )
    ]
    return {*appends_in(connection, scope), *written_among(connection, bare)}


def _delete_spans(connection: apsw.Connection, spans: Iterable[tuple[Any, ...]]) -> None:
    connection.executemany("DELETE FROM spans WHERE id = ?", [(row[0],) for row in spans])


def _pass_on_lines(connection: apsw.Connection, spans: Collection[int]) -> None:
    """Nobody could tell which of equal lines in a file went: what is left of them are those of the others."""
    for span_id in spans:
        rows: list[tuple[Any, ...]] = connection.execute(
            "SELECT o.id, o.seen - o.present, s.present FROM spans AS s JOIN spans AS o USING (path, hash)"
            " WHERE s.id = ? AND s.present > 0 AND o.seen > o.present ORDER BY o.id",
            (span_id,),
        ).fetchall()
        left = rows[0][2] if rows else 0
        for other, vanished, _ in rows:
            if other not in spans and left:
                number = min(left, vanished)
                left -= number
                connection.execute("UPDATE spans SET present = present + ? WHERE id = ?", (number, other))
                connection.execute("UPDATE spans SET present = present - ? WHERE id = ?", (number, span_id))


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
