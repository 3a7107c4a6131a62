"""kill -9 at each step: an archive with its name is whole, and a folder is the old one or the new one."""

from pathlib import Path

import pytest

from openclaw_memd.ops.backup.reading import verify_archive
from tests.crash.backup_steps import NEW, OLD, STEPS, Step
from tests.crash.dying import KILLED, run_forking
from tests.ops.backup.archives import ID, NOW, open_shop

pytestmark = pytest.mark.crash


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """Where the processes were killed, and how each ended."""
    base = tmp_path_factory.mktemp("backups")
    return base, run_forking("tests.crash.backup_steps", base)


@pytest.mark.parametrize("step", [step for step in STEPS if step.what == "create"], ids=str)
async def test_an_archive_that_is_not_whole_has_no_name(
    killed: tuple[Path, dict[str, int]], step: Step
) -> None:
    base, ends = killed
    assert ends[str(step)] == KILLED
    folder = base / str(step) / "archives"
    names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    is_made = step.name == "_sync" or (step.name == "link" and step.is_after)
    assert names == {"old.tar.gz", "new.tar.gz"} | ({"more.tar.gz"} if is_made else set())
    for name in names:
        with (folder / name).open("rb") as file:
            verify_archive(file)
    async with open_shop(base / str(step)) as shop:
        await shop.make("next.tar.gz")
    assert {path.name for path in folder.iterdir()} == names | {"next.tar.gz"}


@pytest.mark.parametrize("step", [step for step in STEPS if step.what == "restore"], ids=str)
def test_a_folder_is_the_old_one_or_the_new_one(killed: tuple[Path, dict[str, int]], step: Step) -> None:
    from openclaw_memd.ops.backup.restoring import restore_archive

    base, ends = killed
    assert ends[str(step)] == KILLED
    place = base / str(step)
    is_swapped = step.name == "_keep" or (step.name in {"exchange_names", "swap_folders"} and step.is_after)
    assert (place / "back/workspace/main/MEMORY.md").read_bytes() == (NEW if is_swapped else OLD)
    assert (place / f"back/state/{ID}/state.db").stat().st_size > 0
    if is_swapped:  # and what was there is beside it
        texts = [path.read_bytes() for path in place.glob("*back*/workspace/main/MEMORY.md")]
        assert sorted(texts) == [OLD, NEW] or sorted(texts, reverse=True) == [NEW, OLD]
    restored = restore_archive(place / "archives/new.tar.gz", place / "back", now=NOW)
    assert (restored.workspace(restored.manifest.workspaces[0]) / "MEMORY.md").read_bytes() == NEW
    assert not list(place.glob(".back.memd-unpacking-*"))
