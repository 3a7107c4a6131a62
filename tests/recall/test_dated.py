from dataclasses import replace
from datetime import date
from pathlib import Path

from openclaw_memd.domain.audience import OPERATOR, Notes
from openclaw_memd.recall.dated import Dated
from openclaw_memd.recall.types import Hit, SearchRequest
from tests.recall.memory import Memory, open_memory

TEXTS = {
    "MEMORY.md": "- An entry without a date.\n",
    "memory/2026-01-05.md": "# Monday\n\n- first\n- second\n\n" + "- long " + "word " * 200 + "\n",
    "memory/2026-01-06.md": "- third\n" * 3,
    "memory/2026-01-06-slug.md": "- of another file\n",
    "memory/2026-01-20.md": "- too late\n",
}
WEEK = SearchRequest("", after=date(2026, 1, 5), before=date(2026, 1, 11), max_results=10)


async def find(memory: Memory, request: SearchRequest = WEEK) -> tuple[Hit, ...]:
    return await Dated(memory.indexer.store, memory.get).find(request)


async def test_the_passages_of_some_days_come_latest_day_first_in_turn(tmp_path: Path) -> None:
    async with open_memory(tmp_path, TEXTS) as memory:
        hits = await find(memory)

    assert [hit.citation for hit in hits] == [
        "memory/2026-01-06-slug.md#L1",
        "memory/2026-01-05.md#L3-L4",
        "memory/2026-01-06.md#L1-L3",
    ]
    assert hits[1].text == "- first\n- second"
    assert all(hit.observed_at is not None and not hit.weak for hit in hits)


async def test_there_are_as_many_as_are_asked_for(tmp_path: Path) -> None:
    async with open_memory(tmp_path, TEXTS) as memory:
        assert len(await find(memory, replace(WEEK, max_results=2))) == 2
        assert await find(memory, replace(WEEK, after=date(2026, 2, 1), before=None)) == ()


async def test_what_the_file_no_longer_says_is_left_out(tmp_path: Path) -> None:
    async with open_memory(tmp_path, TEXTS) as memory:
        (memory.notes.folder / "memory/2026-01-06.md").write_text("- rewritten\n", encoding="utf-8")
        (memory.notes.folder / "memory/2026-01-06-slug.md").unlink()

        hits = await find(memory)

    assert [hit.path for hit in hits] == ["memory/2026-01-05.md"]


async def test_who_may_not_see_the_notes_is_shown_none(tmp_path: Path) -> None:
    view = replace(OPERATOR, curated=False, notes=Notes.NONE, foreign=False)
    async with open_memory(tmp_path, TEXTS) as memory:
        assert await find(memory, replace(WEEK, view=view)) == ()
