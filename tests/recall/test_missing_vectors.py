"""``degraded`` tells of vectors that are missing, whatever the words of a query found."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from openclaw_memd.ports import EmbedderStatus
from tests.fakes import HashEmbedder
from tests.recall.memory import open_memory

NOTES = {
    "MEMORY.md": "- Tea at four.\n",
    "memory/2026-01-05.md": "- The ferry left.\n",
    "memory/2026-01-09.md": "- The parrot speaks.\n",
}


@dataclass
class Gaps:
    lacking: set[bytes]

    def may_lack(self, among: AbstractSet[bytes] | None) -> bool:
        return bool(self.lacking if among is None else self.lacking & among)


@pytest.mark.parametrize("query", ["tea", "quinine"], ids=["found by words", "not found by words"])
async def test_a_search_that_may_miss_a_text_says_so(tmp_path: Path, query: str) -> None:
    async with open_memory(tmp_path, NOTES, embedder=HashEmbedder()) as memory:
        assert (await memory.find(query)).degraded == ()
        parrot = next(row for row in await memory.rows() if row.path == "memory/2026-01-09.md")
        memory.searches[parrot.trust].watch_gaps(Gaps({parrot.text_hash}))

        assert (await memory.find(query)).degraded == ("vectors",)
        assert (await memory.find(query, before=date(2026, 1, 6))).degraded == ()
        assert (await memory.find(query, after=date(2026, 1, 6))).degraded == ("vectors",)


async def test_a_search_before_any_model_is_in_use_says_so(tmp_path: Path) -> None:
    async with open_memory(tmp_path, NOTES, embedder=HashEmbedder()) as memory:
        for search in memory.searches.values():
            search.use_model(None)

        assert (await memory.find("quinine")).degraded == ("vectors",)


@pytest.mark.parametrize("query", ["tea", "quinine"], ids=["found by words", "not found by words"])
async def test_an_embedder_that_should_be_there_and_is_not_is_missed(tmp_path: Path, query: str) -> None:
    class Broken(HashEmbedder):
        def status(self) -> EmbedderStatus:
            return EmbedderStatus("fake", None, None, "degraded", "the model is not installed")

    embedder = Broken()
    async with open_memory(tmp_path, NOTES, embedder=embedder) as memory:
        await embedder.aclose()
        answer = await memory.find(query)

    assert (answer.mode, answer.degraded) == ("keyword", ("vectors",))
