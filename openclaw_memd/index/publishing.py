"""Writing prepared files into the index: one slice, one transaction."""

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, TypeAlias

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
_UNSETTLE_FILE: Final = "UPDATE files SET size = -1, hash = x'', chunks = ? WHERE id = ?"
_UPDATE_CHUNK: Final = (
    f"UPDATE chunks SET ordinal = ?, {', '.join(f'{name} = ?' for name in _COLUMNS)} WHERE id = ?"
)

DROPPED_TERMS: Final = 1_000
"""How many words one transaction takes out of the full-text tables: each is overwritten, some 50 µs."""


@dataclass(frozen=True, slots=True)
class Published:
    """One published change: the files it is about and, by trust tier, the text hash of each chunk that came
    or went.

    ``replaced`` says that the whole index is another one; there are no hashes then and everything is to be
    read anew.
    """

    generation: int
    added: Mapping[TrustTier, Sequence[bytes]] = field(default_factory=dict)
    removed: Mapping[TrustTier, Sequence[bytes]] = field(default_factory=dict)
    replaced: bool = False
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slice:
    """What one transaction publishes. ``refreshed`` files have their indexed content in a new state."""

    files: tuple[PreparedFile, ...] = ()
    removed: tuple[str, ...] = ()
    refreshed: tuple[tuple[str, FileState], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.removed or self.refreshed)


def publish(connection: apsw.Connection, change: Slice) -> tuple[Published | None, Slice]:
    """Write ``change`` inside the open transaction, and say what of it is left for another one.

    The first is None when no chunk and no file came, went or changed. Files are left that have more to lose
    than ``DROPPED_TERMS`` allow. Meanwhile they have fewer chunks and no content that a file could have, so
    that they count as changed whatever comes between.
    """
    writer = _Writer(connection)
    for path, state in change.refreshed:
        writer.refresh(path, state)
    removed = tuple([path for path in change.removed if not writer.remove(path)])
    files = tuple(writer.put(change.files))
    published = writer.finish()
    if published is not None:
        paths = (*change.removed, *(prepared.file.path for prepared in change.files))
        published = replace(published, paths=paths)
    return published, Slice(files, removed)


_OldChunk: TypeAlias = tuple[int, int, ChunkContent]
"""A chunk that is indexed: its id, its place in its file, and the rest."""


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
        self._room = DROPPED_TERMS

    def refresh(self, path: str, state: FileState) -> None:
        self._connection.execute(_REFRESH_FILE, (*_state(state), path))

    def remove(self, path: str) -> bool:
        """Take a file out; False when some of its chunks are left."""
        file_id = self._connection.execute("SELECT id FROM files WHERE path = ?", (path,)).get
        if file_id is None:
            return True
        if self._room <= 0:
            return False
        self._changed = True
        chunks = self._chunks_of(file_id)
        if self._drop_some(file_id, chunks, len(chunks)):
            return False
        self._connection.execute("DELETE FROM files WHERE id = ?", (file_id,))
        return True

    def put(self, files: Sequence[PreparedFile]) -> list[PreparedFile]:
        """Put files in; gives those that some old chunks have to be taken out of first."""
        if not files:
            return []
        self._changed = True
        paths = json.dumps([prepared.file.path for prepared in files])
        known = dict(
            self._connection.execute(
                "SELECT path, id FROM files WHERE path IN (SELECT value FROM json_each(?))", (paths,)
            )
        )
        next_id = self._connection.execute("SELECT coalesce(max(id), 0) + 1 FROM files").get
        added = []
        left = []
        for prepared in files:
            file_id = known.get(prepared.file.path)
            if file_id is not None:
                if self._room <= 0 or not self._put_again(file_id, prepared):
                    left.append(prepared)
                continue
            added.append((next_id, *_columns(prepared)))
            for ordinal, content in enumerate(prepared.chunks):
                self._insert(next_id, ordinal, content)
            next_id += 1
        _insert_rows(self._connection, _INSERT_FILES, added)
        return left

    def _put_again(self, file_id: int, prepared: PreparedFile) -> bool:
        old = self._chunks_of(file_id)
        reusable = _by_indexed_text(old)
        kept: list[tuple[_OldChunk, int, ChunkContent]] = []
        fresh: list[tuple[int, ChunkContent]] = []
        for ordinal, content in enumerate(prepared.chunks):
            same = reusable.get(_indexed_text(content))
            if same:
                kept.append((same.popleft(), ordinal, content))
            else:
                fresh.append((ordinal, content))
        obsolete = [chunk for rest in reusable.values() for chunk in rest]
        if self._drop_some(file_id, obsolete, len(old)):
            return False
        self._connection.execute(_UPDATE_FILE, (*_columns(prepared), file_id))
        for chunk, ordinal, content in kept:
            self._keep(chunk, ordinal, content)
        for ordinal, content in fresh:
            self._insert(file_id, ordinal, content)
        return True

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

    def _chunks_of(self, file_id: int) -> list[_OldChunk]:
        rows = self._connection.execute(
            f"SELECT id, ordinal, {_COLUMN_LIST} FROM chunks WHERE file_id = ? ORDER BY ordinal", (file_id,)
        )
        return [(chunk_id, ordinal, ChunkContent(*content)) for chunk_id, ordinal, *content in rows]

    def _insert(self, file_id: int, ordinal: int, content: ChunkContent) -> None:
        self._inserts.append((self._next_id, file_id, ordinal, content))
        self._balance[content.trust] += 1
        self._added[TrustTier(content.trust)].append(content.text_hash)
        self._next_id += 1

    def _keep(self, old: _OldChunk, ordinal: int, content: ChunkContent) -> None:
        chunk_id, old_ordinal, before = old
        if before.text_hash != content.text_hash:
            self._removed[TrustTier(before.trust)].append(before.text_hash)
            self._added[TrustTier(content.trust)].append(content.text_hash)
        if before != content or old_ordinal != ordinal:
            self._connection.execute(_UPDATE_CHUNK, (ordinal, *content, chunk_id))

    def _drop_some(self, file_id: int, old: Sequence[_OldChunk], there: int) -> bool:
        """Drop as many of a file's chunks as there is room for; True when some are left.

        The file has ``there`` chunks in all.
        """
        number = 0
        while number < len(old) and self._room > 0:
            self._room -= _count_terms(old[number][2])
            number += 1
        self._drop(old[:number])
        if number < len(old):
            self._connection.execute(_UNSETTLE_FILE, (there - number, file_id))
        return number < len(old)

    def _drop(self, old: Sequence[_OldChunk]) -> None:
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


def _count_terms(content: ChunkContent) -> int:
    return len({*content.terms.split(), *content.context.split()})


def _by_indexed_text(chunks: Iterable[_OldChunk]) -> dict[tuple[str, str, str], deque[_OldChunk]]:
    found: dict[tuple[str, str, str], deque[_OldChunk]] = defaultdict(deque)
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
