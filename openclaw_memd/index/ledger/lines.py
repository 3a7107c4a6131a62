"""What the ledger holds of files: their lines as they were last attributed."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from openclaw_memd.domain.attribution import KnownLines, Run
from openclaw_memd.domain.line_hashes import pack_hashes, unpack_hashes
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, Provenance, SessionKind

_to_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # made once: quicker

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class FileLines:
    """A file as it was last attributed.

    ``content_hash`` is SHA-256 of its bytes, ``before_hash`` the one before; ``changed`` are [first, last]
    indexes of the lines that this change alone explains. ``last_report`` is the id of the newest report of a
    write of the file that was taken into account.
    """

    path: str
    before_hash: bytes | None
    content_hash: bytes | None
    lines: KnownLines
    changed: Ranges
    last_report: int


def read_revision(connection: apsw.Connection) -> int:
    """A number that grows with each change of what the ledger says of lines."""
    number = connection.execute("SELECT number FROM line_revision").get
    assert isinstance(number, int)
    return number


def raise_revision(connection: apsw.Connection) -> None:
    """Note that what the ledger says of lines changed."""
    connection.execute("UPDATE line_revision SET number = number + 1")


def read_files(connection: apsw.Connection, paths: Collection[str]) -> dict[str, FileLines]:
    """The files that were attributed before, by path."""
    rows = connection.execute(
        "SELECT path, before_hash, content_hash, hashes, runs, gone, changed, last_report"
        " FROM carray(?) AS wanted CROSS JOIN file_lines AS f ON f.path = wanted.value",
        (apsw.carray(tuple(paths)),),
    )
    return {row[0]: _file(row) for row in rows}


def write_file(connection: apsw.Connection, file: FileLines) -> None:
    """Remember how a file was attributed."""
    connection.execute(
        "INSERT OR REPLACE INTO file_lines"
        " (path, before_hash, content_hash, hashes, runs, gone, changed, last_report)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            file.path,
            file.before_hash,
            file.content_hash,
            pack_hashes(file.lines.hashes),
            _dump_runs(file.lines.runs),
            pack_hashes(file.lines.gone),
            _to_json(file.changed),
            file.last_report,
        ),
    )


def empty_files(connection: apsw.Connection, paths: Collection[str]) -> None:
    """Remember that files are gone; handwritten lines that come back to them are known again."""
    for path, file in read_files(connection, paths).items():
        gone = [
            line_hash
            for line_hash, provenance in zip(file.lines.hashes, file.lines.provenances, strict=True)
            if provenance == HANDWRITTEN
        ]
        lines = KnownLines(gone=[*gone, *file.lines.gone])
        write_file(connection, FileLines(path, file.content_hash, None, lines, (), file.last_report))


def _file(row: tuple[Any, ...]) -> FileLines:
    path, before_hash, content_hash, hashes, runs, gone, changed, last_report = row
    lines = KnownLines(unpack_hashes(hashes), _load_runs(runs), unpack_hashes(gone))
    ranges = tuple((first, last) for first, last in json.loads(changed))
    return FileLines(path, before_hash, content_hash, lines, ranges, last_report)


def _dump_runs(runs: Sequence[Run]) -> str:
    values = [
        [first, provenance.origin.value, provenance.session_kind.value, provenance.writer]
        for first, provenance in runs
    ]
    return _to_json(values)


def _load_runs(text: str) -> tuple[Run, ...]:
    return tuple(
        (first, Provenance(Origin(origin), SessionKind(kind), writer))
        for first, origin, kind, writer in json.loads(text)
    )
