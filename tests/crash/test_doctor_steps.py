"""kill -9 at each step of taking in an old memory.md: no line is lost, and doing it again finishes it."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.crash.doctor_steps import STEPS, Step
from tests.crash.dying import KILLED, run_forking
from tests.ops.doctor.wards import LEGACY, MEMORY, absorb, archived, count_lines
from tests.ops.worlds import HandClock, open_world

pytestmark = pytest.mark.crash


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """Where the processes were killed, and how each ended."""
    base = tmp_path_factory.mktemp("doctor")
    for step in STEPS:
        (base / str(step)).mkdir()
    return base, run_forking("tests.crash.doctor_steps", base)


@pytest.mark.parametrize("step", STEPS, ids=str)
async def test_nothing_is_lost_and_again_finishes_it(
    killed: tuple[Path, dict[str, int]], step: Step, tmp_path: Path
) -> None:
    base, ends = killed
    assert ends[str(step)] == KILLED
    left = base / str(step)
    shutil.copytree(left, tmp_path / "again", symlinks=True)
    texts = [path.read_text(encoding="utf-8") for path in (left / "workspace").rglob("*") if path.is_file()]
    assert LEGACY in texts  # the whole of it lies somewhere at every moment
    assert not step.has_memory or any(text.startswith(MEMORY) for text in texts)

    clock = HandClock()
    clock.at += timedelta(seconds=1)
    async with open_world(tmp_path / "again", clock=clock) as world:
        await absorb(world)
        assert archived(world) == [LEGACY]
        assert not world.exists("memory.md")
        assert all(count_lines(world, line) for line in LEGACY.split("\n"))
        assert count_lines(world, "- The lamp is blue.") == 1
        assert world.read("MEMORY.md").startswith(MEMORY if step.has_memory else LEGACY)
