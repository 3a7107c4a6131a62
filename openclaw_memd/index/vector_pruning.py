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
