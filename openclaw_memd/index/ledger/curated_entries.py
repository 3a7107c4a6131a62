"""What the curated files were last seen to hold, and what was deleted from them."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

import apsw

from openclaw_memd.domain.sketches import pack_sketch, unpack_sketch
from openclaw_memd.domain.traces import Trace
from openclaw_memd.index.ledger.instants import to_stamp

_LEAST_MORE: Final = 3
"""The same is said with no more words more or less, or a quarter of them."""

_TRACE: Final = "hash, subject, words, decisive, shingles"


class Rewriting(NamedTuple):
    """One rewrite by memd: what the file was, and what it became."""

    id: int
    before: bytes
    after: bytes


def read_entries(connection: apsw.Connection, file: str) -> list[Trace] | None:
    """What a file held when it was last looked at; None when it never was."""
    if read_look(connection, file) is None:
        return None
    return [
        _trace(row)
        for row in connection.execute(f"SELECT {_TRACE} FROM curated_entries WHERE file = ?", (file,))
    ]


def read_look(connection: apsw.Connection, file: str) -> int | None:
    """The last pre-image that was taken into account when a file was looked at; None: it never was."""
    found = connection.execute("SELECT preimage_id FROM curated_looks WHERE file = ?", (file,)).get
    return None if found is None else int(str(found))


def read_rewritings(connection: apsw.Connection, file: str, after_id: int) -> list[Rewriting]:
    """What memd did to a file since, oldest first."""
    rows = connection.execute(
        "SELECT id, coalesce(before, x''), after FROM preimages WHERE file = ? AND id > ? ORDER BY id",
        (file, after_id),
    )
    return [Rewriting(int(number), bytes(before), bytes(after)) for number, before, after in rows]


def store_entries(connection: apsw.Connection, file: str, traces: Iterable[Trace], look: int) -> None:
    """Remember what a file holds; only what is another than before is written."""
    known = {
        bytes(hash_): None if subject is None else bytes(subject)
        for hash_, subject in connection.execute(
            "SELECT hash, subject FROM curated_entries WHERE file = ?", (file,)
        )
    }
    held: dict[bytes, Trace] = {}
    for trace in traces:
        held.setdefault(trace.hash, trace)
    connection.executemany(
        "DELETE FROM curated_entries WHERE file = ? AND hash = ?",
        [(file, hash_) for hash_ in known.keys() - held.keys()],
    )
    connection.executemany(
        f"INSERT OR REPLACE INTO curated_entries (file, {_TRACE}) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (file, hash_, trace.subject, *_words(trace))
            for hash_, trace in held.items()
            if known.get(hash_, b"") != trace.subject
        ],
    )
    connection.execute("INSERT OR REPLACE INTO curated_looks (file, preimage_id) VALUES (?, ?)", (file, look))


def read_deleted(connection: apsw.Connection) -> list[Trace]:
    """Everything that was deleted and did not return."""
    return [
        _trace(row)
        for row in connection.execute("SELECT hash, NULL, words, decisive, shingles FROM curated_tombstones")
    ]


def deleted_like(connection: apsw.Connection, trace: Trace) -> list[Trace]:
    """What was deleted that may be the same, by its hash or by how many words it has."""
    words = trace.sketch.words
    more = _LEAST_MORE + words // 4
    rows = connection.execute(
        "SELECT hash, NULL, words, decisive, shingles FROM curated_tombstones"
        " WHERE hash = ? OR words BETWEEN ? AND ?",
        (trace.hash, words - more, words + more),
    )
    return [_trace(row) for row in rows]


def bury_entries(connection: apsw.Connection, traces: Iterable[Trace], at: datetime) -> None:
    """Note that entries were deleted."""
    connection.executemany(
        "INSERT OR IGNORE INTO curated_tombstones (hash, words, decisive, shingles, deleted_at)"
        " VALUES (?, ?, ?, ?, ?)",
        [(trace.hash, *_words(trace), to_stamp(at)) for trace in traces],
    )


def unbury_entries(connection: apsw.Connection, traces: Iterable[Trace]) -> None:
    """Note that entries are wanted again."""
    connection.executemany(
        "DELETE FROM curated_tombstones WHERE hash = ?", [(trace.hash,) for trace in traces]
    )


def _words(trace: Trace) -> tuple[int, bytes, bytes]:
    kept = replace(trace.sketch, terms=trace.wording)  # the wording stands where a line has its terms
    return trace.sketch.words, trace.sketch.decisive, pack_sketch(kept)


def _trace(row: tuple[Any, ...]) -> Trace:
    line_hash, subject, words, decisive, kept = row
    found = unpack_sketch(words, decisive, kept)
    return Trace(line_hash, subject, replace(found, terms=()), found.terms)
