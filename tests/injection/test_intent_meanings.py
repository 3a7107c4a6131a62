"""Messages that mean what an intent is about, in other words."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.injection.intent_meanings import MOST, IntentMeanings
from openclaw_memd.injection.trigger_vectors import TriggerVectors
from openclaw_memd.intents.explaining import Explaining
from openclaw_memd.intents.firing import Firing
from openclaw_memd.intents.wishes import Wish
from openclaw_memd.models.catalog import CATALOG
from openclaw_memd.models.host import ModelHost
from openclaw_memd.models.local import LocalEmbedder
from openclaw_memd.models.locate import locate_model
from openclaw_memd.ports import Embedder
from tests.fakes import HashEmbedder, TrioClock
from tests.index.notes import AT
from tests.injection.intent_sets import CASES
from tests.injection.unrelated import UNRELATED
from tests.intents.worlds import OWNER, Open
from tests.intents.worlds import World as Ledger

SHIP = Wish("the changelog is missing", ("shipping the new release candidate",), semantic=True)
MEANT = "the changelog is missing and shipping the new release today"


@dataclass
class World:
    opened: Open
    meanings: IntentMeanings
    vectors: TriggerVectors

    async def fill(self) -> None:
        await self.meanings.refresh()
        await self.vectors.fill()

    async def about(self, message: str, agent: str = "main") -> list[str]:
        found = await self.meanings.about(agent, message)
        assert set(found.values()) <= {"semantic"}
        intents = await self.opened.intents.list("main")
        return [intents[number - 1].description for number in found]


@asynccontextmanager
async def open_world(tmp_path: Path, embedder: Embedder) -> AsyncIterator[World]:
    opened = open_vectors(tmp_path / "vectors.db", AT)
    try:
        async with Ledger(tmp_path).open() as ledger:
            vectors = TriggerVectors(embedder, VectorStore(opened.store), TrioClock())
            meanings = IntentMeanings(ledger.intents, vectors)
            ledger.firing = Firing(
                ledger.intents.state, ledger.intents.stems, ledger.intents.clock, meanings.about
            )
            ledger.explaining = Explaining(ledger.intents, meanings.about)
            yield World(ledger, meanings, vectors)
    finally:
        await opened.store.aclose()


@pytest.fixture
async def world(tmp_path: Path, embedder: HashEmbedder) -> AsyncIterator[World]:
    async with open_world(tmp_path, embedder) as world:
        yield world


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder(dims=256)


async def fires(world: World, message: str = MEANT) -> list[tuple[str, str]]:
    return [(fired.intent.description, fired.why) for fired in await world.opened.say(message)]


async def test_only_who_wants_it_is_found_by_meaning(
    world: World, mock_clock: trio.testing.MockClock
) -> None:
    await world.opened.create(replace(SHIP, semantic=False, description="words only"), SHIP)
    assert await world.about(MEANT) == []
    await world.fill()
    assert await world.about(MEANT) == ["the changelog is missing"]
    assert await world.about(MEANT, agent="other") == []
    assert await world.about("  ") == []
    found = await world.opened.explaining.explain(OWNER, "main", MEANT)
    assert [(one.intent.description, one.why, one.block) for one in found] == [
        ("the changelog is missing", "semantic", None)
    ]
    assert await fires(world) == [("the changelog is missing", "semantic")]
    assert await fires(world) == []


async def test_words_tell_more_than_meaning(world: World) -> None:
    await world.opened.create(SHIP)
    await world.fill()
    told = await fires(world, f"{MEANT} candidate")
    assert told == [("the changelog is missing", "shipping the new release candidate")]


async def test_what_has_no_keywords_is_found_by_its_description(world: World) -> None:
    await world.opened.create(Wish("shipping the new release", semantic=True))
    await world.fill()
    assert await fires(world, "shipping the new release") == [("shipping the new release", "semantic")]


async def test_what_is_over_is_not_compared(world: World) -> None:
    (made,) = await world.opened.create(SHIP)
    await world.fill()
    await world.opened.intents.cancel("main", made.id)
    assert await fires(world) == []
    assert await world.opened.explaining.explain(OWNER, "main", MEANT) == []
    await world.fill()
    assert await world.about(MEANT) == []


async def test_an_embedder_that_hangs_costs_meaning_and_no_words(
    world: World, embedder: HashEmbedder, mock_clock: trio.testing.MockClock
) -> None:
    async def hang() -> None:
        mock_clock.jump(0.99)
        await trio.sleep_forever()

    await world.opened.create(SHIP, Wish("by words", ("today",)))
    await world.fill()
    embedder.before_answer = hang
    with trio.fail_after(1):
        assert await fires(world) == [("by words", "today")]


async def test_as_many_of_each_agent_as_a_message_is_compared_with(world: World) -> None:
    await world.opened.create(*[Wish("w", ("x",))] * 3, *[SHIP] * (MOST + 3))
    await world.opened.create(SHIP, caller=replace(OWNER, agent="other"))
    await world.fill()
    assert len(await world.meanings.about("main", MEANT)) == MOST
    assert len(await world.meanings.about("other", MEANT)) == 1


async def test_it_follows_what_is_made(world: World, nursery: Any) -> None:
    nursery.start_soon(world.meanings.run)
    await world.opened.create(SHIP)
    with trio.fail_after(60):
        while not await world.about(MEANT):
            await world.opened.intents.list("main")
            await world.vectors.fill()
    assert await world.about(MEANT) == ["the changelog is missing"]


LEAST_PARAPHRASES = {"minilm": 4, "multilingual-e5-small": 3}
MOST_NEIGHBOURS = {"minilm": 1, "multilingual-e5-small": 0}


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOG)
async def test_with_a_model_nothing_unrelated_is_meant(tmp_path: Path, models_dir: Path, name: str) -> None:
    embedder = LocalEmbedder(ModelHost(lambda: locate_model(models_dir, name)))
    async with aclosing(embedder), open_world(tmp_path, embedder) as world:
        await world.opened.create(*(Wish(case.description, case.keywords, semantic=True) for case in CASES))
        await embedder.embed(["hello"], kind="passage")  # which waits until the model is loaded
        await world.fill()
        found = [case.description in await world.about(text) for case in CASES for text in case.paraphrases]
        near = [await world.about(text) for case in CASES for text in case.neighbours]
        assert [text for text in UNRELATED if await world.about(text)] == []
    assert sum(found) >= LEAST_PARAPHRASES[name]
    assert sum(map(bool, near)) <= MOST_NEIGHBOURS[name]
