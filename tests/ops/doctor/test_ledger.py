"""What the ledger and the clock tell."""

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from openclaw_memd.index.ledger.losses import record_loss
from openclaw_memd.ops.doctor.checking import _check_ledger
from tests.ops.worlds import World, open_world


async def judge(world: World, *, waiting: int = 0, dangling: int = 0, drift_s: float = 0.0) -> dict[str, str]:
    async def count_dangling() -> int:
        return dangling

    patient: Any = SimpleNamespace(
        state=world.state,
        earlier=None,
        clock=world.clock,
        signals=SimpleNamespace(count_dangling=count_dangling),
        waiting=lambda: waiting,
        drift_s=lambda: drift_s,
    )
    return {one.id: one.detail for one in await _check_ledger(patient)}


async def test_an_ordinary_ledger_says_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.note("s1", "- noted")
        assert await judge(world) == {}


async def test_a_clock_that_is_behind_the_newest_record(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.note("s1", "- noted")
        world.clock.at -= timedelta(days=400)
        found = await judge(world)
        assert found["clock-behind"] == (
            "The newest record is of 2026-01-11 12:00 UTC, and the clock says 2024-12-07 12:00 UTC."
        )


async def test_a_lost_state_waiting_texts_and_dangling_candidates(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.state.write(lambda connection: record_loss(connection, world.clock.now()))
        found = await judge(world, waiting=2, dangling=1, drift_s=-7200.0)
    assert found.keys() == {"origins-lost", "texts-waiting", "dangling-signals", "clock-set-back"}
    assert found["texts-waiting"] == "2 accepted texts wait to be written."
    assert "2026-01-11" in found["origins-lost"]
