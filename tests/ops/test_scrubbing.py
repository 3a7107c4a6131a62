"""Files that somebody else writes to while lines are taken out of them, and failures in between."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.files import exchange
from openclaw_memd.files.beside import PREFIX
from openclaw_memd.files.exchange import Displaced
from openclaw_memd.ops import scrubbing
from openclaw_memd.ops.drafts import Draft
from tests.ops.worlds import CANARY, TODAY, CrashError, World, open_world

NOTE = "memory/a.md"


async def prepare(world: World) -> None:
    world.write(NOTE, f"# A\n\n- {CANARY}\n- stays\n")
    await world.sync()


def asides(world: World) -> list[str]:
    return [path.name for path in world.folder.rglob("*") if path.name.startswith(PREFIX)]


async def test_a_line_that_an_editor_still_writes_is_kept_unless_it_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = scrubbing.Scrubber._put

    def put_while_open(self: scrubbing.Scrubber, draft: Draft) -> Displaced:
        with (world.folder / NOTE).open("ab") as editor:
            displaced = put(self, draft)
            editor.write(f"- late\n- late {CANARY}\n".encode())
        return displaced

    monkeypatch.setattr(scrubbing.Scrubber, "_put", put_while_open)
    async with open_world(tmp_path) as world:
        await prepare(world)
        await world.forget(query=CANARY)
        assert world.read(NOTE) == "# A\n\n- stays\n- late\n"
        assert world.found(*world.stems()) == []
        assert asides(world) == []


async def test_a_late_line_to_a_file_that_went_makes_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = scrubbing.Scrubber._put

    def put_while_open(self: scrubbing.Scrubber, draft: Draft) -> Displaced:
        with (world.folder / NOTE).open("ab") as editor:
            displaced = put(self, draft)
            editor.write(b"- late\n")
        return displaced

    monkeypatch.setattr(scrubbing.Scrubber, "_put", put_while_open)
    async with open_world(tmp_path) as world:
        world.write(NOTE, f"# A\n\n- {CANARY}\n")
        await world.forget(query=CANARY)
        assert world.read(NOTE) == "- late\n"
        assert (world.folder / NOTE).stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("edits", [1, scrubbing.ROUNDS])
async def test_a_file_that_is_edited_meanwhile_is_planned_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edits: int
) -> None:
    put = scrubbing.Scrubber._put
    left = edits

    def put_after_edit(self: scrubbing.Scrubber, draft: Draft) -> Displaced:
        nonlocal left
        if left:
            left -= 1
            with (world.folder / NOTE).open("a") as editor:
                editor.write(f"- edit {left}\n")
        return put(self, draft)

    monkeypatch.setattr(scrubbing.Scrubber, "_put", put_after_edit)
    async with open_world(tmp_path) as world:
        await prepare(world)
        forgotten = await world.forget(query=CANARY)
        if edits < scrubbing.ROUNDS:
            assert world.read(NOTE) == "# A\n\n- stays\n- edit 0\n"
            assert not forgotten.kept
        else:
            assert [kept.where for kept in forgotten.kept] == [NOTE]
            assert CANARY in world.read(NOTE)
            await world.forget(query=CANARY)
            assert world.read(NOTE) == "# A\n\n- stays\n- edit 2\n- edit 1\n- edit 0\n"
        assert asides(world) == []


async def test_a_line_that_is_written_to_a_version_that_has_to_go_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = exchange._swap
    is_first = True

    def swap_and_edit(*arguments: Any) -> Any:
        nonlocal is_first
        found = swap(*arguments)
        if is_first:
            is_first = False
            for name, line in ((NOTE, "- to ours\n"), (f"memory/{found[0]}", "- to theirs\n")):
                with (world.folder / name).open("a") as editor:
                    editor.write(line)
        return found

    monkeypatch.setattr(exchange, "_swap", swap_and_edit)
    async with open_world(tmp_path) as world:
        await prepare(world)
        await world.forget(query=CANARY)
        assert world.read(NOTE) == "# A\n\n- stays\n- to theirs\n- to ours\n"
        assert asides(world) == []
        assert await world.rows("SELECT * FROM rewrites") == []


@pytest.mark.parametrize("name", ["write_beside", "_swap", "holds"])
async def test_a_crash_within_the_exchange_is_made_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What is left beside the file then holds the whole old text."""

    def crash(*_: object, **__: object) -> None:
        raise CrashError

    async with open_world(tmp_path) as world:
        await prepare(world)
        with monkeypatch.context() as broken:
            broken.setattr(exchange, name, crash)
            broken.setattr(os, "unlink", lambda *_args, **_kwargs: None)
            with pytest.raises(CrashError):
                await world.forget(query=CANARY)
    async with open_world(tmp_path) as world:
        await world.forget(query=CANARY)
        assert world.read(NOTE) == "# A\n\n- stays\n"
        assert asides(world) == []
        assert world.found(*world.stems()) == []


