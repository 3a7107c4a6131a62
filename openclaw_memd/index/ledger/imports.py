"""What was brought in from elsewhere, file by file: the receipt of an import, and what an undo goes by."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import apsw

from openclaw_memd.index.ledger.instants import from_stamp, to_stamp

ImportState = Literal["begun", "done", "undoing", "undone"]
FileState = Literal["planned", "copied", "left", "restored", "kept"]


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One import. ``origin`` is the folder that it came from, ``backup`` the one of what it replaced.

    ``report`` is JSON.
    """

    id: str
    source: str
    origin: str
    replaces: bool
    at: datetime
    state: ImportState
    backup: str | None
    report: str


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One file of an import: ``hash`` is of what is brought in, ``before`` of what had the place, if any."""

    path: str
    hash: bytes
    before: bytes | None
    bytes: int
    state: FileState = "planned"


def begin_import(connection: apsw.Connection, row: ImportRow, files: Iterable[ImportedFile]) -> None:
    """Say what will be written, before any of it is; an import that was cut off may be gone on with."""
    connection.execute(
        "INSERT INTO imports (id, source, origin, replaces, at, state, backup, report)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET backup = excluded.backup",
        (
            row.id,
            row.source,
            row.origin,
            row.replaces,
            to_stamp(row.at),
            row.state,
            row.backup,
            row.report,
        ),
    )
    connection.executemany(
        "INSERT INTO import_files (import_id, path, hash, before, bytes, state) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (import_id, path) DO UPDATE SET hash = excluded.hash, before = excluded.before,"
        " bytes = excluded.bytes, state = excluded.state",
        ((row.id, one.path, one.hash, one.before, one.bytes, one.state) for one in files),
    )


def set_state(
    connection: apsw.Connection, import_id: str, state: ImportState, report: str | None = None
) -> None:
    """Say how far an import is."""
    connection.execute(
        "UPDATE imports SET state = ?, report = coalesce(?, report) WHERE id = ?", (state, report, import_id)
    )


def mark_files(connection: apsw.Connection, import_id: str, marks: Sequence[tuple[str, FileState]]) -> None:
    """Say what became of files, by (path, state)."""
    connection.executemany(
        "UPDATE import_files SET state = ? WHERE import_id = ? AND path = ?",
        [(state, import_id, path) for path, state in marks],
    )


def load_import(connection: apsw.Connection, import_id: str) -> ImportRow | None:
    """One import; None when there is none of this id."""
    found = _select(connection, "WHERE id = ?", (import_id,))
    return found[0] if found else None


def unfinished_imports(connection: apsw.Connection) -> list[ImportRow]:
    """Those that were cut off, or run, oldest first."""
    return _select(connection, "WHERE state IN ('begun', 'undoing') ORDER BY at, id", ())


def list_imports(connection: apsw.Connection, limit: int) -> list[ImportRow]:
    """The last ones, the newest first."""
    return _select(connection, "ORDER BY at DESC, id DESC LIMIT ?", (limit,))


def files_of(connection: apsw.Connection, import_id: str) -> list[ImportedFile]:
    """The files of one import, by path."""
    rows = connection.execute(
        "SELECT path, hash, before, bytes, state FROM import_files WHERE import_id = ? ORDER BY path",
        (import_id,),
    )
    return [
        ImportedFile(path, bytes(line), None if before is None else bytes(before), size, state)
        for path, line, before, size, state in rows
    ]


def imported_among(connection: apsw.Connection, paths: Collection[str]) -> dict[str, bool]:
    """Those of ``paths`` that an import wrote, and whether it replaced something there."""
    rows = connection.execute(
        "SELECT path, max(before IS NOT NULL) FROM import_files"
        " WHERE path IN (SELECT value FROM json_each(?)) AND state <> 'planned' GROUP BY path ORDER BY path",
        (json.dumps(sorted(paths)),),
    )
    return {str(path): bool(replaced) for path, replaced in rows}


def _select(connection: apsw.Connection, where: str, values: tuple[str | int, ...]) -> list[ImportRow]:
    rows = connection.execute(
        "SELECT id, source, origin, replaces, at, state, backup, report FROM imports " + where,
        values,
    )
    return [
        ImportRow(number, source, origin, bool(replaces), from_stamp(at), state, backup, report)
        for number, source, origin, replaces, at, state, backup, report in rows
    ]
