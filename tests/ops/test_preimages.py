"""What is forgotten is gone from what the curated files were before, too."""

from functools import partial
from pathlib import Path

import pytest

from openclaw_memd.curated.history import History
from openclaw_memd.curated.writer import Author, Revision
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.ops import memory_files
from tests.ops.worlds import CANARY, World, open_world

MEMORY = "MEMORY.md"
OWNER = Provenance(Origin.OWNER, SessionKind.INTERACTIVE)


def with_line(text: str | None, line: str) -> Revision | None:
    return Revision(f"{text or ''}{line}\n", ((line, OWNER),))


async def remember(world: World, line: str, session_id: str = "s1") -> int:
    author = Author("main", session_id)
    rewritten = await world.curated.rewrite(
        MEMORY, partial(with_line, line=line), cause="test", author=author
    )
    assert rewritten.preimage_id is not None
    return rewritten.preimage_id


async def replace_all(world: World, text: str) -> int:
    rewritten = await world.curated.rewrite(
        MEMORY, lambda _text: Revision(text), cause="test", author=Author()
    )
    assert rewritten.preimage_id is not None
    return rewritten.preimage_id


async def fill(world: World) -> int:
    """Lines of two sessions that are no longer in the file; the id of the pre-image that has them."""
    world.write(MEMORY, "# Memory\n\n- stays here\n")
    await world.sync()
    await remember(world, "- kept of the second", "s2")
    await remember(world, f"- the vault word is {CANARY}")
    await world.sync()
    return await replace_all(world, "# Memory\n\n- stays here\n")


@pytest.mark.parametrize("is_by_query", [True, False])
async def test_lines_go_from_pre_images_and_the_others_come_back(tmp_path: Path, is_by_query: bool) -> None:
    async with open_world(tmp_path) as world:
        preimage = await fill(world)
        assert world.found(*world.stems())
        selectors = {"query": CANARY} if is_by_query else {"session_ids": ["s1"]}
        dry = await world.plan(**selectors)
        forgotten = await world.forget(**selectors)
        assert dry.receipt.preimages == forgotten.receipt.preimages == 2
        assert world.found(*world.stems()) == []
        history = History(world.state, world.curated)
        rows = await history.list(None, before_id=None, limit=9)
        assert [row.forgotten for row in rows] == [1, 1, 0]
        await history.undo(preimage)
        assert world.read(MEMORY) == "# Memory\n\n- stays here\n- kept of the second\n"
        assert (await world.forget(**selectors)).receipt.preimages == 0


async def test_lines_that_go_from_the_file_itself_go_from_what_it_was(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(MEMORY, "# Memory\n\n- stays here\n")
        await remember(world, f"- the vault word is {CANARY}")
        await remember(world, "- kept of the second", "s2")
        forgotten = await world.forget(query=CANARY)
        assert forgotten.receipt.preimages == 2
        assert world.read(MEMORY) == "# Memory\n\n- stays here\n- kept of the second\n"
        assert world.found(*world.stems()) == []
        assert not forgotten.kept


async def test_the_pre_images_of_a_whole_file_go(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        forgotten = await world.forget(paths=(MEMORY,))
        assert forgotten.receipt.preimages == 3
        assert await world.rows("SELECT * FROM preimages") == []
        assert world.found(*world.stems()) == []


async def test_an_unrelated_wish_leaves_them_alone(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await fill(world)
        before = await world.rows("SELECT * FROM preimages")
        assert (await world.forget(session_ids=["s3"])).receipt.preimages == 0
        assert await world.rows("SELECT * FROM preimages") == before


async def test_a_version_that_an_editor_still_has_open_is_waited_for(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(MEMORY, "# Memory\n\n- stays here\n")
        with (world.folder / MEMORY).open("ab") as editor:
            await replace_all(world, "# Memory\n\n- nothing\n")
            editor.write(f"- the vault word is {CANARY}\n- late\n".encode())
        await world.forget(query=CANARY)
        assert world.read(MEMORY) == "# Memory\n\n- nothing\n- late\n"
        assert world.found(*world.stems()) == []


async def test_one_that_is_written_to_for_ever_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        monkeypatch.setattr(memory_files, "ASIDES_S", -100.0)
        world.write(MEMORY, "# Memory\n\n- stays here\n")
        await replace_all(world, "# Memory\n\n- nothing\n")
        forgotten = await world.forget(query=CANARY)
        assert [kept.where for kept in forgotten.kept] == [".memd-*"]
