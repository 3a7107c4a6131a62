from pathlib import Path

import pytest

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.index import readers
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.recall.frequencies import Frequencies
from openclaw_memd.recall.query import Statistics
from tests.recall.memory import Memory, open_memory

NOTES = {"MEMORY.md": "- Tea.\n", "memory/a.md": "- Tea and milk.\n", "memory/b.md": "- Milk.\n"}
BOTH = (TrustTier.CURATED, TrustTier.EPISODIC)


async def read(memory: Memory, frequencies: Frequencies, *forms: str) -> Statistics:
    return await memory.indexer.store.read(lambda connection: frequencies.read(connection, BOTH, forms))


async def test_frequencies_are_those_of_all_tiers_together(tmp_path: Path) -> None:
    async with open_memory(tmp_path, NOTES) as memory:
        found = await read(memory, Frequencies(lambda: 0), "tea", "milk", "coffee")

    assert found == Statistics(3, {"tea": 2, "milk": 2, "coffee": 0})


async def test_nothing_is_counted_twice_until_the_index_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    count = readers.document_frequency

    def watched(connection: Connection, tier: TrustTier, forms: list[str]) -> dict[str, int]:
        counted.extend(forms)
        return count(connection, tier, forms)

    monkeypatch.setattr(readers, "document_frequency", watched)
    async with open_memory(tmp_path, NOTES) as memory:
        epoch = 0
        frequencies = Frequencies(lambda: epoch)
        await read(memory, frequencies, "tea")
        await read(memory, frequencies, "tea", "milk")
        assert counted == ["tea", "tea", "milk", "milk"]

        memory.notes.write("memory/c.md", "- More tea.\n")
        await memory.indexer.sync()
        assert await read(memory, frequencies, "tea") == Statistics(4, {"tea": 3})

        counted.clear()
        epoch = 1
        await read(memory, frequencies, "tea")
        assert counted == ["tea", "tea"]


async def test_what_is_remembered_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openclaw_memd.recall.frequencies.KEPT_FORMS", 10)
    async with open_memory(tmp_path, NOTES) as memory:
        frequencies = Frequencies(lambda: 0)
        for number in range(50):
            await read(memory, frequencies, f"word{number}", "tea")

        assert len(frequencies) <= 10 + 4
        assert await read(memory, frequencies, "tea") == Statistics(3, {"tea": 2})
