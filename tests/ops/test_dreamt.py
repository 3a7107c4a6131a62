"""What nights made of something is forgotten with it: the same that was counted before, and nothing else."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from openclaw_memd.daemon.chatting import AgentChat
from openclaw_memd.domain.dream_pages import read_diary
from openclaw_memd.ops.receipts import Forgotten
from tests.dreaming.worlds import World, open_world, session
from tests.fakes import ScriptedChatModel
from tests.ops.worlds import CrashError, raw_hits, select

pytestmark = pytest.mark.slow

NOTE = "memory/2026-01-11.md"
PORT = "The gateway listens on port 18789 in the blue cabinet."
DESK = "Tickets for the ferry are kept by the travel desk."
ASKED = {
    "port": ("gateway port", "where is the blue cabinet", "which port does the gateway use", "gateway"),
    "desk": ("ferry tickets", "who keeps the tickets", "travel desk ferry", "what is kept by the desk"),
}


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with open_world() as opened:
        yield opened


async def dream(world: World, *topics: str, tells: str = "I dreamt of a humming cupboard.") -> None:
    """Ask on three days, say something of it, and let a night pass whose diary a chat model writes."""
    world.memory.dreaming.lend(AgentChat(ScriptedChatModel(otherwise=tells)))
    for number in range(4):
        for topic in topics:
            await world.ask(ASKED[topic][number], session(f"q{number}"))
        if number < 2:
            world.clock.move(days=1)
    await world.memory.dreaming.dreams.run()
    await world.memory.sync()


async def forget(world: World, **selectors: Any) -> tuple[Forgotten, Forgotten]:
    """What a dry run says, and what is done then."""
    planned = await world.memory.forgetting.plan("main", select(**selectors))
    return planned, await world.memory.forgetting.forget("main", select(**selectors))


def text(world: World, path: str) -> str:
    place = world.folder / path
    return place.read_text() if place.exists() else ""


@pytest.mark.parametrize("selector", ["query", "path", "session"])
async def test_promoted_lines_pages_and_claims_go_with_their_source(world: World, selector: str) -> None:
    if selector == "session":
        await world.agent.notes.append(session("w1"), text=f"- {PORT}")
    else:
        await world.note(NOTE, f"- {PORT}\n")
    await world.note("memory/2026-01-10.md", f"- {DESK}\n")
    world.write("MEMORY.md", "# Memory\n\n- By hand: tea at four.\n")
    await world.memory.sync()
    await dream(world, "port", "desk")
    assert PORT in text(world, "MEMORY.md")
    assert DESK in text(world, "MEMORY.md")
    assert PORT in text(world, "DREAMS.md")
    world.write("DREAMS.md", text(world, "DREAMS.md") + "\nMy own line stays.\n")

    wishes: dict[str, dict[str, Any]] = {
        "query": {"query": "18789"},
        "path": {"paths": (NOTE,)},
        "session": {"session_ids": ["w1"]},
    }
    planned, done = await forget(world, **wishes[selector])

    assert replace(planned.receipt, vectors=0) == replace(done.receipt, vectors=0)
    receipt = done.receipt
    assert (receipt.promoted, receipt.candidates) == (1, 1)
    assert receipt.page_lines > 3
    assert receipt.preimages > 0
    assert raw_hits(world.folder.parent, b"18789") == []
    memory = text(world, "MEMORY.md")
    assert DESK in memory
    assert "- By hand: tea at four.\n" in memory
    assert list(await world.candidates()) == [DESK]
    page = text(world, "DREAMS.md")
    assert DESK in page
    assert "My own line stays." in page
    assert read_diary(page) == []
    assert page.count("openclaw:dreaming") == 8
    again = (await forget(world, **wishes[selector]))[1].receipt
    assert (again.promoted, again.candidates, again.page_lines, again.lines) == (0, 0, 0, 0)


async def test_what_stands_elsewhere_too_stays_there(world: World) -> None:
    await world.note(NOTE, f"- {PORT}\n")
    await dream(world, "port")
    await world.note("memory/2026-01-12.md", f"- {PORT}\n")
    await world.ask("gateway port", session("late"))

    planned, done = await forget(world, paths=("memory/2026-01-12.md",))

    assert replace(planned.receipt, vectors=0) == replace(done.receipt, vectors=0)
    assert (done.receipt.promoted, done.receipt.candidates) == (0, 0)
    assert PORT in text(world, "MEMORY.md")
    assert list(await world.candidates()) == [PORT]


async def test_what_was_said_goes_from_claims_and_from_the_corpus(world: World) -> None:
    said = "Our greenhouse pump hides behind the left shelf."
    await world.say(session("s1"), said, "The ladder leans on the birch beside hut nine.")
    await world.ingest()
    await world.memory.sync()
    assert raw_hits(world.folder, b"greenhouse")

    planned, done = await forget(world, query="greenhouse")

    assert replace(planned.receipt, vectors=0) == replace(done.receipt, vectors=0)
    assert (done.receipt.candidates, done.receipt.corpus_lines, done.receipt.messages) == (1, 1, 1)
    assert raw_hits(world.folder.parent, b"greenhouse") == []
    assert len(await world.candidates()) == 1


async def test_a_proposal_goes_with_its_source() -> None:
    async with open_world({"agents": {"main": {"dreaming": {"mode": "propose"}}}}) as world:
        await world.note(NOTE, f"- {PORT}\n")
        await world.note("memory/2026-01-10.md", f"- {DESK}\n")
        await dream(world, "port", "desk")
        reviewing = world.memory.dreaming.reviewing
        assert len(await reviewing.waiting()) == 2

        planned, done = await forget(world, paths=(NOTE,))

        assert planned.receipt.proposals == done.receipt.proposals == 1
        assert [one.content.text for one in await reviewing.waiting()] == [DESK]
        assert raw_hits(world.folder.parent, b"18789") == []


async def test_all_since_an_instant_goes_with_what_was_asked_since(world: World) -> None:
    await world.note("memory/2026-01-10.md", f"- {DESK}\n")
    await world.agent.notes.append(session("w1"), text=f"- {PORT}")
    await world.memory.sync()
    since = world.clock.now()
    await dream(world, "port", "desk")

    planned, done = await forget(world, since=since)

    assert replace(planned.receipt, vectors=0) == replace(done.receipt, vectors=0)
    assert (done.receipt.promoted, done.receipt.signals) == (1, 10)  # the night has read both notes
    assert raw_hits(world.folder.parent, b"18789") == []
    assert DESK in text(world, "MEMORY.md")


@pytest.mark.parametrize("step", ["files", "history", "claims", "ledger"])
async def test_a_call_that_was_cut_off_is_made_again(world: World, step: str) -> None:
    await world.agent.notes.append(session("w1"), text=f"- {PORT}")
    await world.note("memory/2026-01-10.md", f"- {DESK}\n")
    await dream(world, "port", "desk")

    def crash(name: str) -> None:
        if name == step:
            raise CrashError

    forgetting = world.memory.forgetting
    forgetting._on_step = crash
    with pytest.raises(CrashError):
        await forgetting.forget("main", select(session_ids=["w1"]))
    forgetting._on_step = lambda _name: None
    await forgetting.forget("main", select(session_ids=["w1"]))

    assert raw_hits(world.folder.parent, b"18789") == []
    assert DESK in text(world, "MEMORY.md")
    assert list(await world.candidates()) == [DESK]
