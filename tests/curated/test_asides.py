"""What editors write to a version that has lost its place comes back, once, and nothing old does."""

import os
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import trio

from openclaw_memd.curated.asides import LONGEST_RETRY_S, SETTLE_S
from openclaw_memd.curated.writer import Author, Revision
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.files import exchange, renaming
from tests.curated.worlds import MEMORY, World, open_world

BEFORE = b"- one\n- two\n"


@pytest.fixture(params=["exchange", "weak"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "weak":
        monkeypatch.setattr(renaming, "find_renameat2", lambda: None)
    return str(request.param)


async def rewrite_under(world: World, late: bytes, *, anew: bool = False) -> BinaryIO:
    """Rewrite the file while an editor has it open, which then writes ``late``; it stays open."""
    world.write(BEFORE)
    editor = world.path.open("r+b", buffering=0)
    editor.seek(0, os.SEEK_END)
    await world.add("- ours")
    if anew:
        editor.seek(0)
        editor.truncate()
    editor.write(late)
    return editor


async def test_a_line_that_is_appended_late_comes_back_once(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        (await rewrite_under(world, b"- late\n")).close()
        await world.settle()
        assert world.read() == BEFORE + b"- ours\n- late\n"
        assert world.asides() == []
        assert world.rows("SELECT * FROM curated_rewrites") == []
        assert await world.origins() == {
            "- one": Origin.AGENT,
            "- two": Origin.AGENT,
            "- ours": Origin.OWNER,
            "- late": Origin.AGENT,
        }
        assert world.rows("SELECT cause, added, removed FROM preimages") == [
            ("remember", 1, 0),
            ("late", 1, 0),
        ]


async def test_an_editor_that_goes_on_writing_loses_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        editor = await rewrite_under(world, b"- late\n- torn")
        for piece in (b" line\n", b"- more\n", b"- even ", b"more\n"):
            await world.writer.asides.look()
            editor.write(piece)
        editor.close()
        await world.settle()
        assert world.read() == BEFORE + b"- ours\n- late\n- torn line\n- more\n- even more\n"
        assert world.asides() == []


async def test_an_editor_that_saves_the_old_version_anew_adds_its_lines(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        (await rewrite_under(world, b"- two\n- three\n- one\n", anew=True)).close()
        await world.settle()
        assert world.read() == BEFORE + b"- ours\n- three\n"
        assert world.asides() == []


async def test_lines_that_the_editor_also_saved_in_the_file_are_there_once(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        (await rewrite_under(world, BEFORE + b"- three\n- ours\n", anew=True)).close()
        world.write(BEFORE + b"- three\n- ours\n")
        await world.settle()
        assert world.read() == BEFORE + b"- three\n- ours\n"
        assert world.asides() == []
        assert world.rows("SELECT * FROM curated_rewrites") == []


async def test_late_lines_come_back_into_a_file_that_was_deleted(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        (await rewrite_under(world, b"- late\n")).close()
        world.path.unlink()
        await world.settle()
        assert world.read() == b"- late\n"


async def test_what_is_no_text_is_kept_as_escapes(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        (await rewrite_under(world, b"- \xff\0\n")).close()
        await world.settle()
        assert world.read() == BEFORE + b"- ours\n- \\xff\\x00\n"


async def test_late_lines_wait_as_long_as_the_file_cannot_be_written(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    autojump_clock.autojump_threshold = 0.05  # disks take a while
    async with open_world(tmp_path) as world:
        (await rewrite_under(world, b"- late\n")).close()
        link = world.folder / "link"
        world.path.rename(link)
        world.path.symlink_to("link")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.writer.run)
            await trio.sleep(100)
            assert link.read_bytes() == BEFORE + b"- ours\n"
            assert len(world.asides()) == 1
            world.path.unlink()
            link.rename(world.path)
            assert await world.writer.asides.settled(within_s=1000)
            nursery.cancel_scope.cancel()
        assert world.read() == BEFORE + b"- ours\n- late\n"
        assert world.asides() == []


async def test_one_that_cannot_be_settled_holds_up_no_other(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    autojump_clock.autojump_threshold = 0.05  # disks take a while
    async with open_world(tmp_path) as world, trio.open_nursery() as nursery:
        (await rewrite_under(world, b"- late\n")).close()
        world.path.rename(world.folder / "link")
        world.path.symlink_to("link")
        nursery.start_soon(world.writer.run)
        await trio.sleep(2 * LONGEST_RETRY_S)
        unsettled = world.asides()
        user = world.folder / "USER.md"
        user.write_bytes(BEFORE)
        with user.open("ab") as editor:
            revised = Revision((BEFORE + b"- ours\n").decode())
            await world.writer.rewrite("USER.md", lambda _text: revised, cause="test", author=Author())
            editor.write(b"- late\n")
        with trio.fail_after(500 * SETTLE_S):
            while world.asides() != unsettled or user.read_bytes() != BEFORE + b"- ours\n- late\n":  # noqa: ASYNC110
                await trio.sleep(SETTLE_S)  # files have no event
        nursery.cancel_scope.cancel()


async def test_old_versions_are_looked_at_two_seconds_after_the_last_write(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    autojump_clock.autojump_threshold = 0.05  # disks take a while
    async with open_world(tmp_path, settle_s=2.0) as world, trio.open_nursery() as nursery:
        nursery.start_soon(world.writer.run)
        editor = await rewrite_under(world, b"")
        await trio.sleep(1.9)
        editor.write(b"- late\n")
        await trio.sleep(0.2)
        assert not await world.writer.asides.settled(within_s=0)
        editor.write(b"- later\n")
        editor.close()
        assert await world.writer.asides.settled(within_s=5)
        assert world.read() == BEFORE + b"- ours\n- late\n- later\n"
        assert world.asides() == []
        nursery.cancel_scope.cancel()


async def test_what_was_written_to_a_version_that_had_to_go_comes_back(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor appends while ours has the place, which then goes since the old version was edited too."""
    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        swap = exchange._swap
        is_first = True

        def swap_and_edit(*arguments: object) -> tuple[str, bool]:
            nonlocal is_first
            found: tuple[str, bool] = swap(*arguments)  # type: ignore[arg-type]
            if is_first:
                is_first = False
                append(world.path, b"- to ours\n")
                append(world.folder / found[0], b"- to theirs\n")
            return found

        monkeypatch.setattr(exchange, "_swap", swap_and_edit)
        await world.add("- ours")
        await world.settle()
        assert world.read() == BEFORE + b"- to theirs\n- ours\n- to ours\n", way
        assert world.asides() == []
        assert await world.origins() == {
            "- one": Origin.AGENT,
            "- two": Origin.AGENT,
            "- to theirs": Origin.AGENT,
            "- ours": Origin.OWNER,
            "- to ours": Origin.AGENT,
        }


@pytest.mark.parametrize("way", ["exchange"], indirect=True)  # elsewhere such a file can be lost
async def test_a_line_that_is_overwritten_by_who_read_a_version_that_went_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor saves at the last moment, reads ours, which then has to go, and saves what it read."""

    def save(content: bytes) -> None:
        other = tmp_path / "other"
        other.write_bytes(content)
        other.replace(world.path)

    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        swap, swap_back = exchange._swap, exchange._swap_back
        is_first = True

        def save_and_swap(*arguments: Any) -> Any:
            nonlocal is_first
            if is_first:
                save(BEFORE + b"- first\n")
            is_first = False
            return swap(*arguments)

        def swap_back_and_save(*arguments: Any) -> Any:
            seen = world.read()
            found = swap_back(*arguments)
            save(seen + b"- second\n")
            return found

        monkeypatch.setattr(exchange, "_swap", save_and_swap)
        monkeypatch.setattr(exchange, "_swap_back", swap_back_and_save)
        await world.add("- ours")
        assert b"- first" not in world.read()
        await world.settle()
        assert world.read() == BEFORE + b"- ours\n- second\n- ours\n- first\n"
        assert world.asides() == []
        assert world.rows("SELECT * FROM curated_rewrites") == []


async def test_a_superseded_line_does_not_come_back(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        with world.path.open("ab") as editor:
            await world.writer.rewrite(
                MEMORY, lambda _text: Revision("- two, changed\n"), cause="test", author=Author()
            )
            editor.write(b"- late\n")
        await world.settle()
        assert world.read() == b"- two, changed\n- late\n"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


async def run_and_stop(world: World) -> None:
    """The watch over old versions, ended as a stop of the daemon ends it."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(world.writer.run)
        await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()


async def test_a_stop_leaves_no_old_version_that_nobody_can_write_to(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        await world.add("- ours")
        assert world.asides()
        await run_and_stop(world)
        assert world.asides() == []
        assert world.rows("SELECT * FROM curated_rewrites") == []
        assert world.read() == BEFORE + b"- ours\n"


async def test_a_stop_leaves_what_an_editor_may_still_write_to_for_the_next_start(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        editor = world.path.open("ab", buffering=0)
        await world.add("- ours")
        await run_and_stop(world)
        assert len(world.asides()) == 1
        editor.write(b"- late\n")
        editor.close()
        await run_and_stop(world)
        assert len(world.asides()) == 1, "its line is not in the file yet"
    async with open_world(tmp_path) as world:
        await world.settle()
        assert world.asides() == []
        assert world.read() == BEFORE + b"- ours\n- late\n"
