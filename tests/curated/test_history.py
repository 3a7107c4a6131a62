"""What a curated file was is shown, compared and brought back, and is trusted no more than it was."""

from pathlib import Path

import pytest

from openclaw_memd.curated.writer import Author, Revision
from openclaw_memd.domain.provenance import FOREIGN, Origin
from openclaw_memd.errors import InvalidParamsError, NotFoundError
from openclaw_memd.index.ledger.preimages import prune_preimages
from tests.curated.worlds import MEMORY, HandClock, World, open_world

BEFORE = b"\xef\xbb\xbf# Memory\r\n- one\r\n- two\n- three"


async def ids(world: World, file: str | None = None) -> list[int]:
    return [row.id for row in await world.history.list(file, before_id=None, limit=100)]


async def test_each_rewrite_is_listed_with_what_it_changed(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n- two\n")
        await world.add("- three")
        world.clock.forward(hours=1)
        await world.writer.rewrite(
            MEMORY, lambda _text: Revision("- two\n"), cause="dream", author=Author("main", "s1")
        )
        await world.writer.rewrite(
            "USER.md", lambda _text: Revision("- Prefer tea.\n"), cause="remember", author=Author()
        )
        rows = await world.history.list(None, before_id=None, limit=10)
        assert [(row.file, row.cause, row.added, row.removed) for row in rows] == [
            ("USER.md", "remember", 1, 0),
            (MEMORY, "dream", 0, 2),
            (MEMORY, "remember", 1, 0),
        ]
        assert (rows[1].at - rows[2].at).total_seconds() == 3600
        assert await ids(world, "USER.md") == [rows[0].id]
        assert [row.id for row in await world.history.list(MEMORY, before_id=rows[1].id, limit=1)] == [
            rows[2].id
        ]
        with pytest.raises(InvalidParamsError):
            await world.history.list("SOUL.md", before_id=None, limit=10)


async def test_a_diff_shows_what_one_rewrite_changed(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        first = (await world.add("- four")).preimage_id
        await world.add("- five")
        assert first is not None
        assert await world.history.diff(first) == (
            "--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -1,4 +1,5 @@\n # Memory\n - one\n - two\n"
            "-- three\n\\ No newline at end of file\n+- three\n+- four\n\\ No newline at end of file\n"
        )
        user = await world.writer.rewrite(
            "USER.md", lambda _text: Revision("- Prefer tea.\n"), cause="remember", author=Author()
        )
        assert user.preimage_id is not None
        assert (await world.history.diff(user.preimage_id)).startswith("--- /dev/null\n+++ b/USER.md\n")
        for call in (world.history.diff, world.history.undo):
            with pytest.raises(NotFoundError):
                await call(99)


async def test_an_undo_brings_the_bytes_back_and_is_undone_itself(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        first = (await world.add("- four")).preimage_id
        after = world.read()
        await world.add("- five")
        assert first is not None
        undone = await world.history.undo(first)
        assert world.read() == BEFORE
        assert undone.changed
        assert (await world.history.undo(first)).preimage_id is None  # it is so already
        assert [row.cause for row in await world.history.list(None, before_id=None, limit=9)] == [
            "undo",
            "remember",
            "remember",
        ]
        assert undone.preimage_id is not None
        await world.history.undo(undone.preimage_id)
        assert world.read() == after + b"\r\n- five"


async def test_a_file_that_was_not_there_is_empty_then(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        made = (await world.add("- one")).preimage_id
        assert made is not None
        await world.history.undo(made)
        assert world.read() == b""
        world.path.unlink()
        assert not (await world.history.undo(made)).changed
        assert not world.path.exists()


@pytest.mark.parametrize("is_pruned", [False, True])
async def test_lines_that_come_back_are_trusted_as_they_were(tmp_path: Path, is_pruned: bool) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- by hand, and quite long\n")
        await world.origins()
        await world.add("- what the owner said once")
        await world.add("- something from outside came in", FOREIGN)
        before = await world.origins()
        cut = await world.writer.rewrite(
            MEMORY, lambda _text: Revision("- nothing\n"), cause="test", author=Author()
        )
        await world.origins()
        if is_pruned:
            await world.state.write(lambda connection: connection.execute("DELETE FROM spans").fetchall())
            await world.state.write(lambda connection: connection.execute("DELETE FROM sketches").fetchall())
        assert cut.preimage_id is not None
        await world.history.undo(cut.preimage_id)
        assert await world.origins() == before
        assert before == {
            "- by hand, and quite long": Origin.AGENT,
            "- what the owner said once": Origin.OWNER,
            "- something from outside came in": Origin.UNTRUSTED,
        }


async def test_a_line_that_was_lowered_meanwhile_does_not_rise(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- by hand, and quite long\n")
        cut = await world.writer.rewrite(
            MEMORY, lambda _text: Revision("- nothing\n"), cause="test", author=Author()
        )
        await world.add("- by hand, and quite long", FOREIGN)
        assert (await world.origins())["- by hand, and quite long"] == Origin.UNTRUSTED
        assert cut.preimage_id is not None
        await world.history.undo(cut.preimage_id)
        assert await world.origins() == {"- by hand, and quite long": Origin.UNTRUSTED}


async def test_an_undo_meets_the_same_obstacles(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")
        first = (await world.add("- two")).preimage_id
        assert first is not None
        world.path.unlink()
        assert (await world.history.undo(first)).changed
        assert world.read() == b"- one\n"


async def test_what_is_old_goes_but_never_the_last(tmp_path: Path) -> None:
    clock = HandClock()
    async with open_world(tmp_path, clock=clock) as world:
        for number in range(6):
            await world.add(f"- {number}")
            clock.forward(days=1)
        await world.writer.rewrite(
            "USER.md", lambda _text: Revision("- Prefer tea.\n"), cause="remember", author=Author()
        )

        async def prune(keep_days: int, keep_least: int) -> int:
            return await world.state.write(
                lambda connection: prune_preimages(
                    connection, clock.now(), 100, keep_days=keep_days, keep_least=keep_least
                )
            )

        all_ids = await ids(world, MEMORY)
        assert await prune(4, 1) == 2  # those that are five and six days old
        assert await ids(world, MEMORY) == all_ids[:4]
        clock.forward(days=100)
        assert await prune(4, 3) == 1
        assert await ids(world, MEMORY) == all_ids[:3]
        assert len(await ids(world, "USER.md")) == 1
        again = (await world.add("- again")).preimage_id
        assert again == max(all_ids) + 2  # ids name one rewrite for ever
