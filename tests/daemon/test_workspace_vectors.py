"""Which texts are live costs memory, so it is known only while something can embed them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trio

from openclaw_memd.daemon import vectors
from openclaw_memd.daemon.measures import measure_vectors
from openclaw_memd.daemon.vectors import WorkspaceVectors
from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.index.fill_progress import FillState
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.index.vector_search import VectorSearch
from openclaw_memd.index.vector_store import VectorStore
from tests.fakes import ConstantRng, HashEmbedder, TrioClock
from tests.index.notes import Index, Notes, open_notes

AT = datetime(2026, 1, 11, tzinfo=UTC)
LOOK_S = 0.02
PATIENCE_S = 60  # a bound for a slow machine


@dataclass
class World:
    """An index of two notes with vectors that follow it."""

    notes: Notes
    index: Index
    vectors: WorkspaceVectors
    embedder: HashEmbedder

    @property
    def live(self) -> int:
        return sum(len(search.live) for search in self.vectors.searches.values())


@asynccontextmanager
async def open_world(notes: Notes, *, model: str | None) -> AsyncIterator[World]:
    embedder = HashEmbedder()
    embedder.model_id = model
    notes.write("MEMORY.md", "- The boiler is in the cellar\n")
    notes.write("memory/2026-01-11.md", "- Ana has the key\n")
    async with open_notes(notes) as index:
        await index.indexer.sync()
        opened = open_vectors(notes.state / "vectors.db", AT)
        followed = WorkspaceVectors(opened, index.indexer, embedder, TrioClock(), ConstantRng())
        index.indexer.on_published = followed.follow
        try:
            await followed.load()
            yield World(notes, index, followed, embedder)
        finally:
            await opened.store.aclose()


async def until_embedded(world: World, texts: int) -> None:
    with trio.fail_after(PATIENCE_S):
        while len(set(world.embedder.embedded_texts)) < texts:  # noqa: ASYNC110 - a fake has no events
            await trio.sleep(LOOK_S)


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "workspace", tmp_path / "state", tmp_path / "library")


async def test_without_a_model_nothing_is_kept_in_memory(notes: Notes) -> None:
    async with open_world(notes, model=None) as world:
        assert world.live == 0
        notes.write("memory/2026-01-12.md", "- Ben has it now\n")
        await world.index.indexer.sync()
        assert world.live == 0
        assert world.vectors.filler.progress().state is FillState.IDLE


async def test_a_model_that_comes_takes_up_all_texts(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "MODEL_LOOK_S", LOOK_S)
    async with open_world(notes, model=None) as world, trio.open_nursery() as nursery:
        nursery.start_soon(world.vectors.embed)
        await trio.sleep(5 * LOOK_S)
        assert (world.live, world.embedder.attempts) == (0, 0)
        notes.write("memory/2026-01-12.md", "- Ben has it now\n")
        await world.index.indexer.sync()
        world.embedder.model_id = "hash-1"
        await until_embedded(world, 3)
        assert world.live == 3
        notes.write("memory/2026-01-13.md", "- Eve has it now\n")
        await world.index.indexer.sync()
        await until_embedded(world, 4)
        nursery.cancel_scope.cancel()


async def test_with_a_model_all_texts_are_known_at_once_and_followed(notes: Notes) -> None:
    async with open_world(notes, model="hash-1") as world:
        assert world.live == 2
        (notes.folder / "MEMORY.md").unlink()
        await world.index.indexer.sync()
        assert world.live == 1


async def test_metrics_tell_what_embedding_has_to_do_and_what_is_in_memory(notes: Notes) -> None:
    def measured(world: World) -> dict[tuple[str, ...], float]:
        return {(one.name, *one.labels[1:]): one.value for one in measure_vectors("main", world.vectors)}

    async with open_world(notes, model="hash-1") as world, trio.open_nursery() as nursery:
        before = measured(world)
        assert before["memd_line_vectors", "done"] == 0
        assert before["memd_line_vectors", "waiting"] == 2
        nursery.start_soon(world.vectors.embed)
        with trio.fail_after(PATIENCE_S):
            while measured(world)["memd_line_vectors", "waiting"]:  # noqa: ASYNC110 - it has no event
                await trio.sleep(LOOK_S)
        assert measured(world)["memd_line_vectors", "done"] == 2
        assert measured(world)["memd_vectors_in_memory",] == 0  # so few are read at each search
        held = VectorSearch(VectorStore(world.vectors.database), matrix_texts=1)
        held.set_live(world.vectors.searches[TrustTier.CURATED].live)
        held.use_model("hash-1")
        await held.load()
        world.vectors.searches = {**world.vectors.searches, TrustTier.CURATED: held}
        assert measured(world)["memd_vectors_in_memory",] == 1
        nursery.cancel_scope.cancel()
