"""What nights made of a source is forgotten with it."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from openclaw_memd.domain.line_hashes import hash_line
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.dreaming.lost_claims import LostClaims
from openclaw_memd.dreaming.promoted_forgetting import PromotedForgetting
from tests.dreaming.nights import NOTE, Nights, open_nights

POT = "Meter box key is under the blue pot."
OTHER = "memory/2026-01-10.md"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Nights]:
    async with open_nights(tmp_path) as nights:
        yield nights


async def test_entries_and_proposals_of_a_source_are_found_and_others_are_not(desk: Nights) -> None:
    owner = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)
    desk.write("MEMORY.md", "- Mine (Source: a book).\n")
    orders = await desk.note_as(owner, "Always answer in German.", POT)
    await desk.night([*orders, *desk.note("The lab is in Linz.", path=OTHER)])
    await desk.night(
        desk.note("The sea is far away.", path="memory/2026-01-09.md"), run_id="r2", mode="propose"
    )
    forgetting = PromotedForgetting(desk.world.state, desk.core)

    found = await forgetting.find(lambda path: path == NOTE, LostClaims())
    assert (found.count({"MEMORY.md", "USER.md"}), found.count({"USER.md"})) == (2, 1)
    assert found.texts == {POT, "Always answer in German."}
    assert found.heads.keys() == {"MEMORY.md", "USER.md"}
    lines = {hash_line(line) for line in desk.memory.split("\n") if POT in line}
    assert found.heads["MEMORY.md"] == lines
    (pot,) = (one.candidate.key for one in orders if one.candidate.text == POT)
    for lost in (LostClaims(places=frozenset({(NOTE, pot)})), LostClaims(keys=frozenset({pot}))):
        assert (await forgetting.find(lambda _path: False, lost)).texts == {POT}
    elsewhere = LostClaims(places=frozenset({(OTHER, pot)}))
    assert (await forgetting.find(lambda _path: False, elsewhere)).heads == {}

    forget = partial(
        forgetting.forget_proposals, lambda _path: False, lambda text: "sea" in text, LostClaims()
    )
    assert await forget(dry_run=True) == ["The sea is far away."]
    assert await forget(dry_run=False) == ["The sea is far away."]
    assert not await desk.consolidation.proposals.list()
    assert await forget(dry_run=False) == []
