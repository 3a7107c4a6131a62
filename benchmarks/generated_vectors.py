"""Vectors for a large corpus without embedding it, which would take hours."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Final

import apsw
import numpy as np
import trio
from numpy.typing import NDArray

from benchmarks.words import SEED
from benchmarks.workspaces import Prepared
from openclaw_memd.index.line_store import LineStore
from openclaw_memd.index.line_texts import line_texts
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.index.vector_store import VectorStore

BATCH_ROWS: Final = 2_000
POOL_ROWS: Final = 5_000
LEAST_NOISE: Final = 0.2
MOST_NOISE: Final = 0.7

Vectors = NDArray[np.float32]


def fill_vectors(prepared: Prepared, model_id: str, anchors: Vectors) -> int:
    """Give every text of an index that no daemon has open vectors of ``model_id``; how many texts.

    A text gets one for the whole, and one for each line that is not blank.
    """
    with apsw.Connection(str(prepared.index), flags=apsw.SQLITE_OPEN_READONLY) as index:
        texts = dict(index.execute("SELECT text_hash, text FROM chunks ORDER BY id"))
    trio.run(partial(_store, prepared, model_id, texts, anchors))
    return len(texts)


def cluster(anchors: Vectors, counts: Iterator[int], seed: int = SEED) -> Iterator[Vectors]:
    """For each of ``counts`` so many vectors of norm 1 around ``anchors`` [n, dims].

    Each is an anchor with noise of a length of its own, so the cosines to it lie between 0.82 and 0.98.
    """
    generator = np.random.default_rng(seed)
    for count in counts:
        chosen = anchors[generator.integers(len(anchors), size=count)]
        noise = _normalise(generator.standard_normal(chosen.shape, dtype=np.float32))
        lengths = generator.uniform(LEAST_NOISE, MOST_NOISE, (count, 1)).astype(np.float32)
        yield _normalise(chosen + noise * lengths)


async def _store(prepared: Prepared, model_id: str, texts: Mapping[bytes, str], anchors: Vectors) -> None:
    now = datetime.now(UTC)
    store = open_vectors(prepared.vectors, now).store
    try:
        vectors, lines = VectorStore(store), LineStore(store)
        (pool,) = cluster(anchors, iter((POOL_ROWS,)))
        hashes = list(texts)
        batches = [hashes[start : start + BATCH_ROWS] for start in range(0, len(hashes), BATCH_ROWS)]
        for batch, rows in zip(batches, cluster(anchors, map(len, batches)), strict=True):
            await vectors.put(model_id, batch, rows, now)
            await lines.put(model_id, {key: _line_vectors(texts[key], key, pool) for key in batch})
    finally:
        await store.aclose()


def _line_vectors(text: str, text_hash: bytes, pool: Vectors) -> Vectors:
    """A run of the ``pool`` that the hash chooses."""
    start = int.from_bytes(text_hash[:8]) % len(pool)
    chosen: Vectors = pool.take(range(start, start + len(line_texts(text))), axis=0, mode="wrap")
    return chosen


def _normalise(vectors: Vectors) -> Vectors:
    scaled: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled
