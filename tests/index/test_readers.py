from collections.abc import Callable
from datetime import date
from typing import TypeVar

import apsw
import pytest

from openclaw_memd.domain.provenance import Origin, SessionKind, Source, Tier, TrustTier
from openclaw_memd.index import readers
from openclaw_memd.index.readers import Filters
from openclaw_memd.index.rows import embedding_text
from tests.index.notes import Notes, open_notes

T = TypeVar("T")


async def look(notes: Notes, query: Callable[[apsw.Connection], T]) -> T:
    async with open_notes(notes) as index:
        await index.indexer.sync()
        return await index.store.read(query)


async def test_a_chunk_comes_back_with_everything_that_is_known_of_it(notes: Notes) -> None:
    text = (
        "# House\n\n- The key is under the blue pot. <!-- trigger: key, pot --> <!-- importance: 7 -->"
        " <!-- project: github.com/o/r --> <!-- key: spare-key | observed: 2026-01-02 | expires: 2027-01-01"
        " | status: active -->\n"
    )
    notes.write("MEMORY.md", text)
    rows = await look(notes, lambda c: readers.file_chunks(c, "MEMORY.md"))
    row = rows[-1]

    assert (row.path, row.source, row.tier) == ("MEMORY.md", Source.MEMORY, Tier.CURATED)
    assert (row.origin, row.session_kind, row.trust) == (Origin.AGENT, SessionKind.UNKNOWN, TrustTier.CURATED)
    assert row.text in text
    assert text.split("\n")[row.end_line - 1].startswith("- The key")
    assert row.heading == "House"
    assert (row.observed_on, row.dated, row.expires_on) == (date(2026, 1, 2), True, date(2027, 1, 1))
    assert (row.importance, row.triggers, row.projects) == (7, ("key", "pot"), ("github.com/o/r",))
    assert (row.project_valid, row.supersedes_key, row.status) == (True, "spare-key", "active")


async def test_chunks_come_in_the_order_they_were_asked_for(notes: Notes) -> None:
    for number in range(5):
        notes.write(f"memory/{number}.md", f"note {number}\n")

    def query(connection: apsw.Connection) -> bool:
        ids = readers.chunk_ids(connection, readers.ANYTHING)
        wanted = [ids[3], 999_999, ids[0], ids[4]]
        return [row.id for row in readers.chunks(connection, wanted)] == [ids[3], ids[0], ids[4]]

    assert await look(notes, query)
    assert await look(notes, lambda c: readers.chunks(c, [])) == []


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        (Filters(), ["2026-01-10", "2026-01-11", "imports/a", "undated"]),
        (Filters(sources=frozenset({Source.MEMORY})), ["2026-01-10", "2026-01-11", "undated"]),
        (Filters(sources=frozenset({Source.IMPORTS, Source.EXTRA})), ["imports/a"]),
        (Filters(sources=frozenset()), []),
        (Filters(after=date(2026, 1, 11)), ["2026-01-11"]),
        (Filters(before=date(2026, 1, 10)), ["2026-01-10"]),
        (Filters(after=date(2026, 1, 10), before=date(2026, 1, 11)), ["2026-01-10", "2026-01-11"]),
    ],
)
async def test_filters_hold_in_every_search(notes: Notes, filters: Filters, paths: list[str]) -> None:
    for name in ("2026-01-10", "2026-01-11", "undated", "imports/a"):
        notes.write(f"memory/{name}.md", f"common words of {name}\n")

    def query(connection: apsw.Connection) -> tuple[list[str], list[str]]:
        hits = [
            hit.chunk_id
            for tier in TrustTier
            for hit in readers.keyword(connection, tier, '"common"', 9, filters=filters)
        ]
        by_keyword = sorted(row.path for row in readers.chunks(connection, hits))
        ids = readers.chunk_ids(connection, filters)
        by_id = sorted(row.path for row in readers.chunks(connection, ids))
        return by_keyword, by_id

    expected = [f"memory/{name}.md" for name in paths]
    assert await look(notes, query) == (expected, expected)


async def test_chunk_ids_may_be_of_one_trust_tier(notes: Notes) -> None:
    notes.write("MEMORY.md", "- one\n- two\n")
    notes.write("memory/a.md", "three\n")

    def query(connection: apsw.Connection) -> list[int]:
        return [len(readers.chunk_ids(connection, Filters(), tier)) for tier in TrustTier]

    assert await look(notes, query) == [2, 1, 0, 0]


async def test_what_is_embedded_is_found_by_its_hash(notes: Notes) -> None:
    notes.write("MEMORY.md", "# House\n\n- the pot is blue <!-- importance: 3 -->\n")

    def query(connection: apsw.Connection) -> bool:
        row = readers.file_chunks(connection, "MEMORY.md")[-1]
        found = readers.texts_of(connection, [row.text_hash, b"unknown"])
        return found == {row.text_hash: embedding_text(row.heading, row.text)}

    assert await look(notes, query)
    assert await look(notes, lambda c: readers.texts_of(c, [])) == {}


async def test_a_chunk_text_is_found_by_its_hash_as_it_is_in_the_file(notes: Notes) -> None:
    notes.write("MEMORY.md", "# House\n\n- the pot is blue <!-- importance: 3 -->\n")

    def query(connection: apsw.Connection) -> bool:
        row = readers.file_chunks(connection, "MEMORY.md")[-1]
        found = readers.chunk_texts_of(connection, [row.text_hash, b"unknown"])
        return "importance" in row.text and found == {row.text_hash: row.text}

    assert await look(notes, query)
    assert await look(notes, lambda c: readers.chunk_texts_of(c, [])) == {}


async def test_of_chunks_that_differ_in_annotations_the_last_indexed_one_is_found(notes: Notes) -> None:
    async with open_notes(notes) as index:
        for number in (1, 2, 3):
            notes.write(f"memory/{3 - number}.md", f"the pot is blue <!-- importance: {number} -->\n")
            await index.indexer.sync()

        def query(connection: apsw.Connection) -> list[str]:
            hashes = readers.live_hashes(connection, TrustTier.EPISODIC)
            assert len(set(hashes)) == 1
            return list(readers.chunk_texts_of(connection, hashes[:1]).values())

        (text,) = await index.store.read(query)
    assert "importance: 3" in text


async def test_a_file_is_known_by_its_path(notes: Notes) -> None:
    notes.write("memory/a.md", "alpha\n")
    found = await look(notes, lambda c: readers.file(c, "memory/a.md"))

    assert found is not None
    assert (found.file.root, found.file.relative, found.chunks) == ("workspace", "memory/a.md", 1)
    assert found.state.size == 6
    assert await look(notes, lambda c: readers.file(c, "memory/b.md")) is None
    assert await look(notes, lambda c: readers.file(c, "memory/\0.md")) is None


@pytest.mark.parametrize("newest", [1, 3, 5, 9])
async def test_only_the_newest_chunks_that_match_are_ranked(notes: Notes, newest: int) -> None:
    for number in range(10):  # those that were indexed first say it oftenest
        notes.write(f"memory/{number}.md", f"{'common ' * (10 - number)}\n" if number % 2 else "other\n")

    def search(connection: apsw.Connection) -> list[str]:
        found = readers.keyword(connection, TrustTier.EPISODIC, '"common"', 10, newest=newest)
        return [row.path for row in readers.chunks(connection, [hit.chunk_id for hit in found])]

    every = [f"memory/{number}.md" for number in (1, 3, 5, 7, 9)]
    assert await look(notes, search) == every[-newest:]


async def test_the_files_of_one_root_may_be_left_out_of_the_counts(notes: Notes) -> None:
    notes.write("memory/a.md", "inside\n")
    notes.extra.mkdir()
    (notes.extra / "b.md").write_text("outside\n")

    counts = await look(notes, lambda c: readers.source_counts(c, without_root="workspace"))

    assert [(count.source, count.files) for count in counts] == [(Source.EXTRA, 1)]
