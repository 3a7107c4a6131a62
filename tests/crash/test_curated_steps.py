"""kill -9 at each step of a rewrite: it happened or not, and no line of an editor is lost or doubled."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import pytest

from openclaw_memd.domain.provenance import Origin
from tests.crash.curated_steps import BEFORE, STEPS, Step
from tests.crash.dying import KILLED, run_forking
from tests.curated.worlds import open_world

pytestmark = pytest.mark.crash


@dataclass(frozen=True)
class Killed:
    """Where the processes were killed, and an editor that has opened each file before."""

    base: Path
    editors: dict[str, FileIO]
    ends: dict[str, int]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killed]:
    base = tmp_path_factory.mktemp("steps")
    editors = {}
    with ExitStack() as opened:
        for step in STEPS:
            path = base / str(step) / "workspace/MEMORY.md"
            path.parent.mkdir(parents=True)
            path.write_bytes(BEFORE)
            editors[str(step)] = opened.enter_context(FileIO(path, "a"))
        ends = run_forking("tests.crash.curated_steps", base)
        yield Killed(base, editors, ends)


@pytest.mark.parametrize("step", STEPS, ids=str)
async def test_a_kill_loses_and_doubles_nothing(killed: Killed, step: Step) -> None:
    name = str(step)
    assert killed.ends[name] == KILLED
    killed.editors[name].write(b"- after\n")
    for _ in range(2):
        async with open_world(killed.base / name) as world:
            await world.settle()
            lines = world.read().decode().splitlines()
            wanted = ["- one"] + ["- after"] * (not step.is_over)
            wanted += ["- late"] * step.is_late + ["- edited"] * step.is_edited
            is_there = "- ours" in lines
            assert sorted(lines) == sorted([*wanted, *["- ours"] * is_there])
            assert [path.name for path in world.folder.iterdir()] == ["MEMORY.md"]
            assert world.path.stat().st_nlink == 1
            assert world.rows("SELECT count(*) FROM curated_rewrites") == [(0,)]
            rows = world.rows("SELECT count(*) FROM preimages WHERE cause = 'remember'")
            assert rows == [(int(is_there),)]
            if is_there:
                assert (await world.origins())["- ours"] == Origin.OWNER
            else:
                assert world.rows("SELECT count(*) FROM spans") == [(0,)]
            assert is_there or not step.is_late
