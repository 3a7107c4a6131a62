"""What people delete from the curated files."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio
import trio.testing

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.deletions import Deletions
from openclaw_memd.curated.revisions import Author, Revision
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.store import Work
from tests.curated.worlds import World, open_world

ROOF = "The roof leaks above the stairs."
UNTRUSTED = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE)
PORT = "The gateway port is 8123."


@dataclass
class Desk:
    """A workspace whose curated files are edited by hand, and what is known to be deleted from them."""

    world: World
    core: CuratedCore
    deletions: Deletions

    async def save(self, file: str, *entries: str) -> None:
        """What an editor does: the whole file, by rename; then somebody looks."""
        path = self.world.folder / file
        aside = path.with_name("aside~")
        aside.write_text("".join(f"- {entry}\n" for entry in entries), encoding="utf-8")
        aside.replace(path)
        await self.core.refresh()
        await self.deletions.settle()

    async def deleted(self, *texts: str) -> list[bool]:
        return [await self.deletions.is_deleted(text) for text in texts]


@asynccontextmanager
async def open_desk(base: Path) -> AsyncIterator[Desk]:
    async with open_world(base) as world:
        deletions = Deletions(world.state, Analyzer(), world.clock)
        core = CuratedCore(world.roots, FileRules.parse(), world.attributor, on_changed=deletions.hear)
        await core.refresh()
        yield Desk(world, core, deletions)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path) as opened:
        await opened.save("MEMORY.md", ROOF, PORT)
        yield opened


async def test_what_is_deleted_is_known_also_in_other_words_and_after_a_restart(
    desk: Desk, tmp_path: Path
) -> None:
    assert await desk.deleted(ROOF, PORT) == [False, False]
    await desk.save("MEMORY.md", PORT)
    assert await desk.deleted(ROOF, "* the roof leaks above stairs <!-- key: k -->", PORT) == [
        True,
        True,
        False,
    ]
    assert await desk.deleted("The roof leaks.", "", "...") == [False, False, False]
    async with open_desk(tmp_path) as again:
        assert await again.deleted(ROOF, PORT) == [True, False]


async def test_neither_comments_nor_other_words_make_another_entry_of_what_is_deleted(
    desk: Desk, tmp_path: Path
) -> None:
    key = "The boathouse key hangs behind the fuse box."
    await desk.save("MEMORY.md", ROOF, f"{key} <!-- mine -->")
    await desk.save("MEMORY.md", ROOF)
    ways = (
        key,
        f"{key} <!-- another -->",
        "The key of the boathouse hangs behind the fuse box.",
        "The boathouse key hangs just behind the fuse box.",
    )
    others = ("The boathouse key does not hang behind the fuse box.", "The boathouse key hangs on the door.")
    async with open_desk(tmp_path) as again:
        assert await again.deleted(*ways) == [True] * len(ways)
        assert await again.deleted(*others) == [False, False]


async def test_what_is_deleted_while_nobody_looks_is_known_afterwards(desk: Desk, tmp_path: Path) -> None:
    (desk.world.folder / "MEMORY.md").write_text(f"- {PORT}\n")
    async with open_desk(tmp_path) as again:
        assert await again.deleted(ROOF, PORT) == [True, False]


async def test_what_is_written_again_is_wanted_again(desk: Desk) -> None:
    await desk.save("MEMORY.md", PORT)
    await desk.save("MEMORY.md", PORT, "the roof leaks, above the stairs")
    assert await desk.deleted(ROOF) == [False]


async def test_an_edited_entry_was_not_deleted(desk: Desk) -> None:
    await desk.save(
        "MEMORY.md", "The roof leaks above stairs! <!-- importance: 9 -->", f"{PORT} <!-- key: p -->"
    )
    await desk.save("MEMORY.md", "The roof leaks above stairs!", "It is 9400 now. <!-- key: p -->")
    assert await desk.deleted(ROOF, PORT) == [False, False]


async def test_an_entry_that_became_another_one_was_deleted_and_the_new_one_was_not(desk: Desk) -> None:
    await desk.save("MEMORY.md", ROOF, "The gateway port is 9400.")
    assert await desk.deleted(PORT, "The gateway port is 9400.") == [True, False]


async def test_an_entry_that_moved_was_not_deleted(desk: Desk) -> None:
    await desk.save("USER.md", ROOF)
    await desk.save("MEMORY.md", PORT)
    assert await desk.deleted(ROOF) == [False]
    await desk.save("USER.md")
    assert await desk.deleted(ROOF) == [True]


async def test_an_entry_that_is_cut_here_and_pasted_there_later_is_wanted(desk: Desk) -> None:
    await desk.save("MEMORY.md", PORT)
    await desk.save("USER.md", ROOF)
    assert await desk.deleted(ROOF) == [False]


def _rename(path: Path) -> None:
    path.rename(path.with_suffix(".old"))


def _link(path: Path) -> None:
    path.rename(path.with_suffix(".old"))
    path.symlink_to(path.with_suffix(".old"))


def _garble(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize("harm", [_rename, _link, _garble])
async def test_a_file_that_is_gone_or_unreadable_tells_nothing(
    desk: Desk, harm: Callable[[Path], object]
) -> None:
    harm(desk.world.folder / "MEMORY.md")
    await desk.core.refresh()
    assert await desk.deleted(ROOF, PORT) == [False, False]
    (desk.world.folder / "MEMORY.md").unlink(missing_ok=True)
    await desk.save("MEMORY.md", PORT)
    assert await desk.deleted(ROOF, PORT) == [True, False]


async def _rewrite(desk: Desk, text: str, cause: str) -> int:
    done = await desk.world.writer.rewrite(
        "MEMORY.md", lambda _: Revision(text), cause=cause, author=Author("main", "s1")
    )
    assert done.preimage_id is not None
    return done.preimage_id


async def test_what_is_heard_is_taken_up_also_after_a_failure(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[object] = []
    write = desk.world.state.write

    async def fail_once(work: Work[None]) -> None:
        writes.append(work)
        if len(writes) == 1:
            raise UnavailableError("the disk is full", reason="disk_full")
        await write(work)

    (desk.world.folder / "MEMORY.md").write_text(f"- {PORT}\n")
    await desk.core.refresh()
    monkeypatch.setattr(desk.world.state, "write", fail_once)
    with pytest.raises(UnavailableError):
        await desk.deletions.run()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(desk.deletions.run)
        await trio.testing.wait_all_tasks_blocked(0.01)
        nursery.cancel_scope.cancel()
    assert len(writes) == 2
    assert await desk.deleted(ROOF) == [True]


async def test_what_memd_takes_out_was_not_deleted(desk: Desk) -> None:
    number = await _rewrite(desk, f"- {PORT}\n- It rains.\n", "remember")
    await desk.core.refresh()
    assert await desk.deleted(ROOF) == [False]
    await desk.world.history.undo(number)
    await desk.core.refresh()
    assert await desk.deleted("It rains.") == [False]


async def test_a_look_from_before_a_rewrite_tells_nothing_about_it(desk: Desk) -> None:
    await desk.save("MEMORY.md", ROOF, PORT, "It rains.")
    desk.deletions.hear(desk.core.state, desk.core.state)
    await _rewrite(desk, f"- {PORT}\n- It snows.\n", "remember")
    assert await desk.deleted(ROOF, "It snows.") == [False, False]
    await desk.core.refresh()
    assert await desk.deleted(ROOF, PORT, "It rains.", "It snows.") == [False, False, False, False]
    await desk.save("MEMORY.md", PORT)
    assert await desk.deleted(ROOF, PORT, "It rains.", "It snows.") == [False, False, False, True]


async def test_what_was_deleted_before_memd_took_out_something_else_is_known(desk: Desk) -> None:
    await desk.save("MEMORY.md", ROOF, PORT, "It rains.")
    (desk.world.folder / "MEMORY.md").write_text(f"- {PORT}\n- It rains.\n")  # and nobody looks
    await _rewrite(desk, "- It rains.\n", "remember")
    await desk.save("MEMORY.md", "It snows.")
    assert await desk.deleted(ROOF, PORT, "It rains.") == [True, False, True]


async def test_what_somebody_untrusted_writes_is_not_wanted_again(desk: Desk) -> None:
    await desk.save("MEMORY.md", PORT)
    await desk.world.add(f"- {ROOF}", UNTRUSTED)
    await desk.core.refresh()
    assert await desk.deleted(ROOF) == [True]
