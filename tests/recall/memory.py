"""What the tests of recall share: a searchable workspace."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.index import readers
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.line_store import LineStore
from openclaw_memd.index.line_texts import line_texts
from openclaw_memd.index.rows import ChunkRow, embedding_text
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.index.vector_search import VectorSearch
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.models.absent import AbsentEmbedder
from openclaw_memd.ports import Embedder
from openclaw_memd.recall.get import Get
from openclaw_memd.recall.nearness import Nearness
from openclaw_memd.recall.search import Search
from openclaw_memd.recall.types import Hit, SearchAnswer, SearchRequest
from tests.fakes import HashEmbedder, TrioClock
from tests.index.notes import AT, Notes, open_notes


@dataclass
class Memory:
    """A workspace of notes with its searches. ``embedder`` is None where keywords alone count."""

    notes: Notes
    indexer: Indexer
    vectors: Store
    searches: Mapping[TrustTier, VectorSearch]
    embedder: HashEmbedder | None
    search: Search
    get: Get

    async def find(self, query: str, **options: object) -> SearchAnswer:
        """The answer to a request with these options."""
        return await self.search.search(replace(SearchRequest(query), **options))  # type: ignore[arg-type]

    async def hits(self, query: str, **options: object) -> tuple[Hit, ...]:
        return (await self.find(query, **options)).hits

    async def paths(self, query: str, **options: object) -> list[str]:
        return [hit.path for hit in await self.hits(query, **options)]

    async def rows(self) -> list[ChunkRow]:
        def read(connection: Connection) -> list[ChunkRow]:
            paths = readers.files(connection)
            return [row for path in paths for row in readers.file_chunks(connection, path)]

        return await self.indexer.store.read(read)

    async def sync(self) -> None:
        """Index what changed, and embed it."""
        await self.indexer.sync()
        if self.embedder is not None:
            await self.embed(await self.rows())

    async def embed(self, rows: Sequence[ChunkRow]) -> None:
        """Give chunks and their lines vectors."""
        assert self.embedder is not None
        model = str(self.embedder.model_id)
        for search in self.searches.values():
            search.use_model(model)
        for row in rows:
            texts = [embedding_text(row.heading, row.text), *line_texts(row.text)]
            made = np.stack([self.embedder.vector(text) for text in texts])
            await VectorStore(self.vectors).put(model, [row.text_hash], made[:1], AT)
            await LineStore(self.vectors).put(model, {row.text_hash: made[1:]})
            self.searches[row.trust].add([row.text_hash])


@asynccontextmanager
async def open_memory(
    folder: Path,
    texts: Mapping[str, str],
    *,
    embedder: HashEmbedder | None = None,
    half_life_days: float = 30,
) -> AsyncIterator[Memory]:
    """A synced workspace with these texts by path; paths below ``extra/lib/`` go to an extra root."""
    notes = Notes(folder / "workspace", folder / "state", folder / "library")
    (notes.folder / "memory").mkdir(parents=True)
    for path, text in texts.items():
        place = (
            notes.extra / path.removeprefix("extra/lib/")
            if path.startswith("extra/")
            else notes.folder / path
        )
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    async with open_notes(notes) as index:
        vectors = open_vectors(folder / "vectors.db", AT).store
        searches = {tier: VectorSearch(VectorStore(vectors)) for tier in TrustTier}
        used: Embedder = embedder or AbsentEmbedder("no model here")
        search = Search(
            index=index.store,
            corpus=index.indexer.corpus,
            nearness=Nearness(index.store, searches, LineStore(vectors)),
            analyzer=index.indexer.preparer.analyzer,
            embedder=used,
            clock=TrioClock(),
            index_state=lambda: index.indexer.state,
            half_life_days=half_life_days,
        )
        memory = Memory(
            notes, index.indexer, vectors, searches, embedder, search, Get(index.store, index.indexer.corpus)
        )
        try:
            await memory.sync()
            yield memory
        finally:
            await vectors.aclose()
