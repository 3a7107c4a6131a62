"""Where an archive comes back to, and what becomes of what was there."""

import errno
import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.errors import ConflictError
from openclaw_memd.files import renaming
from openclaw_memd.files.arrival import Known
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.workspace import open_workspace
from openclaw_memd.ops.backup import restoring, unpacking
from openclaw_memd.ops.backup.manifest import ArchiveError
from openclaw_memd.ops.backup.restoring import RestoreError
from openclaw_memd.ops.backup.unpacking import remove_tree
from tests.ops.backup.archives import ID, Shop, open_shop, picture


async def make(shop: Shop, text: bytes = b"- new\n") -> Path:
    shop.write("MEMORY.md", text)
    return (await shop.make()).path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_new_folder_is_a_workspace_with_its_state(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        restored = shop.restore(await make(shop), "some/where/back")
    (one,) = restored.manifest.workspaces
    assert restored.kept_aside is None
    with open_workspace(restored.workspace(one), state_dir=restored.state_dir) as workspace:
        assert workspace.arrival == Known(ID)
        assert workspace.state == tmp_path / "some/where/back/state" / ID
        assert not workspace.origins_lost


async def test_what_was_there_is_kept_under_a_name_with_the_time(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        archive = await make(shop)
        (tmp_path / "back").mkdir()
        (tmp_path / "back/precious").write_text("mine")
        kept = [shop.restore(archive).kept_aside for _ in range(3)]
    assert kept == [
        tmp_path / "back.before-20260111T120000Z",
        tmp_path / "back.before-20260111T120000Z-2",
        tmp_path / "back.before-20260111T120000Z-3",
    ]
    assert (tmp_path / "back.before-20260111T120000Z/precious").read_text() == "mine"
    assert (tmp_path / "back/workspace/main/MEMORY.md").read_bytes() == b"- new\n"
    assert not [name for name in names(tmp_path) if name.startswith(".")]


async def test_an_empty_folder_is_nothing_to_keep(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        archive = await make(shop)
        (tmp_path / "back").mkdir()
        assert shop.restore(archive).kept_aside is None
    assert names(tmp_path) == ["archives", "back", "state", "ws"]


async def test_where_names_cannot_be_exchanged_it_takes_two_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(*_args: Any) -> None:
        raise OSError(errno.EINVAL, "no such step here")

    monkeypatch.setattr(renaming, "exchange_names", cannot)
    monkeypatch.setattr(renaming, "rename_new", cannot)
    async with open_shop(tmp_path) as shop:
        archive = await make(shop)
        assert shop.restore(archive).kept_aside is None
        kept = shop.restore(archive).kept_aside
    assert kept is not None
    assert (kept / "workspace/main/MEMORY.md").read_bytes() == b"- new\n"
    assert (tmp_path / "back/workspace/main/MEMORY.md").read_bytes() == b"- new\n"


@pytest.mark.parametrize(
    "place",
    [
        "state/{id}/lock",
        "workspace/main/memory/.dreams/lock",
        "memory/.dreams/lock",
        "openclaw-memd/{id}/lock",
        "notes/memory/.dreams/lock",
        "deep/er/notes/memory/.dreams/lock",
    ],
)
async def test_a_folder_that_a_daemon_uses_is_left_alone(tmp_path: Path, place: str) -> None:
    lock = tmp_path / "back" / place.format(id=ID)
    lock.parent.mkdir(parents=True)
    lock.touch()
    async with open_shop(tmp_path) as shop:
        archive = await make(shop)
        with lock.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with pytest.raises(ConflictError) as refused:
                shop.restore(archive)
        assert refused.value.reason == "lock_held"
        assert lock.exists()
        assert shop.restore(archive).kept_aside is not None


async def test_some_folders_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home/me"))
    (tmp_path / "home/me").mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    async with open_shop(tmp_path) as shop:
        archive = await make(shop)
        for place in ("home/me", "home", "file", "archives", ".", "/"):
            with pytest.raises(RestoreError):
                shop.restore(archive, place)
        assert picture(shop.workspace)["MEMORY.md"][3] == b"- new\n"


async def test_nothing_is_restored_into_a_workspace(tmp_path: Path) -> None:
    """Lines of visitors would lie among those that people wrote."""
    async with open_shop(tmp_path) as shop:
        archive = await make(shop)
        workspace = shop.restore(archive).folder / "workspace/main"
        before = picture(workspace)
        for place in ("", "/memory/old", "/memory/a/b"):
            with pytest.raises(RestoreError, match="workspace"):
                shop.restore(archive, f"back/workspace/main{place}")
        assert picture(workspace) == before
        assert (shop.restore(archive, "back/workspace/main/new").folder / "state").is_dir()


async def test_a_full_disk_leaves_all_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_shop(tmp_path) as shop:
        archive = await make(shop)
        shop.restore(archive)
        before = picture(tmp_path / "back")

        def full(*_args: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(unpacking, "_write_file", full)
        with pytest.raises(OSError, match="No space"):
            shop.restore(archive)
    assert picture(tmp_path / "back") == before
    assert not [name for name in names(tmp_path) if name.startswith((".", "back."))]


async def test_a_workspace_whose_notes_are_a_link_comes_back_untied(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        shop.write("elsewhere/a.md")
        (shop.workspace / "memory").symlink_to("elsewhere")
        restored = shop.restore(await make(shop))
    assert restored.untied == ("main",)
    assert (tmp_path / "back/workspace/main/memory").readlink() == Path("elsewhere")
    assert not (tmp_path / "back/workspace/main/elsewhere/.dreams").exists()


async def test_modes_that_forbid_writing_come_back(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        shop.write("memory/a.md")
        (shop.workspace / "memory").chmod(0o555)
        restored = shop.restore(await make(shop))
    notes = restored.folder / "workspace/main/memory"
    assert notes.stat().st_mode & 0o777 == 0o555
    assert (notes / ".dreams/memd.json").exists()


async def test_what_lies_deeper_than_one_call_reaches_comes_back(tmp_path: Path) -> None:
    """However long the place is that it is brought back to."""
    name = "d" * 200
    async with open_shop(tmp_path) as shop:
        folder = os.open(shop.workspace, os.O_RDONLY)
        for _ in range(25):
            os.mkdir(name, dir_fd=folder)
            folder, above = os.open(name, os.O_RDONLY, dir_fd=folder), folder
            os.close(above)
        file = os.open("deep.md", os.O_WRONLY | os.O_CREAT, dir_fd=folder)
        os.write(file, b"- deep")
        os.close(file)
        os.symlink("deep.md", "link.md", dir_fd=folder)
        os.close(folder)
        archive = await make(shop)
        for _ in range(2):
            restored = shop.restore(archive)
        path = "/".join([name] * 25)
        root = os.open(restored.folder / "workspace/main", os.O_RDONLY)
        try:
            assert read_bytes(root, f"{path}/deep.md", 100)[0] == b"- deep"
            assert read_bytes(root, f"{path}/link.md", 100) is SkipReason.SYMLINK
        finally:
            os.close(root)
        assert restored.kept_aside is not None


@pytest.mark.slow
async def test_what_was_unpacked_so_deep_goes_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.EIO, "broken")

    async with open_shop(tmp_path) as shop:
        path = shop.workspace
        for _ in range(1_500):  # deeper than Python calls itself
            path /= "d"
            path.mkdir()
        path.chmod(0o500)
        archive = await make(shop)
        monkeypatch.setattr(restoring, "_sync_all", fail)
        with pytest.raises(OSError, match="broken"):
            shop.restore(archive)
        assert names(tmp_path) == ["archives", "state", "ws"]
        monkeypatch.undo()
        assert shop.restore(archive).kept_aside is None
        assert shop.restore(archive).kept_aside is not None
    for found in (tmp_path / "back", tmp_path / "ws", tmp_path / "back.before-20260111T120000Z"):
        remove_tree(found)  # pytest cannot
    assert names(tmp_path) == ["archives", "state"]


async def test_a_pipe_is_no_archive(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    async with open_shop(tmp_path) as shop:
        with pytest.raises(ArchiveError, match="no file"):
            shop.restore(tmp_path / "pipe")
