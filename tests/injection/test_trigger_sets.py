"""What messages bring up, on sets that were written for it, and what two hundred others do: nothing."""

from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from openclaw_memd.injection.trigger_vectors import LEAST_MARGIN
from openclaw_memd.models.catalog import CATALOG
from openclaw_memd.models.host import ModelHost
from openclaw_memd.models.local import LocalEmbedder
from openclaw_memd.models.locate import locate_model
from tests.injection.trigger_sets import CASES, Case
from tests.injection.trigger_worlds import World, open_world
from tests.injection.unrelated import UNRELATED

ENTRIES = tuple(case.entry for cases in CASES.values() for case in cases)
LANGUAGES = ("en", "de")

LEAST_PARAPHRASES = {"minilm": 0.12, "multilingual-e5-small": 0.25}
"""The share of the paraphrases that is to be found. Half of them have no word of a phrase, and minilm knows
English alone, where it is half of them."""


def cases() -> Iterator[Case]:
    for of_language in CASES.values():
        yield from of_language


async def brings_up(world: World, message: str, case: Case) -> bool:
    return any(hit.entry.entry.text == case.entry for hit in await world.hits(message))


async def test_by_words_alone_messages_in_the_words_of_a_phrase_bring_its_entry_up(tmp_path: Path) -> None:
    async with open_world(tmp_path, *ENTRIES, languages=LANGUAGES) as world:
        for case in cases():
            for message in case.worded:
                assert await brings_up(world, message, case), message


async def test_by_words_alone_no_neighbour_and_nothing_unrelated_does(tmp_path: Path) -> None:
    async with open_world(tmp_path, *ENTRIES, languages=LANGUAGES) as world:
        for message in (*UNRELATED, *(near for case in cases() for near in case.neighbours)):
            assert await world.hits(message) == (), message
        for start in range(0, len(UNRELATED), 20):  # long messages have many words
            assert await world.hits("\n".join(UNRELATED[start : start + 20])) == ()


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOG)
async def test_with_a_model_paraphrases_do_and_still_no_neighbour(
    tmp_path: Path, models_dir: Path, name: str
) -> None:
    embedder = LocalEmbedder(ModelHost(lambda: locate_model(models_dir, name)))
    async with (
        aclosing(embedder),
        open_world(tmp_path, *ENTRIES, embedder=embedder, languages=LANGUAGES) as world,
    ):
        await embedder.embed(["hello"], kind="passage")  # which waits until the model is loaded
        await world.hits("hello")
        await world.entries.vectors.fill()
        found = [await brings_up(world, message, case) for case in cases() for message in case.paraphrases]
        for message in (*UNRELATED, *(near for case in cases() for near in case.neighbours)):
            assert await world.hits(message) == (), message

    assert sum(found) / len(found) >= LEAST_PARAPHRASES[name], (sum(found), LEAST_MARGIN)
