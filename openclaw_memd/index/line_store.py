"""Vectors of a chunk's lines in vectors.db, by the chunk's text and the model."""

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import apsw

from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_store import LOOKUP_ROWS

if TYPE_CHECKING:
    from openclaw_memd.index.line_vectors import Vectors


class LineStore:
    """Line vectors in the database behind ``store``, whose errors every method may raise."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(self, model: str, lines: "Mapping[bytes, Vectors]") -> None:
        """Store the line vectors [lines, dims] of chunks, by the hash of the chunk's text.

        Raises:
            ValueError: a value is not finite; nothing was stored.
        """
        from openclaw_memd.index.line_vectors import encode_lines

        rows = [(text_hash, model, encode_lines(vectors)) for text_hash, vectors in lines.items()]

        def write(connection: apsw.Connection) -> None:
            connection.executemany(
                "INSERT OR REPLACE INTO line_embeddings (text_hash, model, vectors) VALUES (?, ?, ?)", rows
            )

        await self._store.write(write)

    async def missing(self, model: str, hashes: Iterable[bytes]) -> list[bytes]:
        """Those of ``hashes`` that have no line vectors of ``model``, in their order."""
        keys = list(hashes)
        present: set[bytes] = set()
        for start in range(0, len(keys), LOOKUP_ROWS):
            part = tuple(keys[start : start + LOOKUP_ROWS])
            present.update(await self._store.read(partial(_find, model=model, keys=part)))
        return [key for key in keys if key not in present]

    async def fetch(self, model: str, hashes: Collection[bytes]) -> "dict[bytes, Vectors]":
        """Line vectors of those of ``hashes`` that have some; what is stored damaged counts as missing."""
        from openclaw_memd.index.line_vectors import decode_lines

        if not hashes:
            return {}
        keys = tuple(hashes)

        def read(connection: apsw.Connection) -> list[tuple[Any, ...]]:
            return connection.execute(
                "SELECT text_hash, vectors FROM carray(?) AS wanted CROSS JOIN line_embeddings"
                " ON text_hash = wanted.value AND model = ?",
                (apsw.carray(keys), model),
            ).fetchall()

        found = {}
        for text_hash, blob in await self._store.read(read):
            try:
                found[text_hash] = decode_lines(blob)
            except ValueError:
                continue
        return found


def _find(connection: apsw.Connection, *, model: str, keys: tuple[bytes, ...]) -> list[bytes]:
    rows = connection.execute(
        "SELECT text_hash FROM carray(?) AS wanted CROSS JOIN line_embeddings"
        " ON text_hash = wanted.value AND model = ?",
        (apsw.carray(keys), model),
    )
    return [text_hash for (text_hash,) in rows]
