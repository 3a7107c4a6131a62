"""A claim goes along with its note: what was asked for before still counts where it stands now."""

from collections.abc import AsyncIterator

import pytest

from openclaw_memd.domain.provenance import Origin
from openclaw_memd.index.read_lines import Selection
from tests.dreaming.backfills import look, roll_back
from tests.dreaming.worlds import World, open_world

NOTE = "memory/2026-01-11.md"
PORT = "The gateway listens on port 18789."
POT = "The cellar key is under the blue pot."


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with open_world() as opened:
        await opened.note(NOTE, f"# 2026-01-11\n\n- {PORT}\n- {POT}\n")
        await opened.ask("gateway port")
        yield opened


def move(world: World, path: str, text: str | None = None) -> None:
    """Move the note as a person does, perhaps edited."""
    old, new = world.folder / NOTE, world.folder / path
    new.parent.mkdir(parents=True, exist_ok=True)
    old.rename(new)
    if text is not None:
        new.write_text(text)


@pytest.mark.parametrize(
    "path",
    ["memory/archive/2026/2026-01-11.md", "memory/2026-01-11-gateway.md", "memory/2026/01/11.md"],
)
async def test_a_note_that_is_moved_keeps_what_was_asked_of_it(world: World, path: str) -> None:
    before = await world.only()
    move(world, path, f"- Above it.\n- {PORT}\n")

    assert await world.signals.count_dangling() == 0
    assert await world.signals.repair() == 0

    now = await world.only()
    assert (now.path, now.start_line, now.noted_on) == (path, 2, before.noted_on)
    assert (now.key, now.signals) == (before.key, before.signals)
    assert (now.provenance.origin, now.elsewhere) == (Origin.AGENT, ())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("memory/archive/2026-01-11.md", f"- {PORT.replace('18789', '9400')}\n"),
        ("memory/archive/2026-01-11.md", f"- {PORT} But only at night.\n"),
        ("memory/2026-01-12.md", f"- {PORT}\n"),  # the note of another day
        ("memory/dreaming/deep/2026-01-11.md", f"- {PORT}\n"),
        ("notes/2026-01-11.md", f"- {PORT}\n"),
    ],
)
async def test_a_claim_that_is_nowhere_whole_goes(world: World, path: str, text: str) -> None:
    move(world, path, text)
    assert await world.signals.count_dangling() == 1
    assert await world.signals.candidates() == []
    assert (await world.rows())["signals"] == []


async def test_what_nobody_vouches_for_takes_nothing_over(world: World) -> None:
    path = "memory/archive/2026-01-11.md"
    await world.note(path, f"- {PORT}\n")
    await world.memory.showing.trust(path, Selection(1, 1, None), Origin.UNTRUSTED)
    (world.folder / NOTE).unlink()
    assert await world.signals.candidates() == []


async def test_of_several_places_each_is_known_once(world: World) -> None:
    copy = "memory/a/2026-01-11.md"
    await world.note(copy, f"- {PORT}\n")
    await world.ask("port of the gateway")
    assert [one.path for one in (await world.only()).places()] == [NOTE, copy]
    move(world, "memory/b/2026-01-11.md")
    assert [one.path for one in (await world.only()).places()] == [copy], "one there is known already"
    (world.folder / copy).unlink()
    now = await world.only()
    assert [one.path for one in now.places()] == ["memory/b/2026-01-11.md"]
    assert now.signals.recalls == 2


async def test_what_a_look_brought_is_taken_back_after_a_move_too(world: World) -> None:
    old = "memory/2025-03-04.md"
    await world.note(old, f"- We decided that {PORT.lower()[:-1]} from now on.\n")
    await look(world)
    staged = [one for one in (await world.candidates()).values() if one.path == old]
    assert len(staged) == 1
    (world.folder / "memory/old").mkdir()
    (world.folder / old).rename(world.folder / "memory/old/2025-03-04.md")
    assert staged[0].text in await world.candidates()
    assert (await look(world)).known, "it is no new one there"
    await roll_back(world)
    assert list(await world.candidates()) == [PORT]
