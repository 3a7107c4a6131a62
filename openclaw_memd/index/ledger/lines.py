"""What the ledger holds of files: their lines as they were last attributed, reported writes, a loss."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw

from openclaw_memd.domain.attribution import KnownLines, Run
from openclaw_memd.domain.line_hashes import pack_hashes, unpack_hashes
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, Provenance, SessionKind, least_trusted
from openclaw_memd.domain.records import Lineage
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class FileLines:
    """A file as it was last attributed.

    ``content_hash`` is SHA-256 of its bytes, ``before_hash`` the one before; ``changed`` are [first, last]
    indexes of the lines that this change alone explains.
    """

    path: str
    before_hash: bytes | None
    content_hash: bytes | None
    lines: KnownLines
    changed: Ranges


@dataclass(frozen=True, slots=True)
class ObservedWrite:
    """A write that a runtime reported: whose turn it was made in."""

    provenance: Provenance
    lineage: Lineage


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
        "SELECT path, before_hash, content_hash, hashes, runs, gone, changed FROM carray(?) AS wanted"
        " CROSS JOIN file_lines AS f ON f.path = wanted.value",
        (apsw.carray(tuple(paths)),),
    )
    return {row[0]: _file(row) for row in rows}


def write_file(connection: apsw.Connection, file: FileLines) -> None:
    """Remember how a file was attributed."""
    connection.execute(
        "INSERT OR REPLACE INTO file_lines (path, before_hash, content_hash, hashes, runs, gone, changed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            file.path,
            file.before_hash,
            file.content_hash,
            pack_hashes(file.lines.hashes),
            _dump_runs(file.lines.runs),
            pack_hashes(file.lines.gone),
            json.dumps(file.changed, separators=(",", ":")),
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
        write_file(connection, FileLines(path, file.content_hash, None, lines, ()))


def find_write(
    connection: apsw.Connection, path: str, before_hash: bytes | None, after_hash: bytes
) -> tuple[ObservedWrite | None, bool]:
    """The least trusted of the reported writes that led to the content ``after_hash``.

    The second value says whether they account for the whole change from ``before_hash`` (None: there was no
    file): a chain of reports with a hole leaves room for a write that nobody reported.
    """
    found: list[ObservedWrite] = []
    before = "" if before_hash is None else before_hash.hex()
    wanted = after_hash.hex()
    passed = {wanted}
    while wanted != before:
        rows = connection.execute(
            "SELECT before_hash, origin, session_kind, writer, agent, session_id, observed_at"
            " FROM observed_writes WHERE path = ? AND after_hash = ? ORDER BY id DESC",
            (path, wanted),
        ).fetchall()
        found += [_observed(row) for row in rows]
        onward = [str(row[0]) for row in rows if row[0] not in passed]
        if not onward:
            break
        wanted = before if before in onward else onward[0]
        passed.add(wanted)
    if not found:
        return None, False
    worst = least_trusted(write.provenance for write in found)
    return next(write for write in found if write.provenance == worst), wanted == before


def reported_paths(connection: apsw.Connection, paths: Collection[str]) -> frozenset[str]:
    """Those of ``paths`` with reported writes."""
    rows = connection.execute(
        "SELECT DISTINCT path FROM observed_writes WHERE path IN (SELECT value FROM carray(?))",
        (apsw.carray(tuple(paths)),),
    )
    return frozenset(path for (path,) in rows)


def record_loss(connection: apsw.Connection, at: datetime) -> None:
    """Note that this ledger begins anew where there was one."""
    connection.execute("INSERT OR IGNORE INTO losses (id, lost_at) VALUES (1, ?)", (to_stamp(at),))


def read_loss(connection: apsw.Connection) -> datetime | None:
    """When this ledger began anew where there was one, as long as lines are untrusted for that."""
    found = connection.execute("SELECT lost_at FROM losses").get
    return from_stamp(found) if isinstance(found, str) else None


def settle_loss(connection: apsw.Connection) -> None:
    """Forget the loss once no line is untrusted without anybody who is known to have written it."""
    connection.execute(
        "DELETE FROM losses WHERE listed = 1 AND NOT EXISTS (SELECT 1 FROM lost_files) AND NOT EXISTS"
        " (SELECT 1 FROM spans WHERE present > 0 AND origin = 'untrusted' AND NOT decided"
        " AND append_id IS NULL AND agent IS NULL)"
    )


def awaits_listing(connection: apsw.Connection) -> bool:
    """Whether it is still to be told which files are older than this ledger."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM losses WHERE listed = 0)").get)


def list_lost(connection: apsw.Connection, paths: Collection[str]) -> None:
    """Note which files are older than this ledger."""
    if awaits_listing(connection):
        connection.executemany(
            "INSERT OR IGNORE INTO lost_files (path)"
            " SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM file_lines WHERE path = ?1)",
            [(path,) for path in paths],
        )
        connection.execute("UPDATE losses SET listed = 1")


def read_lost(connection: apsw.Connection, paths: Collection[str]) -> frozenset[str]:
    """Those of ``paths`` that are older than this ledger and were not attributed yet; all of them while
    nothing was listed.
    """
    if awaits_listing(connection):
        return frozenset(paths)
    if not paths:
        return frozenset()
    rows = connection.execute(
        "SELECT path FROM lost_files WHERE path IN (SELECT value FROM carray(?))",
        (apsw.carray(tuple(paths)),),
    )
    return frozenset(path for (path,) in rows)


def settle_lost(connection: apsw.Connection, paths: Collection[str]) -> None:
    """The lines of these files are attributed now."""
    connection.executemany("DELETE FROM lost_files WHERE path = ?", [(path,) for path in paths])


def _file(row: tuple[Any, ...]) -> FileLines:
    path, before_hash, content_hash, hashes, runs, gone, changed = row
    lines = KnownLines(unpack_hashes(hashes), _load_runs(runs), unpack_hashes(gone))
    return FileLines(
        path, before_hash, content_hash, lines, tuple((first, last) for first, last in json.loads(changed))
    )


def _dump_runs(runs: Sequence[Run]) -> str:
    values = [
        [first, provenance.origin.value, provenance.session_kind.value, provenance.writer]
        for first, provenance in runs
    ]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _load_runs(text: str) -> tuple[Run, ...]:
    return tuple(
        (first, Provenance(Origin(origin), SessionKind(kind), writer))
        for first, origin, kind, writer in json.loads(text)
    )


def _observed(row: tuple[Any, ...]) -> ObservedWrite:
    _, origin, kind, writer, agent, session_id, observed_at = row
    return ObservedWrite(
        Provenance(Origin(origin), SessionKind(kind), writer),
        Lineage(None, agent, session_id, from_stamp(observed_at)),
    )
