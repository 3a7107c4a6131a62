"""Keeping vectors.db from growing for ever."""

from collections.abc import Collection
from functools import partial
from typing import Any, Final

import apsw

from openclaw_memd.index.store import Store

KEPT_UNUSED_ROWS: Final = 50_000
"""Enough to go back to the model before: of 384 dimensions about 80 MB, and 400 MB more with lines."""

SLICE_ROWS: Final = 500  # one transaction deletes so many, so that others come between


async def prune_vectors(
    store: Store, model: str, live: Collection[bytes], *, keep_rows: int = KEPT_UNUSED_ROWS
) -> int:
    """Delete all but ``keep_rows`` of the vectors that nobody searches; how many went.

    Those are vectors of other models than ``model`` and of texts that are not ``live``. The ones of models
    longest out of use go first, then the oldest.
    """
    keys = tuple(live)
    excess = await store.read(lambda connection: _find_excess(connection, model, keys, keep_rows))
    for start in range(0, len(excess), SLICE_ROWS):
        rows = excess[start : start + SLICE_ROWS]
        await store.write(partial(_delete, rows=rows))
    return len(excess)


async def delete_dead(store: Store, live: Collection[bytes]) -> int:
    """Delete the vectors of every text that is not ``live``, for all models; how many went."""
    dead = sorted(await store.read(_stored_hashes) - frozenset(live))
    for start in range(0, len(dead), SLICE_ROWS):
        await store.write(partial(_delete_texts, hashes=dead[start : start + SLICE_ROWS]))
    return len(dead)


async def count_dead(store: Store, live: Collection[bytes]) -> int:
    """How many ``delete_dead`` would delete."""
    return len(await store.read(_stored_hashes) - frozenset(live))


def _stored_hashes(connection: apsw.Connection) -> frozenset[bytes]:
    rows = connection.execute("SELECT text_hash FROM embeddings UNION SELECT text_hash FROM line_embeddings")
    return frozenset(bytes(found) for (found,) in rows)


def _delete_texts(connection: apsw.Connection, *, hashes: list[bytes]) -> None:
    for table in ("embeddings", "line_embeddings"):
        connection.executemany(f"DELETE FROM {table} WHERE text_hash = ?", [(one,) for one in hashes])


def _find_excess(
    connection: apsw.Connection, model: str, live: tuple[bytes, ...], keep_rows: int
) -> list[tuple[Any, ...]]:
    stored = connection.execute("SELECT count(*) FROM embeddings").get
    if stored <= keep_rows:
        return []
    unused = "NOT (model = ?1 AND text_hash IN (SELECT value FROM carray(?2)))"
    values = (model, apsw.carray(live or (b"",)))
    excess = connection.execute(f"SELECT count(*) FROM embeddings WHERE {unused}", values).get - keep_rows
    if excess <= 0:
        return []
    return connection.execute(
        f"SELECT text_hash, model FROM embeddings LEFT JOIN models USING (model) WHERE {unused}"
        " ORDER BY model = ?1, last_used_at, created_at, text_hash LIMIT ?3",
        (*values, excess),
    ).fetchall()


def _delete(connection: apsw.Connection, *, rows: list[tuple[Any, ...]]) -> None:
    for table in ("embeddings", "line_embeddings"):
        connection.executemany(f"DELETE FROM {table} WHERE text_hash = ? AND model = ?", rows)