async def test_the_old_version_goes_at_the_next_start_and_late_lines_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(self: Displaced) -> bytes:
        descriptor = os.open(self.aside, os.O_WRONLY | os.O_APPEND, dir_fd=self.folder)
        os.write(descriptor, b"- late\n")
        os.close(descriptor)
        raise CrashError

    async with open_world(tmp_path) as world:
        await prepare(world)
        with monkeypatch.context() as broken:
            broken.setattr(Displaced, "settle", crash)
            with pytest.raises(CrashError):
                await world.forget(query=CANARY)
        assert asides(world)
    async with open_world(tmp_path) as world:
        assert asides(world) == []
        assert world.read(NOTE) == "# A\n\n- stays\n- late\n"


async def test_a_file_that_may_not_be_written_to_keeps_its_mode(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await prepare(world)
        (world.folder / NOTE).chmod(0o444)
        await world.forget(query=CANARY)
        assert world.read(NOTE) == "# A\n\n- stays\n"
        assert (world.folder / NOTE).stat().st_mode & 0o777 == 0o444


async def test_a_folder_that_cannot_be_written_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "")

    async with open_world(tmp_path) as world:
        await world.note("s1", f"- {CANARY}")
        await world.say("s1", CANARY)
        await world.sync()
        with monkeypatch.context() as broken:
            broken.setattr(exchange, "write_beside", fail)
            broken.setattr(os, "rename", fail)
            forgotten = await world.forget(participant="ana")
        assert [kept.where for kept in forgotten.kept] == [TODAY]
        assert forgotten.receipt.messages == 1
        assert CANARY in world.read(TODAY)
        again = await world.forget(participant="ana")
        assert (again.receipt.files_removed, again.kept) == (1, ())
        assert world.found(*world.stems()) == []


@pytest.mark.parametrize("kind", ["symlink", "hard_link"])
async def test_links_are_left_alone_and_told(tmp_path: Path, kind: str) -> None:
    async with open_world(tmp_path) as world:
        await prepare(world)
        target = tmp_path / "elsewhere.md"
        target.write_text(f"- {CANARY}\n")
        if kind == "symlink":
            (world.folder / "memory/link.md").symlink_to(target)
        else:
            os.link(target, world.folder / "memory/link.md")
        forgotten = await world.forget(query=CANARY, paths=("memory/link.md",))
        assert [kept.where for kept in forgotten.kept] == ["memory/link.md"]
        assert target.read_text() == f"- {CANARY}\n"
        assert world.read(NOTE) == "# A\n\n- stays\n"


async def test_the_settling_time_is_waited_for(tmp_path: Path, autojump_clock: object) -> None:
    async with open_world(tmp_path, settle_s=scrubbing.SETTLE_S) as world:
        await prepare(world)
        await world.forget(query=CANARY)
        assert asides(world) == []


async def test_a_disk_that_fails_after_the_exchange_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter([True])

    def fail(*_: object) -> bool:
        for found in looks:  # before the exchange
            return found
        raise OSError(errno.EIO, "")

    async with open_world(tmp_path) as world:
        await prepare(world)
        with monkeypatch.context() as broken:
            broken.setattr(exchange, "holds", fail)
            forgotten = await world.forget(query=CANARY)
        assert [kept.where for kept in forgotten.kept] == [NOTE]
        assert asides(world) == []
        assert CANARY in world.read(NOTE)
        await world.forget(query=CANARY)
        assert asides(world) == []
        assert world.read(NOTE) == "# A\n\n- stays\n"
        assert world.found(*world.stems()) == []


async def test_an_editor_that_writes_the_old_version_anew_does_not_bring_lines_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = scrubbing.Scrubber._put

    def put_while_open(self: scrubbing.Scrubber, draft: Draft) -> Displaced:
        with (world.folder / TODAY).open("r+b") as editor:
            displaced = put(self, draft)
            editor.truncate(0)
            editor.write(b"- edited\n" + draft.data)
        return displaced

    monkeypatch.setattr(scrubbing.Scrubber, "_put", put_while_open)
    async with open_world(tmp_path) as world:
        await world.note("s2", "- stays")
        await world.note("s1", f"- {CANARY}")
        await world.forget(session_ids=["s1"])
        assert "- edited\n" in world.read(TODAY)
        assert CANARY not in world.read(TODAY)
