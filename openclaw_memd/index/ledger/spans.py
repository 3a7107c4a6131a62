"""What the ledger holds of lines that were recorded: their hashes, where they are, and who is behind them."""

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import Any, Final

import apsw

from openclaw_memd.domain.line_hashes import BLANK, hash_line, normalize_line
from openclaw_memd.domain.line_kin import LEAST_WORDS
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind, is_trusted
from openclaw_memd.domain.records import Lineage, Record
from openclaw_memd.domain.sayings import strip_markers
from openclaw_memd.domain.sketches import Sketch, pack_sketch, unpack_sketch
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp
from openclaw_memd.index.ledger.lines import raise_revision

_COLUMNS: Final = (
    "id, path, hash, words, origin, session_kind, writer, decided, recorded, seen, present,"
    " append_id, agent, session_id, recorded_at"
)
LEAST_SHARED: Final = 3
"""Lines that share fewer word pairs are nothing to each other, unless that is all that one of them has."""

MOST_ALIKE: Final = 64
"""So many recorded lines are compared with a line, those first that have most in common with it."""

_INSERT: Final = f"INSERT INTO spans ({_COLUMNS}) VALUES ({', '.join('?' * 15)})"


def record_spans(
    connection: apsw.Connection,
    *,
    append_id: int | None,
    path: str,
    lines: Iterable[str],
    provenance: Provenance,
    agent: str | None,
    session_id: str | None,
    at: datetime,
    sketches: Callable[[str], Sketch],
) -> None:
    """Record ``lines`` that are about to be written to ``path``, inside the open transaction.

    Blank lines are left out. ``sketches`` makes the sketch of a text: ``partial(sketch, analyzer=...)``.
    """
    texts = {hash_line(line): normalize_line(line) for line in lines}
    texts.pop(BLANK, None)
    counts = Counter(hash_line(line) for line in lines)
    lineage = Lineage(append_id, agent, session_id, at)
    raise_revision(connection)
    for line_hash, text in texts.items():
        made = sketches(strip_markers(text))
        record = Record(
            None, path, line_hash, made.words, provenance, False, counts[line_hash], 0, 0, lineage
        )
        connection.execute(_INSERT, _values(record))
        if not is_trusted(provenance.origin):
            put_sketch(connection, line_hash, made)


def has_sketches(connection: apsw.Connection) -> bool:
    """Whether any line is recorded that others may be near-duplicates of."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM sketches)").get)


def has_spans(connection: apsw.Connection) -> bool:
    """Whether any line is recorded."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM spans)").get)


def read_keys(connection: apsw.Connection, *, most: int) -> frozenset[int] | None:
    """The keys of all sketches; None when there are more than ``most``."""
    rows = connection.execute("SELECT DISTINCT shingle FROM sketch_shingles LIMIT ?", (most + 1,)).fetchall()
    return None if len(rows) > most else frozenset(int(key) for (key,) in rows if key is not None)


def spans_of(connection: apsw.Connection, hashes: Collection[bytes], paths: Collection[str]) -> list[Record]:
    """What is recorded of lines with these hashes: all that they have in ``paths``, and what the longer ones
    have elsewhere; oldest first.
    """
    if not hashes:
        return []
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM spans WHERE hash IN (SELECT value FROM carray(?))"
        " AND (words >= ? OR path IN (SELECT value FROM carray(?))) ORDER BY id",
        (apsw.carray(tuple(hashes)), LEAST_WORDS, apsw.carray(tuple(paths))),
    )
    return [_record(row) for row in rows]


def find_alike(connection: apsw.Connection, wanted: Sketch) -> list[tuple[bytes, Sketch]]:
    """The recorded lines that have much in common with a text of this sketch, by hash: whatever is nearly the
    same as it, is held by it or holds it is among them.
    """
    rows = connection.execute(
        "SELECT s.hash, s.words, s.decisive, s.shingles FROM ("
        "  SELECT k.sketch_id AS id, count(*) AS shared FROM carray(?1) AS wanted"
        "  CROSS JOIN sketch_shingles AS k ON k.shingle = wanted.value GROUP BY k.sketch_id"
        ") AS found CROSS JOIN sketches AS s ON s.id = found.id"
        # Of those that were kept in the form of old only a few pairs are keys.
        " WHERE found.shared >= min(?2, s.words - 1) OR length(s.shingles) % 2 = 0 AND s.decisive = ?3"
        " ORDER BY found.shared DESC, s.id LIMIT ?4",
        (
            apsw.carray(array("q", sorted(wanted.shingles))),
            min(LEAST_SHARED, len(wanted.shingles)),
            wanted.decisive,
            MOST_ALIKE,
        ),
    )
    return [(line_hash, unpack_sketch(words, decisive, data)) for line_hash, words, decisive, data in rows]


