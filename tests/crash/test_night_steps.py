"""kill -9 at each step of a night: the old file or the new one, and the next night writes nothing twice."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.crash.dying import KILLED, run_forking
from tests.crash.night_steps import BEFORE, FACTS, STEPS, Step, dream
from tests.dreaming.nights import NOW, open_nights

pytestmark = pytest.mark.crash


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """Where the processes were killed, and how each ended."""
    base = tmp_path_factory.mktemp("nights")
    for step in STEPS:
        (base / str(step)).mkdir()
    return base, run_forking("tests.crash.night_steps", base)


@pytest.mark.parametrize("step", STEPS, ids=str)
async def test_the_next_night_finishes_it_and_writes_nothing_twice(
    killed: tuple[Path, dict[str, int]], step: Step
) -> None:
    base, ends = killed
    assert ends[str(step)] == KILLED
    async with open_nights(base / str(step)) as nights:
        was_written = nights.memory != BEFORE
        chosen = nights.note(*FACTS)
        keys = {one.candidate.key for one in chosen}
        done = await nights.night(chosen, run_id="r2", now=NOW + timedelta(days=1))
        assert set(done.promoted) == keys
        assert (set(done.promoted.values()) == {"reconciled"}) == was_written
        assert set(nights.signals.promoted) == keys
        assert nights.memory.count("in Linz") == 1
        assert nights.memory.count("port 9400") == 1
        assert "in Graz" not in nights.memory
        assert nights.memory.count("- It rains in May.\n") == 1
        rows = nights.world.rows("SELECT run_id, state, count(*) FROM promotions GROUP BY run_id, state")
        assert rows == [("r1" if was_written else "r2", "done", 2)]
        before = nights.memory
        await dream(nights, "r3")
        assert nights.memory == before
