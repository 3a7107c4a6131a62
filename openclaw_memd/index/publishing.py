"""Writing prepared files into the index: one slice, one transaction."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import apsw

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.files.catalog import FileState
from openclaw_memd.index.counters import read_generation, read_next_chunk_id, write_counters
from openclaw_memd.index.preparing import ChunkContent, PreparedFile

_COLUMNS: Final = ChunkContent._fields
_COLUMN_LIST: Final = ", ".join(_COLUMNS)
_INSERT_CHUNKS: Final = f"INSERT INTO chunks (id, file_id, ordinal, {_COLUMN_LIST})"
_INSERT_FILES: Final = """
  INSERT INTO files (
    id, path, source, tier, root, relative, evergreen, size, mtime_ns, ctime_ns, inode, hash, fresh, chunks
  )
"""
_UPDATE_FILE: Final = """
  UPDATE files SET
    path = ?, source = ?, tier = ?, root = ?, relative = ?, evergreen = ?,
    size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, hash = ?, fresh = ?, chunks = ?
  WHERE id = ?
"""
_ROWS_AT_ONCE: Final = 64
_REFRESH_FILE: Final = (
    "UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, hash = ?, fresh = ? WHERE path = ?"
)
_UPDATE_CHUNK: Final = (
    f"UPDATE chunks SET ordinal = ?, {', '.join(f'{name} = ?' for name in _COLUMNS)} WHERE id = ?"
)


@dataclass(frozen=True, slots=True)
class Published:
    """One published change: by trust tier, the text hash of each chunk that came or went.

    ``replaced`` says that the whole index is another one; there are no hashes then and everything is to be
    read anew.
    """

    generation: int
    added: Mapping[TrustTier, Sequence[bytes]] = field(default_factory=dict)
    removed: Mapping[TrustTier, Sequence[bytes]] = field(default_factory=dict)
    replaced: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """What one transaction publishes. ``refreshed`` files have their indexed content in a new state."""

    files: tuple[PreparedFile, ...] = ()
    removed: tuple[str, ...] = ()
    refreshed: tuple[tuple[str, FileState], ...] = ()


def publish(connection: apsw.Connection, change: Slice) -> Published | None:
    """Write ``change`` inside the open transaction; None when no chunk and no file came, went or changed."""
    writer = _Writer(connection)
    for path, state in change.refreshed:
        writer.refresh(path, state)
    for path in change.removed:
        writer.remove(path)
    writer.put(change.files)
    return writer.finish()


class _Writer:
    """Collects the rows of one transaction, so that each table is written in few statements.

    Each statement lets other threads have the interpreter and gets it back only after they had their turn. A
    statement for each row would take turns with the analysis of the next slice instead of running beside it.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._first_id = self._next_id = read_next_chunk_id(connection)
        self._inserts: list[tuple[int, int, int, ChunkContent]] = []
        self._balance: dict[str, int] = defaultdict(int)
        self._added: dict[TrustTier, list[bytes]] = defaultdict(list)
        self._removed: dict[TrustTier, list[bytes]] = defaultdict(list)
        self._changed = False

    def refresh(self, path: str, state: FileState) -> None:
        self._connection.execute(_REFRESH_FILE, (*_state(state), path))

    def remove(self, path: str) -> None:
        file_id = self._connection.execute("SELECT id FROM files WHERE path = ?", (path,)).get
        if file_id is None:
            return
        self._drop(self._chunks_of(file_id))
        self._connection.execute("DELETE FROM files WHERE id = ?", (file_id,))
        self._changed = True

    def put(self, files: Sequence[PreparedFile]) -> None:
        if not files:
            return
        self._changed = True
        paths = json.dumps([prepared.file.path for prepared in files])
        known = dict(
            self._connection.execute(
                "SELECT path, id FROM files WHERE path IN (SELECT value FROM json_each(?))", (paths,)
            )
        )
        next_id = self._connection.execute("SELECT coalesce(max(id), 0) + 1 FROM files").get
        added = []
        for prepared in files:
            file_id = known.get(prepared.file.path)
            if file_id is not None:
                self._put_again(file_id, prepared)
                continue
            added.append((next_id, *_columns(prepared)))
            for ordinal, content in enumerate(prepared.chunks):
                self._insert(next_id, ordinal, content)
            next_id += 1
        _insert_rows(self._connection, _INSERT_FILES, added)

    def _put_again(self, file_id: int, prepared: PreparedFile) -> None:
        self._connection.execute(_UPDATE_FILE, (*_columns(prepared), file_id))
        reusable = _by_indexed_text(self._chunks_of(file_id))
        fresh = []
        for ordinal, content in enumerate(prepared.chunks):
            kept = reusable.get(_indexed_text(content))
            if kept:
                self._keep(kept.pop(0), ordinal, content)
            else:
                fresh.append((ordinal, content))
        self._drop([old for rest in reusable.values() for old in rest])
        for ordinal, content in fresh:
            self._insert(file_id, ordinal, content)

    def finish(self) -> Published | None:
        if not self._changed:
            return None
        connection = self._connection
        _insert_rows(connection, _INSERT_CHUNKS, [(*place, *content) for *place, content in self._inserts])
        for trust in {content.trust for _, _, _, content in self._inserts}:
            connection.execute(
                f"INSERT INTO {_text_table(trust)} (rowid, terms, context)"
                " SELECT id, terms, context FROM chunks WHERE id >= ? AND trust = ?",
                (self._first_id, trust),
            )
        connection.executemany(
            "UPDATE tiers SET chunks = chunks + ? WHERE trust = ?",
            [(number, trust) for trust, number in self._balance.items()],
        )
        generation = read_generation(connection) + 1
        write_counters(connection, generation=generation, next_chunk_id=self._next_id)
        return Published(generation, dict(self._added), dict(self._removed))

    def _chunks_of(self, file_id: int) -> list[tuple[int, int, ChunkContent]]:
        rows = self._connection.execute(
            f"SELECT id, ordinal, {_COLUMN_LIST} FROM chunks WHERE file_id = ? ORDER BY ordinal", (file_id,)
        )
        return [(chunk_id, ordinal, ChunkContent(*content)) for chunk_id, ordinal, *content in rows]

    def _insert(self, file_id: int, ordinal: int, content: ChunkContent) -> None:
        self._inserts.append((self._next_id, file_id, ordinal, content))
        self._balance[content.trust] += 1
        self._added[TrustTier(content.trust)].append(content.text_hash)
        self._next_id += 1

    def _keep(self, old: tuple[int, int, ChunkContent], ordinal: int, content: ChunkContent) -> None:
        chunk_id, old_ordinal, before = old
        if before.text_hash != content.text_hash:
            self._removed[TrustTier(before.trust)].append(before.text_hash)
            self._added[TrustTier(content.trust)].append(content.text_hash)
        if before != content or old_ordinal != ordinal:
            self._connection.execute(_UPDATE_CHUNK, (ordinal, *content, chunk_id))

    def _drop(self, old: Sequence[tuple[int, int, ChunkContent]]) -> None:
        for chunk_id, _, content in old:
            table = _text_table(content.trust)
            self._connection.execute(
                f"INSERT INTO {table} ({table}, rowid, terms, context) VALUES ('delete', ?, ?, ?)",
                (chunk_id, content.terms, content.context),
            )
            self._balance[content.trust] -= 1
            self._removed[TrustTier(content.trust)].append(content.text_hash)
        self._connection.executemany("DELETE FROM chunks WHERE id = ?", [(chunk_id,) for chunk_id, *_ in old])


