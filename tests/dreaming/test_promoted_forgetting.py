"""What nights made of a source is forgotten with it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.dreaming.promoted_forgetting import ForgottenPromotions, PromotedForgetting
from tests.dreaming.nights import NOTE, Nights, open_nights

POT = "Meter box key is under the blue pot."
OTHER = "memory/2026-01-10.md"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Nights]:
    async with open_nights(tmp_path) as nights:
        yield nights


async def test_entries_and_proposals_of_a_source_go_and_others_stay(desk: Nights) -> None:
    owner = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)
    desk.write("MEMORY.md", "- Mine (Source: a book).\n")
    orders = await desk.note_as(owner, "Always answer in German.", POT)
    await desk.night([*orders, *desk.note("The lab is in Linz.", path=OTHER)])
    await desk.night(
        desk.note("The sea is far away.", path="memory/2026-01-09.md"), run_id="r2", mode="propose"
    )
    forgetting = PromotedForgetting(desk.world.state, desk.core, desk.world.writer, desk.world.clock)

    before = desk.memory
    looked = await forgetting.forget(lambda path: path == NOTE, lambda _text: False, dry_run=True)
    assert looked == ForgottenPromotions(entries=2)
    assert desk.memory == before
    done = await forgetting.forget(lambda path: path == NOTE, lambda text: "sea" in text, dry_run=False)
    assert done == ForgottenPromotions(entries=2, proposals=1)
    assert POT not in desk.memory
    assert "German" not in desk.user
    assert "- Mine (Source: a book).\n" in desk.memory
    assert "The lab is in Linz." in desk.memory
    assert not await desk.consolidation.proposals.list()
    buried = desk.world.rows("SELECT path, count(*) FROM line_tombstones GROUP BY path ORDER BY path")
    assert [path for path, _ in buried] == ["MEMORY.md", "USER.md"]
    again = await forgetting.forget(lambda path: path == NOTE, lambda text: "sea" in text, dry_run=False)
    assert again == ForgottenPromotions()
