"""The vectors of one workspace: which texts are live, and the tasks that embed them."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import trio

from openclaw_memd.index import readers
from openclaw_memd.index.filler import Filler
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.line_filler import LineFiller
from openclaw_memd.index.opening import Opened
from openclaw_memd.index.publishing import Published
from openclaw_memd.index.vector_search import open_searches
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.ports import Clock, Embedder, Rng

MODEL_LOOK_S: Final = 5.0
_FAILING: Final = frozenset({"off", "degraded", "paused"})


class WorkspaceVectors:
    """Keeps the vectors like the index: one search for each trust tier over the same store.

    While there is no embedder, which texts are live is not known: it takes memory and nobody asks.
    ``database`` holds the vectors. ``follow`` hears of every published change; ``embed`` and
    ``follow_replacements`` run until cancelled.
    """

    def __init__(self, opened: Opened, indexer: Indexer, embedder: Embedder, clock: Clock, rng: Rng) -> None:
        self.database = opened.store
        store = VectorStore(opened.store)
        self.searches = open_searches(store)
        searches = tuple(self.searches.values())
        self.filler = Filler(
            embedder=embedder,
            vectors=store,
            searches=searches,
            texts_of=self._texts_of,
            lines=LineFiller(
                embedder=embedder, vectors=store, searches=searches, texts_of=self._chunk_texts_of
            ),
            clock=clock,
            rng=rng,
        )
        self._indexer = indexer
        self._embedder = embedder
        self._aside = opened.set_aside
        self._follows = False
        self._replaced = trio.Event()

    @property
    def aside(self) -> Path | None:
        """Where damaged vectors lie that were replaced since the start."""
        return self.filler.aside or self._aside

    def follow(self, published: Published) -> None:
        """Keep the live texts of each trust tier like the index."""
        if published.replaced:
            self._replaced.set()
        if not self._follows:
            return
        for tier, search in self.searches.items():
            search.remove(published.removed.get(tier, ()))
            search.add(published.added.get(tier, ()))
        self.filler.wake()

    async def load(self) -> None:
        """Read which texts there are, while nothing else changes them, and follow them from then on.

        Without an embedder this is left for when there is one.
        """
        if not self._follows and self._embedder.status().state == "off":
            return
        async with self._indexer.turn:
            for tier, search in self.searches.items():
                search.set_live(await self._indexer.store.read(partial(readers.live_hashes, tier=tier)))
            self._follows = True
        self.filler.wake()

    async def follow_replacements(self) -> None:
        """Read the texts anew whenever another index took the place of the one that was there."""
        while True:
            await self._replaced.wait()
            self._replaced = trio.Event()
            await self.load()

    async def embed(self) -> None:
        """Embed what has no vector, and load what is searched in memory."""
        async with trio.open_nursery() as nursery:
            for search in self.searches.values():
                nursery.start_soon(search.run)
            nursery.start_soon(self._await_model)
            await self.filler.run()

    async def _await_model(self) -> None:
        """Take up a model that is installed while the daemon runs, and look after an embedder that failed."""
        before = self._embedder.status().state, self._embedder.model_id
        while True:
            await trio.sleep(MODEL_LOOK_S)
            now = self._embedder.status().state, self._embedder.model_id
            if not self._follows:
                await self.load()
            if now[1] != before[1] or (before[0] in _FAILING and now[0] not in _FAILING):
                self.filler.retry_now()
            elif now[0] == "degraded":
                self.filler.wake()
            before = now

    async def _texts_of(self, hashes: Sequence[bytes]) -> Mapping[bytes, str]:
        return await self._indexer.store.read(partial(readers.texts_of, text_hashes=hashes))

    async def _chunk_texts_of(self, hashes: Sequence[bytes]) -> Mapping[bytes, str]:
        return await self._indexer.store.read(partial(readers.chunk_texts_of, text_hashes=hashes))
