"""Queries over the index, each a plain function over a connection: run them through a ``Store``."""

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import apsw

from openclaw_memd.domain.audience import Notes, View, session_folder
from openclaw_memd.domain.provenance import Source, TrustTier
from openclaw_memd.index.rows import ChunkRow, FileRow, SourceCount, embedding_text
from openclaw_memd.index.stored_rows import CHUNK_COLUMNS, FILE_COLUMNS, read_chunk, read_file


@dataclass(frozen=True, slots=True)
class Filters:
    """Which chunks may be found. Dates are inclusive; a chunk that nothing dates is outside every bound.

    ``view`` keeps out what its caller may not see; None lets everything of the sources pass.
    """

    sources: frozenset[Source] | None = None
    after: date | None = None
    before: date | None = None
    view: View | None = None


ANYTHING: Final = Filters()


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A chunk that a full-text query found; ``bm25`` is negative, the lower the better."""

    chunk_id: int
    bm25: float


def keyword(
    connection: apsw.Connection,
    tier: TrustTier,
    match: str,
    limit: int,
    *,
    filters: Filters = ANYTHING,
    newest: int | None = None,
    context_weight: float = 1.0,
) -> list[KeywordHit]:
    """The best ``limit`` chunks of one trust tier for a full-text query, best first.

    ``match`` is in FTS5's query language and is made of quoted forms only. ``context_weight`` is the weight
    of a term in the heading path, the file's path and the triggers; in the text it is 1. Only the ``newest``
    chunks that match are ranked, if given: to score one takes ten times as long as to find it.
    """
    table = f"{tier.value}_text"
    conditions, values = _conditions(filters)
    joined = ""
    if newest is not None:
        conditions.append(
            f"t.rowid >= coalesce((SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC"
            " LIMIT 1 OFFSET ?), 0)"
        )
        values.extend((match, newest - 1))
    if filters != ANYTHING:
        joined = " JOIN chunks AS c ON c.id = t.rowid JOIN files AS f ON f.id = c.file_id"
    # Sorting by the function itself takes two thirds of the time of FTS5's own ORDER BY rank.
    rows = connection.execute(
        f"SELECT t.rowid, bm25({table}, 1.0, ?) AS score FROM {table} AS t{joined}"
        f" WHERE {' AND '.join([f't.{table} MATCH ?', *conditions])} ORDER BY score LIMIT ?",
        (context_weight, match, *values, limit),
    )
    return [KeywordHit(chunk_id, score) for chunk_id, score in rows]


def document_frequency(connection: apsw.Connection, tier: TrustTier, forms: Sequence[str]) -> dict[str, int]:
    """In how many chunks of the tier each form occurs, in the text or its context; forms in none give 0."""
    query = f"SELECT doc FROM {tier.value}_terms WHERE term = ?"
    found = {}
    for form in forms:
        row = connection.execute(query, (form,)).fetchone()
        found[form] = row[0] if row else 0
    return found


def chunk_count(connection: apsw.Connection, tier: TrustTier) -> int:
    """How many chunks the tier holds."""
    return _number(connection, "SELECT chunks FROM tiers WHERE trust = ?", (tier.value,))


def chunks(connection: apsw.Connection, ids: Sequence[int]) -> list[ChunkRow]:
    """The chunks with these ids, in the order of ``ids``; ids that are gone are left out."""
    if not ids:
        return []
    rows = connection.execute(
        f"SELECT {CHUNK_COLUMNS} FROM carray(?) AS wanted CROSS JOIN chunks AS c ON c.id = wanted.value"
        " JOIN files AS f ON f.id = c.file_id",
        (apsw.carray(array("q", ids)),),
    )
    found = {row[0]: row for row in rows}
    return [read_chunk(found[chunk_id]) for chunk_id in ids if chunk_id in found]


def file_chunks(connection: apsw.Connection, path: str) -> list[ChunkRow]:
    """Every chunk of a file in file order; empty when the file is not indexed."""
    rows = connection.execute(
        f"SELECT {CHUNK_COLUMNS} FROM files AS f JOIN chunks AS c ON c.file_id = f.id"
        " WHERE f.path = ? ORDER BY c.ordinal",
        (path,),
    )
    return [read_chunk(row) for row in rows]


def chunk_ids(connection: apsw.Connection, filters: Filters, tier: TrustTier | None = None) -> list[int]:
    """Ids of the chunks that pass, for a search that ranks by something else, ascending."""
    conditions, values = _conditions(filters)
    if tier is not None:
        conditions.append("c.trust = ?")
        values.append(tier.value)
    rows = connection.execute(
        "SELECT c.id FROM chunks AS c JOIN files AS f ON f.id = c.file_id"
        f" WHERE {' AND '.join(conditions) or 'true'} ORDER BY c.id",
        values,
    )
    return [chunk_id for (chunk_id,) in rows]


def live_hashes(connection: apsw.Connection, tier: TrustTier) -> list[bytes]:
    """The text hash of each chunk of the tier, most recently indexed first."""
    rows = connection.execute("SELECT text_hash FROM chunks WHERE trust = ? ORDER BY id DESC", (tier.value,))
    return [text_hash for (text_hash,) in rows]


def texts_of(connection: apsw.Connection, text_hashes: Sequence[bytes]) -> dict[bytes, str]:
    """What is embedded for each text hash; those that no chunk has any more are left out."""
    if not text_hashes:
        return {}
    rows = connection.execute(
        "SELECT c.text_hash, c.heading, c.text FROM carray(?) AS wanted"
        " CROSS JOIN chunks AS c ON c.text_hash = wanted.value",
        (apsw.carray(tuple(text_hashes)),),
    )
    return {text_hash: embedding_text(heading, text) for text_hash, heading, text in rows}


def chunk_texts_of(connection: apsw.Connection, text_hashes: Sequence[bytes]) -> dict[bytes, str]:
    """The text of a chunk, as it is in its file, for each text hash; those that no chunk has are left out.

    Of chunks that differ in their annotations only it is the one that was indexed last.
    """
    if not text_hashes:
        return {}
    rows = connection.execute(
        "SELECT c.text_hash, c.text FROM carray(?) AS wanted"
        " CROSS JOIN chunks AS c ON c.text_hash = wanted.value ORDER BY c.id",
        (apsw.carray(tuple(text_hashes)),),
    )
    return dict(rows)


def file(connection: apsw.Connection, path: str) -> FileRow | None:
    """The indexed file of this virtual path."""
    return files_at(connection, [path]).get(path)


def files_at(connection: apsw.Connection, paths: Collection[str]) -> dict[str, FileRow]:
    """The indexed files of these virtual paths; those that are not indexed are left out."""
    possible = tuple([path for path in paths if "\0" not in path])  # which no path has, nor can an array
    if not possible:
        return {}
    rows = connection.execute(
        f"SELECT {FILE_COLUMNS} FROM carray(?) AS wanted CROSS JOIN files ON path = wanted.value",
        (apsw.carray(possible),),
    )
    return {found.file.path: found for found in map(read_file, rows)}


def files(connection: apsw.Connection) -> dict[str, FileRow]:
    """Every indexed file by its virtual path, in path order."""
    rows = connection.execute(f"SELECT {FILE_COLUMNS} FROM files ORDER BY path")
    return {found.file.path: found for found in map(read_file, rows)}


def chunk_counts(connection: apsw.Connection) -> dict[str, int]:
    """How many chunks each indexed file has, by its virtual path; one that has none is left out."""
    rows = connection.execute("SELECT path, chunks FROM files")
    return {path: number for path, number in rows if number}


def source_counts(connection: apsw.Connection, *, without_root: str = "") -> list[SourceCount]:
    """Files and chunks of each source that has any, in the order of ``Source``, but for those of one root."""
    rows = connection.execute(
        "SELECT source, count(*), sum(chunks) FROM files WHERE root != ? GROUP BY source", (without_root,)
    )
    found = {Source(source): (files, number) for source, files, number in rows}
    return [SourceCount(source, *found[source]) for source in Source if source in found]


def _number(connection: apsw.Connection, query: str, values: tuple[str, ...]) -> int:
    row = connection.execute(query, values).fetchone()
    assert row is not None
    assert isinstance(row[0], int)
    return row[0]


def _conditions(filters: Filters) -> tuple[list[str], list[str | int]]:
    conditions: list[str] = []
    values: list[str | int] = []
    if filters.sources is not None:
        conditions.append(f"f.source IN ({', '.join('?' for _ in filters.sources)})")
        values.extend(sorted(source.value for source in filters.sources))
    if filters.after is not None:
        conditions.append("c.observed_on >= ?")
        values.append(filters.after.isoformat())
    if filters.before is not None:
        conditions.append("c.observed_on <= ?")
        values.append(filters.before.isoformat())
    if filters.view is not None:
        condition, more = _seen(filters.view)
        conditions.append(condition)
        values.extend(more)
    return conditions, values


def _seen(view: View) -> tuple[str, list[str | int]]:
    """``audience.sees`` as a condition; a test holds them equal."""
    seen: list[str] = []
    values: list[str | int] = []
    if view.curated:
        seen.append("f.tier = 'curated'")
    if view.notes is Notes.ALL:
        seen.append("f.tier = 'episodic'")
    if view.notes is Notes.OWN:
        seen.append("f.tier = 'episodic' AND c.writer = ?")
        values.append(view.writer or "")
    if view.foreign:
        seen.append("f.tier IN ('import', 'extra')")
    if view.own_session or view.other_sessions:
        folder = session_folder(view.agent)
        seen.append("f.tier = 'session' AND substr(f.path, 1, ?) = ?")
        values.extend((len(folder), folder))
        if not view.other_sessions:
            seen[-1] += " AND c.writer = ?"
            values.append(view.writer or "")
    return f"({' OR '.join(f'({one})' for one in seen) or 'false'})", values
