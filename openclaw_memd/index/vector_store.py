"""vectors.db: what was embedded, by text and model, so that nothing is embedded twice."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

import apsw

from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_distance import provide_distance

if TYPE_CHECKING:
    from openclaw_memd.index.vector_blobs import Vectors

LOOKUP_ROWS: Final = 2_000  # hashes for one statement
PAGE_ROWS: Final = 256
SPARE_CANDIDATES: Final = (
    16  # float32 distances may swap near-equal rows; exact cosines decide among some more
)

_ROWS_OF_HASHES = "FROM carray(?1) AS wanted CROSS JOIN embeddings ON text_hash = wanted.value AND model = ?2"


@dataclass(frozen=True, slots=True)
class Page:
    """Some vectors [len(hashes), dims] of a model; the next page, if any, comes after ``last_row``."""

    hashes: list[bytes]
    vectors: "Vectors"
    last_row: int | None


class VectorStore:
    """Embeddings in the database behind ``store``, whose errors every method may raise."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._with_distance: WeakSet[apsw.Connection] = WeakSet()

    def dims(self, model: str) -> int | None:
        """Length of the vectors of ``model``; None when nothing is known of it."""
        return self.store.read_now(lambda connection: _stored_dims(connection, model))

    async def missing(self, model: str, hashes: Iterable[bytes]) -> list[bytes]:
        """Those of ``hashes`` that have no vector of ``model``, in their order."""
        lacking: list[bytes] = []
        for keys in _slices(hashes):
            present = set(await self._rows(f"SELECT text_hash {_ROWS_OF_HASHES}", apsw.carray(keys), model))
            lacking.extend(key for key in keys if (key,) not in present)
        return lacking

    async def put(
        self, model: str, hashes: Sequence[bytes], vectors: "Vectors", at: datetime
    ) -> frozenset[bytes]:
        """Store ``vectors`` [len(hashes), dims], scaled to norm 1; the hashes whose vectors were refused.

        Refused are vectors that are not finite or nearly zero, and all of them when their length is not
        that of the model's vectors so far.
        """
        from openclaw_memd.index.vector_blobs import normalise, to_blobs

        scaled, usable = normalise(vectors)
        rows = list(zip(hashes, to_blobs(scaled), usable.tolist(), strict=True))
        if not usable.any():
            return frozenset(hashes)
        dims = vectors.shape[1]
        stored_at = at.timestamp()

        def write(connection: apsw.Connection) -> frozenset[bytes]:
            connection.execute(
                "INSERT INTO models (model, dims, last_used_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (model, dims, stored_at),
            )
            if _stored_dims(connection, model) != dims:
                return frozenset(hashes)
            connection.executemany(
                "INSERT OR REPLACE INTO embeddings (text_hash, model, created_at, vector)"
                " VALUES (?, ?, ?, ?)",
                [(key, model, stored_at, blob) for key, blob, good in rows if good],
            )
            return frozenset(key for key, _, good in rows if not good)

        return await self.store.write(write)

    async def fetch(self, model: str, hashes: Iterable[bytes]) -> "list[tuple[list[bytes], Vectors]]":
        """The vectors that ``hashes`` have, in parts of at most ``LOOKUP_ROWS``."""
        from openclaw_memd.index.vector_blobs import from_blobs

        dims = self.dims(model)
        if dims is None:
            return []
        parts = []
        for keys in _slices(hashes):
            rows = await self._rows(f"SELECT text_hash, vector {_ROWS_OF_HASHES}", apsw.carray(keys), model)
            parts.append(from_blobs(rows, dims))
        return parts

    async def page(self, model: str, dims: int, after_row: int) -> Page:
        """Up to ``PAGE_ROWS`` vectors of ``model`` in the order of storing; ``after_row`` is 0 at first."""
        from openclaw_memd.index.vector_blobs import from_blobs

        def read(connection: apsw.Connection) -> Page:
            rows: list[tuple[Any, ...]] = connection.execute(
                "SELECT text_hash, vector, rowid FROM embeddings WHERE rowid > ? AND model = ?"
                " ORDER BY rowid LIMIT ?",
                (after_row, model, PAGE_ROWS),
            ).fetchall()
            hashes, vectors = from_blobs(rows, dims)
            if len(rows) == PAGE_ROWS:
                return Page(hashes, vectors, rows[-1][2])
            connection.pragma("shrink_memory")  # nobody reads these pages again
            return Page(hashes, vectors, None)

        return await self.store.read(read)

    async def nearest(
        self, model: str, query: "Vectors", k: int, among: Collection[bytes]
    ) -> list[tuple[bytes, float]]:
        """The ``k`` vectors of ``among`` nearest to ``query`` (norm 1) with their cosines, nearest first.

        Vectors of norm 1 have the same order by Euclidean distance as by cosine.
        """
        from openclaw_memd.index.vector_blobs import from_blobs, rank, to_blobs

        if not among:
            return []
        keys = tuple(among)
        (needle,) = to_blobs(query[None, :])

        def read(connection: apsw.Connection) -> list[tuple[bytes, float]]:
            if connection not in self._with_distance:
                provide_distance(connection)
                self._with_distance.add(connection)
            rows = connection.execute(
                "SELECT text_hash, vector FROM (SELECT text_hash, vector,"
                " CASE WHEN length(vector) = length(?3) THEN vec_distance_L2(vector, ?3) END AS distance"
                f" {_ROWS_OF_HASHES}) WHERE distance IS NOT NULL ORDER BY distance LIMIT ?4",
                (apsw.carray(keys), model, needle, k + SPARE_CANDIDATES),
            ).fetchall()
            return rank(query, *from_blobs(rows, len(query)), k)

        return await self.store.read(read)

    async def delete(self, hashes: Iterable[bytes]) -> None:
        """Remove whatever is stored of these texts, for every model."""
        for keys in _slices(hashes):
            await self.store.write(partial(_delete, keys=keys))

    async def _rows(self, statement: str, *values: "apsw.SQLiteValue") -> list[tuple[Any, ...]]:
        return await self.store.read(lambda connection: connection.execute(statement, values).fetchall())


def _stored_dims(connection: apsw.Connection, model: str) -> int | None:
    found = connection.execute("SELECT dims FROM models WHERE model = ?", (model,)).fetchone()
    return None if found is None else int(found[0])


def _delete(connection: apsw.Connection, *, keys: tuple[bytes, ...]) -> None:
    for table in ("embeddings", "line_embeddings"):
        connection.execute(
            f"DELETE FROM {table} WHERE text_hash IN (SELECT value FROM carray(?))", (apsw.carray(keys),)
        )


def _slices(hashes: Iterable[bytes]) -> Iterator[tuple[bytes, ...]]:
    remaining = iter(hashes)
    while keys := tuple(islice(remaining, LOOKUP_ROWS)):
        yield keys