def read_sketches(connection: apsw.Connection, hashes: Collection[bytes]) -> dict[bytes, Sketch]:
    """The sketches of those of these lines that have one."""
    rows = connection.execute(
        "SELECT hash, words, decisive, shingles FROM sketches WHERE hash IN (SELECT value FROM carray(?))",
        (apsw.carray(tuple(hashes)),),
    )
    return {line_hash: unpack_sketch(words, decisive, data) for line_hash, words, decisive, data in rows}


def put_sketch(connection: apsw.Connection, line_hash: bytes, made: Sketch) -> None:
    """Make near-duplicates of a recorded line known; a text of no words has none."""
    if not made.words:
        return
    sketch_id = connection.execute(
        "INSERT INTO sketches (hash, words, decisive, shingles) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (hash) DO NOTHING RETURNING id",
        (line_hash, made.words, made.decisive, pack_sketch(made)),
    ).get
    if sketch_id is not None:
        connection.executemany(
            "INSERT INTO sketch_shingles (shingle, sketch_id) VALUES (?, ?)",
            [(key, sketch_id) for key in made.rich_keys],
        )


def store_records(
    connection: apsw.Connection, records: Iterable[Record], sketches: Callable[[bytes], Sketch | None]
) -> None:
    """Store changed and new records. ``sketches`` gives the sketch of a new one's line by its hash."""
    for record in records:
        if record.id is None:
            if record.recorded:
                connection.execute(_INSERT, _values(record))
                made = sketches(record.hash) if record.is_outside or record.decided else None
                if made is not None:
                    put_sketch(connection, record.hash, made)
        elif record.recorded:
            connection.execute(
                "UPDATE spans SET recorded = ?1, seen = ?2, present = ?3, gone_at = iif(?3, NULL, gone_at)"
                " WHERE id = ?4",
                (record.recorded, record.seen, record.present, record.id),
            )
        else:
            connection.execute("DELETE FROM spans WHERE id = ?", (record.id,))


def drop_sketches(connection: apsw.Connection, hashes: Iterable[bytes]) -> None:
    """Delete the sketches of those of these lines that nothing is recorded of any more."""
    connection.executemany(
        "DELETE FROM sketches WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM spans WHERE hash = ?1)",
        [(line_hash,) for line_hash in hashes],
    )


def leave_files(connection: apsw.Connection, paths: Collection[str]) -> None:
    """Note that none of the recorded lines of these files is there any more."""
    connection.execute(
        "UPDATE spans SET present = 0 WHERE path IN (SELECT value FROM carray(?)) AND present > 0",
        (apsw.carray(tuple(paths)),),
    )


def _values(record: Record) -> tuple[Any, ...]:
    return (
        record.id,
        record.path,
        record.hash,
        record.words,
        record.provenance.origin.value,
        record.provenance.session_kind.value,
        record.provenance.writer,
        record.decided,
        record.recorded,
        record.seen,
        record.present,
        record.lineage.append_id,
        record.lineage.agent,
        record.lineage.session_id,
        to_stamp(record.lineage.recorded_at),
    )


def _record(row: tuple[Any, ...]) -> Record:
    (
        span_id, path, line_hash, words, origin, kind, writer, decided, recorded, seen, present,
        append_id, agent, session_id, recorded_at,
    ) = row  # fmt: skip
    return Record(
        id=span_id,
        path=path,
        hash=line_hash,
        words=words,
        provenance=Provenance(Origin(origin), SessionKind(kind), writer),
        decided=bool(decided),
        recorded=recorded,
        seen=seen,
        present=present,
        lineage=Lineage(append_id, agent, session_id, from_stamp(recorded_at)),
    )
