"""kill -9 at each step of taking in an old memory.md: no line is lost, and doing it again finishes it."""

import os
import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.crash.doctor_steps import STEPS, Step
from tests.ops.doctor.wards import LEGACY, MEMORY, absorb, archived, count_lines
from tests.ops.worlds import HandClock, open_world

pytestmark = pytest.mark.crash


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Where the processes were killed, and how each ended."""
    base = tmp_path_factory.mktemp("doctor")
    for step in STEPS:
        (base / str(step)).mkdir()
    command = [sys.executable, "-m", "tests.crash.doctor_steps", str(base)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    ends = [line.split() for line in found.stdout.splitlines() if line.startswith("ended ")]
    return base, {step: code for _, step, code in ends}


@pytest.mark.parametrize("step", STEPS, ids=str)
async def test_nothing_is_lost_and_again_finishes_it(
    killed: tuple[Path, dict[str, str]], step: Step, tmp_path: Path
) -> None:
    base, ends = killed
    assert ends[str(step)] == str(-signal.SIGKILL)
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
