"""What the curated files were before they were rewritten: to be shown, brought back, pruned, forgotten."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

import apsw

from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.domain.records import Records
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp
from openclaw_memd.index.ledger.spans import spans_of

Origins = tuple[tuple[bytes, Provenance], ...]
"""Hashes of lines and who is behind each; lines that are not named are handwritten."""


@dataclass(frozen=True, slots=True)
class PreimageRow:
    """One rewrite of a file, without the texts. ``added`` and ``removed`` count lines."""

    id: int
    file: str
    at: datetime
    cause: str
    added: int
    removed: int
    forgotten: int


@dataclass(frozen=True, slots=True)
class Preimage:
    """One rewrite of a file with what it was, None for no file, and what it became."""

    id: int
    file: str
    at: datetime
    before: bytes | None
    after: bytes
    origins: Origins


def list_preimages(
    connection: apsw.Connection, *, file: str | None, before_id: int | None, limit: int
) -> list[PreimageRow]:
    """The last rewrites, the newest first; older than ``before_id`` if that is given."""
    rows = connection.execute(
        "SELECT id, file, at, cause, added, removed, forgotten FROM preimages"
        " WHERE (?1 IS NULL OR file = ?1) AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3",
        (file, before_id, limit),
    )
    return [
        PreimageRow(number, path, from_stamp(at), cause, added, removed, forgotten)
        for number, path, at, cause, added, removed, forgotten in rows
    ]


def load_preimage(connection: apsw.Connection, preimage_id: int) -> Preimage | None:
    """One rewrite; None when there is none of this id."""
    row = connection.execute(
        "SELECT file, at, before, after, origins FROM preimages WHERE id = ?", (preimage_id,)
    ).fetchone()
    if row is None:
        return None
    file, at, before, after, origins = row
    return Preimage(preimage_id, file, from_stamp(at), before, after, _load_origins(origins))


def preimage_ids(connection: apsw.Connection) -> list[int]:
    """All there are, oldest first."""
    return [int(number) for (number,) in connection.execute("SELECT id FROM preimages ORDER BY id")]


def insert_preimage(
    connection: apsw.Connection,
    *,
    file: str,
    at: datetime,
    cause: str,
    before: bytes | None,
    after: bytes,
    counts: tuple[int, int],
    origins: Origins,
) -> int:
    """Keep what a file was; the new id."""
    connection.execute(
        "INSERT INTO preimages (file, at, cause, before, after, added, removed, origins)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (file, to_stamp(at), cause, before, after, *counts, _dump_origins(origins)),
    )
    return connection.last_insert_rowid()


def cut_preimage(
    connection: apsw.Connection, preimage_id: int, before: bytes | None, after: bytes, forgotten: int
) -> None:
    """Put texts without ``forgotten`` lines in the place of those that were kept."""
    connection.execute(
        "UPDATE preimages SET before = ?, after = ?, forgotten = forgotten + ? WHERE id = ?",
        (before, after, forgotten, preimage_id),
    )


def delete_preimage(connection: apsw.Connection, preimage_id: int) -> None:
    """Keep it no longer."""
    connection.execute("DELETE FROM preimages WHERE id = ?", (preimage_id,))


def prune_preimages(
    connection: apsw.Connection, now: datetime, most: int, *, keep_days: int, keep_least: int
) -> int:
    """Delete up to ``most`` older than ``keep_days``, but of no file the last ``keep_least``; how many."""
    connection.execute(
        "DELETE FROM preimages WHERE id IN (SELECT id FROM preimages AS p WHERE at < ?"
        " AND ? <= (SELECT count(*) FROM preimages WHERE file = p.file AND id > p.id) LIMIT ?)",
        (to_stamp(now - timedelta(days=keep_days)), keep_least, most),
    )
    return connection.changes()


def find_unrecorded(connection: apsw.Connection, file: str, origins: Origins) -> Origins:
    """Those of the lines that would not be known again by their records if they came back to the file."""
    records = Records(spans_of(connection, [line_hash for line_hash, _ in origins], [file]))
    return tuple(
        (line_hash, provenance)
        for line_hash, provenance in origins
        if not any(record.unused for record in records.own(file, line_hash))
    )


def buried_since(connection: apsw.Connection, file: str, at: datetime) -> frozenset[bytes]:
    """Hashes of the lines of a file that were forgotten ``at`` or later."""
    rows = connection.execute(
        "SELECT hash FROM line_tombstones WHERE path = ? AND forgotten_at >= ?", (file, to_stamp(at))
    )
    return frozenset(bytes(line_hash) for (line_hash,) in rows)


def _dump_origins(origins: Origins) -> str:
    values = [
        [line_hash.hex(), found.origin.value, found.session_kind.value, found.writer]
        for line_hash, found in origins
    ]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _load_origins(text: str) -> Origins:
    return tuple(
        (bytes.fromhex(line_hash), Provenance(Origin(origin), SessionKind(kind), writer))
        for line_hash, origin, kind, writer in json.loads(text)
    )
