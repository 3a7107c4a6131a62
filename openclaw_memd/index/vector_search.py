"""Nearest texts by cosine: by SQL among few, by a matrix in memory among many."""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, Protocol

import structlog
import trio

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.live_texts import LiveTexts
from openclaw_memd.index.vector_store import VectorStore

if TYPE_CHECKING:
    from openclaw_memd.index.live_matrix import LiveMatrix
    from openclaw_memd.index.vector_blobs import Vectors

MATRIX_TEXTS: Final = 2_000  # with fewer in all, SQL takes a few milliseconds and no memory
SCAN_TEXTS: Final = 20_000  # with more, loading takes a second at most and a search by SQL as long

_log = structlog.get_logger("memd.vectors")


class Gaps(Protocol):
    """What is known of texts that lack vectors."""

    def may_lack(self, among: AbstractSet[bytes] | None) -> bool:
        """Whether a live text (of ``among``, if given) lacks a vector that it may get."""
        ...


def open_searches(
    vectors: VectorStore, *, matrix_texts: int = MATRIX_TEXTS
) -> Mapping[TrustTier, "VectorSearch"]:
    """A search for each trust tier, loaded when many texts are live in all of them together."""
    searches: dict[TrustTier, VectorSearch] = {}

    def count_texts() -> int:
        return sum(len(search.live) for search in searches.values())

    searches |= {
        tier: VectorSearch(vectors, matrix_texts=matrix_texts, count_texts=count_texts) for tier in TrustTier
    }
    return searches


class VectorSearch:
    """Searches the vectors of the live texts of one trust tier, in the model in use.

    Each tier has a search of its own, so that the texts of one can neither take places nor change scores in
    another. ``run`` loads the matrix as soon as many texts are live and a model is in use; until it did, SQL
    answers, as exactly but slower. ``count_texts`` tells how many are live, in other tiers too: beside a
    large one a small one costs next to nothing in memory.
    """

    def __init__(
        self,
        vectors: VectorStore,
        *,
        matrix_texts: int = MATRIX_TEXTS,
        count_texts: Callable[[], int] | None = None,
    ) -> None:
        self.live = LiveTexts()
        self._count_texts = count_texts or self.live.__len__
        self.model: str | None = None
        self._vectors = vectors
        self._matrix_texts = matrix_texts
        self._memory: LiveMatrix | None = None
        self._wanted = trio.Event()
        self._gaps: Gaps | None = None

    @property
    def in_memory(self) -> int | None:
        """How many vectors are in memory; None when SQL answers."""
        memory = self._current_memory()
        return len(memory) if memory is not None and memory.ready else None

    def set_live(self, newest_first: Iterable[bytes]) -> None:
        """Set the live texts, a hash for each chunk."""
        self.mark_changed(self.live.replace(newest_first))
        self._load_if_many()

    def add(self, text_hashes: Iterable[bytes]) -> None:
        """Chunks with these texts were published."""
        self.mark_changed(self.live.add(text_hashes))
        self._load_if_many()

    def remove(self, text_hashes: Iterable[bytes]) -> None:
        """Chunks with these texts are gone; a text whose last chunk went is never returned from now on."""
        self.mark_changed(self.live.remove(text_hashes))

    def mark_changed(self, text_hashes: Iterable[bytes]) -> None:
        """These texts came, went, or got a vector."""
        if self._memory is not None:
            self._memory.mark_changed(text_hashes)

    def use_model(self, model: str | None) -> None:
        """Search the vectors of ``model`` from now on; None: there is nothing to search."""
        if model != self.model:
            self.model = model
            self._memory = None
            self._gaps = None
            self._load_if_many()

    def watch_gaps(self, gaps: Gaps) -> None:
        """Believe ``gaps`` on what lacks vectors of the model in use."""
        self._gaps = gaps

    def may_lack(self, among: AbstractSet[bytes] | None = None) -> bool:
        """Whether a live text (of ``among``, if given) may be missing from what ``top`` finds."""
        return self._gaps is not None and self._gaps.may_lack(among)

    async def top(
        self, query: "Vectors", k: int, *, among: AbstractSet[bytes] | None = None
    ) -> list[tuple[bytes, float]]:
        """The ``k`` live texts (of ``among``, if given) nearest to ``query`` with cosines, nearest first.

        Texts that have no vector yet are not found.

        Raises:
            ValueError: ``query`` is of another length than the model's vectors, zero or not finite.
            UnavailableError: vectors.db cannot be read, or there are too many vectors to search them before
                they are in memory.
            DamagedError: vectors.db is damaged.
        """
        model = self.model
        if model is None or k <= 0 or not self.live:
            return []
        memory = self._current_memory()
        is_ready = memory is not None and memory.ready
        dims = memory.dims if memory is not None and is_ready else self._vectors.dims(model)
        if dims is None:
            return []
        from openclaw_memd.index.vector_blobs import check_query

        needle = check_query(query, dims)
        if memory is not None and is_ready:
            found = await memory.top(needle, k, among)
        else:
            self._load_if_many()
            candidates = list(self.live) if among is None else [h for h in among if h in self.live]
            if len(candidates) > SCAN_TEXTS:
                raise UnavailableError("the vectors are being loaded", reason="loading")
            found = await self._vectors.nearest(model, needle, k, candidates)
        return [pair for pair in found if pair[0] in self.live]

    async def refresh(self) -> None:
        """Bring the vectors in memory, if any, up to what was marked as changed."""
        memory = self._current_memory()
        if memory is not None and memory.ready:
            await memory.refresh()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Load vectors into memory when searches are faster with them."""
        task_status.started()
        while True:
            await self._wanted.wait()
            self._wanted = trio.Event()
            try:
                await self.load()
            except (DamagedError, UnavailableError):
                _log.warning("vectors cannot be loaded")

    async def load(self) -> None:
        """Load vectors into memory, unless they are. Store errors pass through."""
        model = self.model
        dims = None if model is None else self._vectors.dims(model)
        if model is None or dims is None or self._current_memory() is not None:
            return
        from openclaw_memd.index.live_matrix import LiveMatrix

        memory = self._memory = LiveMatrix(self._vectors, self.live, model, dims)
        try:
            await memory.load(is_small=len(self.live) < self._matrix_texts)
        except BaseException:
            self._memory = None
            raise

    def _load_if_many(self) -> None:
        if self.model is not None and self.live and self._count_texts() >= self._matrix_texts:
            self._wanted.set()

    def _current_memory(self) -> "LiveMatrix | None":
        """What is in memory, unless another file took the place of the one that it came from."""
        if self._memory is not None and self._memory.epoch != self._vectors.store.epoch:
            self._memory = None
        return self._memory
