"""kill -9 at each step of a look through old notes: a second look finishes it, a rollback takes all of it."""

import shutil
from pathlib import Path

import pytest

from openclaw_memd.domain.backfill_pages import count_entries
from openclaw_memd.domain.dream_pages import open_diary
from tests.crash.backfill_steps import MINE, NOTES, STEPS, Step
from tests.crash.dying import KILLED, run_forking
from tests.dreaming.backfills import look, page, preview, roll_back
from tests.dreaming.worlds import World, open_world

pytestmark = [pytest.mark.crash, pytest.mark.slow]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """Where the processes were killed, and how each ended."""
    base = tmp_path_factory.mktemp("backfills")
    for step in STEPS:
        (base / str(step)).mkdir()
    return base, run_forking("tests.crash.backfill_steps", base)


def _left(world: World) -> list[str]:
    """Versions of DREAMS.md that lie beside it."""
    return [path.name for path in world.folder.iterdir() if path.name.startswith(".memd-")]


async def _settle(world: World) -> None:
    """What the pages' own task does first, and after a while."""
    world.memory.dreaming.pages.files.clean()
    await world.memory.dreaming.pages.settle()


@pytest.mark.parametrize("step", STEPS, ids=str)
async def test_a_second_look_or_a_rollback_mends_it(
    killed: tuple[Path, dict[str, int]], step: Step, tmp_path: Path
) -> None:
    base, ends = killed
    assert ends[str(step)] == KILLED
    shutil.copytree(base / str(step), tmp_path / "again", symlinks=True)

    async with open_world(base=tmp_path / "again") as world:
        await roll_back(world)
        assert await world.candidates() == {}
        assert page(world) in (MINE, open_diary(MINE)[0])
        assert (await preview(world)).candidates == len(NOTES)
        await _settle(world)
        assert _left(world) == []

    async with open_world(base=base / str(step)) as world:
        done = await look(world)
        assert done.candidates + done.known == len(NOTES)
        assert len(await world.candidates()) == len(NOTES)
        assert count_entries(page(world)) == len(NOTES)
        assert page(world).endswith(MINE)
        assert all(one.signals.grounded == 2 for one in (await world.candidates()).values())
        assert (await preview(world)).candidates == 0
        text = page(world)
        await look(world)
        assert page(world) == text
        assert {path: (world.folder / path).read_text() for path in NOTES} == NOTES
