"""Importing: what is copied, what stays, and what an undo brings back."""

import errno
import os
from pathlib import Path

import pytest
import trio

from openclaw_memd.errors import InvalidParamsError, NotFoundError, UnavailableError
from openclaw_memd.files import renaming
from openclaw_memd.files.rules import FileRules
from openclaw_memd.ops.imports import service, writing
from openclaw_memd.ops.imports.collecting import read_offer
from openclaw_memd.ops.imports.types import Left
from tests.ops.imports.worlds import CODEX, open_world, reasons, states


async def test_files_are_copied_beside_the_memory_and_never_into_it(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write("MEMORY.md", "- mine\n")
        source = world.offer(".codex/memories/MEMORY.md", "- theirs\r\n")
        os.utime(source, ns=(10**18, 10**18))
        world.offer(".codex/memories/memory_summary.md", "- short\n")
        world.offer(".codex/memories/other.md", "- not asked for\n")
        before = world.hashes("home")
        done = await world.apply("codex")
        assert world.read("MEMORY.md") == "- mine\n"
        assert (world.folder / CODEX).read_bytes() == b"- theirs\r\n"
        assert (world.folder / CODEX).stat().st_mtime_ns == 10**18  # it is as old as it was
        assert sorted(world.files()) == ["MEMORY.md", CODEX, "memory/imports/codex/memory_summary.md"]
        assert (done.copied, done.replaced, done.backup, done.resumed) == (2, 0, None, False)
        assert world.hashes("home") == before
        assert world.synced == 1


async def test_a_preview_writes_nothing_anywhere(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        before = world.hashes(".")
        preview = await world.preview("codex", replace=True)
        assert world.hashes(".") == before
        assert states(preview) == {"codex/MEMORY.md": "new"}
        assert [one.bytes for one in preview.files] == [9]


async def test_the_same_again_has_nothing_to_do(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        await world.apply("codex")
        again = await world.apply("codex")
        assert (again.id, again.copied) == (None, 0)
        assert states(again.preview) == {"codex/MEMORY.md": "unchanged"}
        assert len(await world.imports.receipts()) == 1


async def test_a_file_with_other_content_is_a_conflict_and_stays(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        world.offer(".codex/memories/memory_summary.md", "- short\n")
        world.write(CODEX, "- edited by me\n")
        done = await world.apply("codex")
        assert world.read(CODEX) == "- edited by me\n"
        assert done.copied == 1
        assert done.preview.conflicts == (Left(CODEX, "exists"),)


async def test_the_ledger_is_told_of_files_when_they_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")

        def fail(*_args: object) -> None:
            raise OSError(errno.EIO, "the disk fails")

        with monkeypatch.context() as failing:
            failing.setattr(writing, "sync_names", fail)
            for _ in range(2):  # the second one finds the file there
                with pytest.raises(UnavailableError):
                    await world.apply("codex")
                assert await world.rows("SELECT state FROM import_files") == [("planned",)]
        assert world.read(CODEX) == "- theirs\n"
        done = await world.apply("codex")
        assert (done.copied, done.resumed) == (1, True)
        assert await world.rows("SELECT state FROM import_files") == [("copied",)]


async def test_what_is_replaced_is_backed_up_first_and_comes_back_exactly(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        world.offer(".codex/memories/memory_summary.md", "- short\n")
        mine = world.write(CODEX, b"- mine\r\n\xef\xbb\xbf")
        mine.chmod(0o640)
        os.utime(mine, ns=(10**18, 10**18))
        before = world.files()
        done = await world.apply("codex", replace=True)
        assert (done.copied, done.replaced) == (2, 1)
        assert world.read(CODEX) == "- theirs\n"
        assert mine.stat().st_mode & 0o777 == 0o640
        assert done.backup is not None
        assert done.id is not None
        backup = Path(done.backup) / "files" / CODEX
        assert backup.read_bytes() == b"- mine\r\n\xef\xbb\xbf"
        assert backup.stat().st_mode & 0o777 == 0o600
        assert backup.is_relative_to(tmp_path / "data")
        undone = await world.imports.undo(done.id)
        assert world.files() == before
        assert mine.stat().st_mtime_ns == 10**18
        assert (undone.restored, undone.removed, undone.kept) == (2, 1, ())
        assert not (world.folder / "memory/imports/codex/memory_summary.md").exists()


async def test_an_undo_removes_the_folders_that_it_empties(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer("notes/a/b/c.md", "- c\n")
        done = await world.apply("path", world.home / "notes")
        assert done.id is not None
        assert (world.folder / "memory/imports/path/notes/a/b/c.md").exists()
        await world.imports.undo(done.id)
        assert list((world.folder / "memory/imports").iterdir()) == []
        assert (await world.imports.receipts())[0].state == "undone"


async def test_what_was_edited_since_is_kept_and_said(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for name in ("new", "edited", "gone", "replaced"):
            world.offer(f"notes/{name}.md", f"- {name}\n")
        head = "memory/imports/path/notes/"
        world.write(f"{head}replaced.md", "- before\n")
        world.write(f"{head}gone.md", "- before too\n")
        done = await world.apply("path", world.home / "notes", replace=True)
        world.write(f"{head}edited.md", "- edited\n- and mine\n")
        world.write(f"{head}replaced.md", "- replaced and edited\n")
        (world.folder / f"{head}gone.md").unlink()
        assert done.id is not None
        undone = await world.imports.undo(done.id)
        assert undone.kept == (
            Left(f"{head}edited.md", "edited"),
            Left(f"{head}gone.md", "gone"),
            Left(f"{head}replaced.md", "edited"),
        )
        assert (undone.restored, undone.removed) == (1, 1)
        assert world.files() == {
            f"{head}edited.md": "- edited\n- and mine\n",
            f"{head}replaced.md": "- replaced and edited\n",
        }
        world.write(f"{head}replaced.md", "- replaced\n")  # as the import left it
        again = await world.imports.undo(done.id)
        assert world.read(f"{head}replaced.md") == "- before\n"
        assert len(again.kept) == 2


async def test_a_backup_that_is_damaged_replaces_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        world.write(CODEX, "- mine\n")
        done = await world.apply("codex", replace=True)
        assert done.id is not None
        assert done.backup is not None
        (Path(done.backup) / "files" / CODEX).write_bytes(b"- forged\n")
        undone = await world.imports.undo(done.id)
        assert undone.kept == (Left(CODEX, "no_backup"),)
        assert world.read(CODEX) == "- theirs\n"


async def test_a_later_import_is_not_undone_by_an_earlier_one(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- one\n")
        first = await world.apply("codex")
        world.offer(".codex/memories/MEMORY.md", "- two\n")
        second = await world.apply("codex", replace=True)
        assert first.id is not None
        assert second.id is not None
        assert (await world.imports.undo(first.id)).kept == (Left(CODEX, "edited"),)
        assert world.read(CODEX) == "- two\n"
        await world.imports.undo(second.id)
        assert world.read(CODEX) == "- one\n"
        await world.imports.undo(first.id)
        assert world.files() == {}


async def test_two_at_once_wait_for_each_other(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for number in range(5):
            world.offer(f"a/{number}.md", f"- a {number}\n")
            world.offer(f"b/{number}.md", f"- b {number}\n")
        ids: list[str | None] = []

        async def run(name: str) -> None:
            ids.append((await world.apply("path", world.home / name)).id)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, "a")
            nursery.start_soon(run, "b")
            nursery.start_soon(run, "a")
        assert ids.count(None) == 1  # the second of the same found nothing to do
        assert len(world.files()) == 10
        assert [name for name in world.steps if name in ("begin", "done")] == ["begin", "done"] * 2


async def test_a_file_that_changes_while_it_is_imported_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.offer("notes/calm.md", "- calm\n")
        restless = world.offer("notes/restless.md", "- one\n")

        def read_late(*args: object) -> object:
            restless.write_text("- another\n")
            return read_offer(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(writing, "read_offer", read_late)
        done = await world.apply("path", world.home / "notes")
        assert done.copied == 1
        assert reasons(done.preview) == {"memory/imports/path/notes/restless.md": "changing"}
        assert list(world.files()) == ["memory/imports/path/notes/calm.md"]


async def test_who_writes_to_the_place_meanwhile_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.offer("notes/new.md", "- theirs\n")
        world.offer("notes/old.md", "- theirs too\n")
        head = "memory/imports/path/notes/"
        world.write(f"{head}old.md", "- before\n")

        def read_late(*args: object) -> object:
            world.write(f"{head}new.md", "- mine, just now\n")
            world.write(f"{head}old.md", "- mine, edited just now\n")
            return read_offer(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(writing, "read_offer", read_late)
        done = await world.apply("path", world.home / "notes", replace=True)
        assert done.copied == 0
        assert set(reasons(done.preview).values()) == {"exists"}
        assert world.files() == {
            f"{head}new.md": "- mine, just now\n",
            f"{head}old.md": "- mine, edited just now\n",
        }


@pytest.mark.parametrize("is_there", [True, False])
async def test_it_works_where_names_cannot_be_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_there: bool
) -> None:
    if not is_there:
        monkeypatch.setattr(renaming, "find_renameat2", lambda: None)
    async with open_world(tmp_path) as world:
        world.offer("notes/new.md", "- theirs\n")
        world.offer("notes/old.md", "- theirs too\n")
        world.write("memory/imports/path/notes/old.md", "- before\n")
        before = world.files()
        done = await world.apply("path", world.home / "notes", replace=True)
        assert list(world.files().values()) == ["- theirs\n", "- theirs too\n"]
        await world.imports.undo(done.id or "")
        assert world.files() == before


async def test_an_index_that_cannot_be_read_does_not_deny_what_was_done(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        world.sync_fails = True
        assert (await world.apply("codex")).copied == 1


async def test_a_full_disk_ends_it_and_the_same_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        for number in range(4):
            world.offer(f"notes/{number}.md", f"- {number}\n")
        real = os.fsync
        left = [5]  # three folders, and two files

        def fsync(descriptor: int) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "full")
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)
        with pytest.raises(UnavailableError) as caught:
            await world.apply("path", world.home / "notes")
        assert caught.value.reason == "disk_full"
        some = world.files()
        assert 0 < len(some) < 4
        assert all(path.endswith(".md") and "/." not in path for path in some)
        monkeypatch.setattr(os, "fsync", real)
        done = await world.apply("path", world.home / "notes")
        assert (done.copied, done.resumed) == (4, True)
        assert len(await world.imports.receipts()) == 1


async def test_too_little_room_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        monkeypatch.setattr(service, "SPARE_BYTES", 1 << 60)
        with pytest.raises(UnavailableError, match="no room"):
            await world.apply("codex")
        assert world.files() == {}
        assert await world.imports.receipts() == []


@pytest.mark.parametrize("replace", [False, True])
async def test_a_link_in_the_place_is_never_written_through(tmp_path: Path, *, replace: bool) -> None:
    async with open_world(tmp_path) as world:
        outside = world.offer("outside.md", "- not yours\n")
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        (world.folder / "memory/imports/codex").mkdir(parents=True)
        (world.folder / CODEX).symlink_to(outside)
        done = await world.apply("codex", replace=replace)
        assert reasons(done.preview) == {CODEX: "symlink"}
        assert outside.read_text() == "- not yours\n"


async def test_a_linked_folder_in_the_way_leads_nowhere(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        (world.home / "elsewhere").mkdir()
        (world.folder / "memory/imports").symlink_to(world.home / "elsewhere")
        done = await world.apply("codex")
        assert done.copied == 0
        assert reasons(done.preview) == {CODEX: "symlink"}
        assert list((world.home / "elsewhere").iterdir()) == []


async def test_a_file_where_a_folder_should_be_is_told(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        world.write("memory/imports", "a file\n")
        done = await world.apply("codex")
        assert (done.copied, reasons(done.preview)) == (0, {CODEX: "not_a_folder"})


async def test_an_unknown_import_cannot_be_undone(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        with pytest.raises(NotFoundError):
            await world.imports.undo("20260111-120000-aaaaaa")


async def test_only_absolute_paths_are_taken(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for path in ("relative/notes", "", "../up", "~other/notes"):
            with pytest.raises(InvalidParamsError) as caught:
                await world.imports.preview("path", path, replace=False, agent="main")
            assert caught.value.field == "from"


async def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        with pytest.raises(InvalidParamsError) as caught:
            await world.preview("codex", world.home / "nowhere")
        assert caught.value.reason == "missing"
        with pytest.raises(InvalidParamsError):
            await world.preview("path")
        assert (await world.preview("codex")).files == ()  # the usual place may be empty


async def test_excluded_paths_are_not_imported(tmp_path: Path) -> None:
    rules = FileRules.parse(exclude=["memory/imports/path/notes/private/"])
    async with open_world(tmp_path, rules) as world:
        world.offer("notes/private/x.md", "- x\n")
        world.offer("notes/y.md", "- y\n")
        done = await world.apply("path", world.home / "notes")
        assert list(world.files()) == ["memory/imports/path/notes/y.md"]
        assert "excluded" in reasons(done.preview).values()
