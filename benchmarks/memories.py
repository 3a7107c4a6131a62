"""A workspace with its real index, vectors and search in this process, for measuring what searches find."""

import os
import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openclaw_memd.clock import SystemClock, SystemRng
from openclaw_memd.config import paths
from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index import readers
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.line_store import LineStore
from openclaw_memd.index.line_texts import line_texts
from openclaw_memd.index.opening import open_index
from openclaw_memd.index.preparing import Preparer
from openclaw_memd.index.rows import ChunkRow, embedding_text
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.index.vector_search import VectorSearch, open_searches
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.models.select import EmbeddingSettings, open_embedder
from openclaw_memd.ports import Calibration, Embedder, EmbedderStatus, EmbedKind
from openclaw_memd.recall.nearness import Nearness
from openclaw_memd.recall.search import Search

BATCH_TEXTS = 16

Vectors = NDArray[np.float32]


class KeptEmbedder:
    """``inner`` with everything that it ever embedded kept in a file, so that a second run is quick."""

    required = False

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        self._kept = sqlite3.connect(path)
        self._kept.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, vector BLOB)")

    @property
    def model_id(self) -> str | None:
        return self._inner.model_id

    def status(self) -> EmbedderStatus:
        return self._inner.status()

    async def calibration(self) -> Calibration:
        return await self._inner.calibration()

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> Vectors:
        keys = [sha256("\0".join((str(self.model_id), kind, text)).encode()).digest() for text in texts]
        found = {key: self._find(key) for key in keys}
        missing = [i for i, key in enumerate(keys) if found[key] is None]
        for start in range(0, len(missing), BATCH_TEXTS):
            part = missing[start : start + BATCH_TEXTS]
            for i, vector in zip(
                part, await self._inner.embed([texts[i] for i in part], kind=kind), strict=True
            ):
                found[keys[i]] = vector
                self._kept.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (keys[i], vector.tobytes()))
            self._kept.commit()
        return np.array([found[key] for key in keys], dtype=np.float32)

    async def aclose(self) -> None:
        await self._inner.aclose()
        self._kept.close()

    def _find(self, key: bytes) -> Vectors | None:
        row = self._kept.execute("SELECT vector FROM kept WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)


@asynccontextmanager
async def open_model(name: str | None, cache: Path | None) -> AsyncIterator[Embedder | None]:
    """The local model of this name or path, remembering in ``cache``; None without a name."""
    if name is None:
        yield None
        return
    data_dir = paths.data_dir(os.environ, os.environ.get("MEMD_PATHS__DATA_DIR"))
    settings = EmbeddingSettings(data_dir, provider="local", model=name)
    inner = open_embedder(settings, clock=SystemClock(), rng=SystemRng())
    embedder = KeptEmbedder(inner, cache or Path(":memory:"))
    try:
        yield embedder
    finally:
        await embedder.aclose()


@dataclass(frozen=True, slots=True)
class Memory:
    """An indexed workspace: its chunks, and searches by keyword alone and, with a model, by both."""

    index: Store
    corpus: Corpus
    analyzer: Analyzer
    rows: tuple[ChunkRow, ...]
    keyword: Search
    hybrid: Search | None
    embedder: Embedder | None


@asynccontextmanager
async def remember(
    notes: Mapping[str, str], folder: Path, embedder: Embedder | None, absent: Embedder, *, lines: bool = True
) -> AsyncIterator[Memory]:
    """Write ``notes`` (text by path) below ``folder``, index and embed them, and open searches over them."""
    for path, text in notes.items():
        place = folder / "ws" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    clock = SystemClock()
    preparer = Preparer(Analyzer(), chunk_tokens=400, chunk_overlap=80)
    index = open_index(folder / "state", preparer.identity, clock.now).store
    vectors = open_vectors(folder / "state" / "vectors.db", clock.now()).store
    searches = open_searches(VectorStore(vectors))
    with Roots(folder / "ws") as roots:
        corpus = Corpus(roots, FileRules.parse())
        indexer = Indexer(index, corpus, preparer, clock)
        try:
            await indexer.sync()
            rows = await index.read(_all_chunks)
            if embedder is not None:
                await _embed(rows, vectors, searches, embedder, lines=lines)

            def open_search(by: Embedder) -> Search:
                return Search(
                    index=index,
                    corpus=corpus,
                    nearness=Nearness(index, searches, LineStore(vectors)),
                    analyzer=preparer.analyzer,
                    embedder=by,
                    clock=clock,
                    index_state=lambda: indexer.state,
                    half_life_days=30,
                )

            hybrid = None if embedder is None else open_search(embedder)
            yield Memory(index, corpus, preparer.analyzer, rows, open_search(absent), hybrid, embedder)
        finally:
            await vectors.aclose()
            await index.aclose()


def _all_chunks(connection: Connection) -> tuple[ChunkRow, ...]:
    paths = readers.files(connection)
    return tuple(row for path in paths for row in readers.file_chunks(connection, path))


async def _embed(
    rows: Sequence[ChunkRow],
    vectors: Store,
    searches: Mapping[TrustTier, VectorSearch],
    embedder: Embedder,
    *,
    lines: bool,
) -> None:
    model = embedder.model_id
    assert model is not None
    store, line_store = VectorStore(vectors), LineStore(vectors)
    for search in searches.values():
        search.use_model(model)
    for row in rows:
        chunk = await embedder.embed([embedding_text(row.heading, row.text)], kind="passage")
        await store.put(model, [row.text_hash], chunk, SystemClock().now())
        if lines:
            vectors_of_lines = await embedder.embed(line_texts(row.text), kind="passage")
            await line_store.put(model, {row.text_hash: vectors_of_lines})
        searches[row.trust].add([row.text_hash])