def _insert_rows(connection: apsw.Connection, insert: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Add ``VALUES`` of ``rows`` to ``insert``, many in a statement."""
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        part = rows[start : start + _ROWS_AT_ONCE]
        places = f"({', '.join('?' * len(part[0]))})"
        connection.execute(
            f"{insert} VALUES {', '.join([places] * len(part))}",
            tuple(chain.from_iterable(part)),
            can_cache=len(part) == _ROWS_AT_ONCE,
        )


def _columns(prepared: PreparedFile) -> tuple[object, ...]:
    file = prepared.file
    return (
        file.path,
        file.source.value,
        file.tier.value,
        file.root,
        file.relative,
        file.evergreen,
        *_state(prepared.state),
        len(prepared.chunks),
    )


def _by_indexed_text(
    chunks: Iterable[tuple[int, int, ChunkContent]],
) -> dict[tuple[str, str, str], list[tuple[int, int, ChunkContent]]]:
    found: dict[tuple[str, str, str], list[tuple[int, int, ChunkContent]]] = defaultdict(list)
    for old in chunks:
        found[_indexed_text(old[2])].append(old)
    return found


def _indexed_text(content: ChunkContent) -> tuple[str, str, str]:
    """What the full-text tables hold of a chunk: as long as it is the same, they need no change."""
    return content.trust, content.terms, content.context


def _text_table(trust: str) -> str:
    return f"{TrustTier(trust).value}_text"


def _state(state: FileState) -> tuple[int, int, int, int, bytes, bool]:
    return state.size, state.mtime_ns, state.ctime_ns, state.inode, state.hash, state.fresh
