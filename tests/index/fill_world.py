"""A filler of vectors with everything around it, for tests."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import trio
import trio.testing

from openclaw_memd.index.fill_progress import FillProgress, FillState
from openclaw_memd.index.filler import Filler
from openclaw_memd.index.line_filler import RECENT_LINES, LineFiller
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_search import VectorSearch
from openclaw_memd.index.vector_store import VectorStore
from tests.fakes import ConstantRng, HashEmbedder, TrioClock
from tests.index.vectors import key

AT = datetime(2026, 1, 11, tzinfo=UTC)
POLLS = 20_000


class World:
    """A filler with everything around it. A text is a chunk without a heading."""

    def __init__(self, store: Store, embedder: HashEmbedder, *, recent_lines: int = RECENT_LINES) -> None:
        self.store = store
        self.embedder = embedder
        self.vectors = VectorStore(store)
        self.search = VectorSearch(self.vectors)
        self.later_search = VectorSearch(self.vectors)
        self.texts: dict[bytes, str] = {}
        self.index_error: Exception | None = None
        self.recent_lines = recent_lines
        self.filler = self.new_filler()

    def new_filler(self) -> Filler:
        return Filler(
            embedder=self.embedder,
            vectors=self.vectors,
            searches=[self.search, self.later_search],
            texts_of=self.texts_of,
            lines=LineFiller(
                embedder=self.embedder,
                vectors=self.vectors,
                searches=[self.search, self.later_search],
                texts_of=self.texts_of,
                batch_lines=4,
                recent_lines=self.recent_lines,
            ),
            clock=TrioClock(),
            rng=ConstantRng(),
            batch_texts=4,
        )

    async def texts_of(self, hashes: Sequence[bytes]) -> Mapping[bytes, str]:
        await trio.lowlevel.checkpoint()
        if self.index_error is not None:
            raise self.index_error
        return {text_hash: self.texts[text_hash] for text_hash in hashes if text_hash in self.texts}

    def publish(self, *texts: str, search: VectorSearch | None = None) -> None:
        """Add texts to the index, the last being the newest."""
        self.texts.update({key(text): text for text in texts})
        (search or self.search).add([key(text) for text in texts])
        self.filler.wake()

    def unpublish(self, text: str) -> None:
        del self.texts[key(text)]
        self.search.remove([key(text)])
        self.filler.wake()

    async def found(self, text: str, k: int = 5) -> list[str]:
        """Texts found for ``text``, best first."""
        hits = await self.search.top(self.embedder.vector(text), k)
        return [self.texts[text_hash] for text_hash, _ in hits]

    @property
    def progress(self) -> FillProgress:
        return self.filler.progress()

    async def until(self, *states: FillState) -> FillProgress:
        """Wait until the filler is in one of ``states`` and nothing moves."""
        await until(lambda: self.progress.state in states)
        return self.progress

    async def until_idle(self) -> FillProgress:
        def is_idle() -> bool:
            progress = self.progress
            return progress.state is FillState.IDLE and progress.done + progress.given_up == progress.total

        await until(is_idle)
        return self.progress


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(POLLS):
        if holds():
            return
        await trio.testing.wait_all_tasks_blocked(0.001)
    raise AssertionError("it did not come to that")


async def settle() -> None:
    """Give the filler the time that it would need to do something wrong."""
    for _ in range(10):
        await trio.testing.wait_all_tasks_blocked(0.002)


def notes(count: int) -> list[str]:
    return [f"note {number}" for number in range(count)]
