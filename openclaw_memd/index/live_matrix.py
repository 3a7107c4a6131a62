"""A matrix that follows the live texts and the vectors on the disk."""

from collections.abc import Collection, Iterable
from typing import Final

import trio

from openclaw_memd.index.live_texts import LiveTexts
from openclaw_memd.index.matrix import Matrix
from openclaw_memd.index.vector_blobs import Vectors
from openclaw_memd.index.vector_store import VectorStore

FEW_TEXTS: Final = 128  # gathered and compared in less time than a thread takes to begin
FEW_ROWS: Final = 1_024  # the same where nothing has to be gathered


class LiveMatrix:
    """The vectors of ``live`` texts in one model. Store errors pass through every method that waits.

    What changes while it loads or between searches is marked and looked up before the next search. ``epoch``
    is the store's at the beginning: a matrix of another epoch shows a file that is not there any more.
    """

    def __init__(self, vectors: VectorStore, live: LiveTexts, model: str, dims: int) -> None:
        self.model = model
        self.epoch = vectors.store.epoch
        self.ready = False
        self._vectors = vectors
        self._live = live
        self._matrix = Matrix(dims, capacity=len(live))
        self._changed: dict[bytes, None] = {}
        self._turn = trio.Lock()
        self._thread = trio.CapacityLimiter(1)

    def __len__(self) -> int:
        return len(self._matrix)

    @property
    def dims(self) -> int:
        """Length of every vector."""
        return self._matrix.dims

    def mark_changed(self, text_hashes: Iterable[bytes]) -> None:
        """These texts came, went, or got a vector."""
        self._changed.update(dict.fromkeys(text_hashes))

    async def load(self, *, is_small: bool = False) -> None:
        """Read everything once, in pages; with ``is_small`` what is live alone: there may be much beside."""
        async with self._turn:
            if is_small:
                for hashes, vectors in await self._vectors.fetch(self.model, list(self._live)):
                    self._add_live(hashes, vectors)
                self.ready = True
                return
            own = {
                text_hash: text_hash for text_hash in self._live
            }  # one object for both, not two equal ones
            after_row: int | None = 0
            while after_row is not None:
                page = await self._vectors.page(self.model, self._matrix.dims, after_row)
                self._add_live([own.get(text_hash, text_hash) for text_hash in page.hashes], page.vectors)
                after_row = page.last_row
            self.ready = True

    async def refresh(self) -> None:
        """Look up what was marked as changed."""
        async with self._turn:
            await self._apply_changes()

    async def top(self, query: Vectors, k: int, among: Collection[bytes] | None) -> list[tuple[bytes, float]]:
        """As ``Matrix.top``, over the present state."""
        async with self._turn:
            await self._apply_changes()
            if len(self._matrix) <= FEW_ROWS if among is None else len(among) <= FEW_TEXTS:
                return self._matrix.top(query, k, among=among)
            return await trio.to_thread.run_sync(
                lambda: self._matrix.top(query, k, among=among), limiter=self._thread
            )

    async def _apply_changes(self) -> None:
        if not self._changed:
            return
        changed, self._changed = self._changed, {}
        try:
            wanted = [h for h in changed if h in self._live and h not in self._matrix]
            found = await self._vectors.fetch(self.model, wanted) if wanted else []
        except BaseException:  # a search that is cancelled leaves the work to the next one
            self._changed = changed | self._changed
            raise
        for hashes, vectors in found:
            self._add_live(hashes, vectors)
        for text_hash in changed:
            if text_hash not in self._live:
                self._matrix.remove(text_hash)

    def _add_live(self, hashes: list[bytes], vectors: Vectors) -> None:
        chosen = [row for row, text_hash in enumerate(hashes) if text_hash in self._live]
        if len(chosen) == len(hashes):
            self._matrix.add(hashes, vectors)
        else:
            self._matrix.add([hashes[row] for row in chosen], vectors[chosen])
