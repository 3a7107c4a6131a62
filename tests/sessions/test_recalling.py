"""What the agent says after it recalled memory is not kept: it would be learned again as something new."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.sessions.known import MANY_HEARD
from openclaw_memd.sessions.messages import Message, MessageKind, Role, is_recall_tool
from openclaw_memd.sessions.outcomes import Appended
from tests.sessions.worlds import START, World, assistant, caller, open_world, tool, user

KEPT = ["User: where is the key?"]


def question(id_: str = "1") -> Message:
    return user(id_, "where is the key?")


def answer(id_: str = "2") -> Message:
    return assistant(id_, "as I noted, under the mat")


def at(message: Message, seconds: float) -> Message:
    return replace(message, at=START + timedelta(seconds=seconds))


def skipped(appended: Appended) -> list[tuple[str, str]]:
    return [(one.id, one.reason) for one in appended.skipped]


async def lines(world: World) -> list[str]:
    return (await world.text("sessions/main/s1")).split("\n")


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("memory_search", True),
        ("memory_get", True),
        ("memory_deep", True),
        ("mcp__memd__memory_search", True),
        ("memd.memory_get", True),
        ("memd/memory_get", True),
        ("memd:memory_search", True),
        ("memory_searches", False),
        ("memory_search\n", False),
        ("in_memory_get", False),
        ("web_search", False),
        ("", False),
    ],
)
def test_a_tool_that_recalls_is_known_by_its_name(name: str, is_one: bool) -> None:
    assert is_recall_tool(name) == is_one


@pytest.mark.parametrize(
    ("message", "brings"),
    [
        (tool("1", name="mcp__memd__memory_get"), True),
        (tool("1", kind="recalled"), True),
        (tool("1"), False),
        (Message("1", Role.TOOL, "no name"), False),
        (Message("1", Role.SYSTEM, "x", kind=MessageKind.RECALLED), True),
        (assistant("1", kind="recalled"), False),
        (replace(assistant("1"), tool_name="memory_get"), False),
    ],
)
def test_which_messages_bring_memory(message: Message, brings: bool) -> None:
    assert message.brings_memory == brings


async def test_an_answer_is_left_out_until_the_next_question(world: World) -> None:
    recalled = tool("3", name="mcp__memd__memory_search")
    said = [question(), assistant("2", "let me look"), recalled, answer("4"), tool("5"), answer("6")]
    appended = await world.sessions.append(caller(), said)
    assert skipped(appended) == [("3", "role"), ("4", "recalled"), ("5", "role"), ("6", "recalled")]
    await world.sessions.append(caller(), [question("7"), assistant("8", "thanks")])
    assert await lines(world) == [*KEPT, "Assistant: let me look", *KEPT, "Assistant: thanks"]


async def test_it_holds_across_calls_and_a_restart(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        await world.sessions.append(caller(), [question(), tool("2", name="memory_get")])
    async with open_world(tmp_path) as world:
        assert skipped(await world.sessions.append(caller(), [answer("3")])) == [("3", "recalled")]


async def test_what_is_left_out_is_no_part_of_a_flush(world: World) -> None:
    await world.sessions.append(caller(), [question(), tool("2", name="memory_get"), answer("3")])
    cycle = await world.sessions.turns.cycle("main", "s1")
    assert cycle.clean_texts == ("where is the key?",)
    assert cycle.origin is Origin.AGENT


class TestMemdHandsItOut:
    """The host may report no tools: that memory was handed to the session is known here."""

    async def test_between_question_and_answer(self, world: World) -> None:
        await world.sessions.append(caller(), [question()])
        world.sessions.hear(caller(), [Origin.AGENT])
        appended = await world.sessions.append(caller(), [answer(), answer("3"), question("4"), answer("5")])
        assert skipped(appended) == [("2", "recalled"), ("3", "recalled")]
        assert not appended.tainted

    @pytest.mark.parametrize("stated", [True, False])
    async def test_before_the_host_reports_the_turn(self, world: World, stated: bool) -> None:
        world.clock.move(seconds=2)
        world.sessions.hear(caller(), [Origin.OWNER])
        world.clock.move(seconds=2)
        said = [at(question(), 0), at(answer(), 3)] if stated else [question(), answer()]
        assert skipped(await world.sessions.append(caller(), said)) == [("2", "recalled")]
        assert await lines(world) == KEPT

    async def test_after_one_answer_and_before_the_next_question(self, world: World) -> None:
        """What has a time belongs to its own turn, also in one that is reported later."""
        world.clock.move(seconds=4)
        world.sessions.hear(caller(), [Origin.OWNER])
        world.clock.move(seconds=4)
        said = [at(question(), 0), at(answer(), 3), at(question("3"), 5), at(answer("4"), 6)]
        assert skipped(await world.sessions.append(caller(), said)) == []

    async def test_in_a_transcript_that_is_read_later(self, world: World) -> None:
        world.clock.move(seconds=2)
        world.sessions.hear(caller(), [Origin.OWNER])
        world.clock.move(seconds=8)
        await world.sessions.ingest(caller(), [at(question(), 0), at(assistant("2", "looking"), 1)])
        appended = await world.sessions.ingest(
            caller(), [at(answer("3"), 3), at(question("4"), 5), at(assistant("5", "thanks"), 6)]
        )
        assert skipped(appended) == [("3", "recalled")]

    @pytest.mark.parametrize(
        ("who", "origins"),
        [
            (None, [Origin.OWNER]),
            (caller(None), [Origin.OWNER]),
            (caller("s2"), [Origin.OWNER]),
            (caller(agent="other"), [Origin.OWNER]),
            (caller(), []),
        ],
    )
    async def test_nothing_found_or_for_somebody_else(
        self, world: World, who: Caller | None, origins: list[Origin]
    ) -> None:
        await world.sessions.append(caller(), [question()])
        world.sessions.hear(who, origins)
        assert skipped(await world.sessions.append(caller(), [answer()])) == []

    async def test_sessions_that_never_report_are_not_remembered_for_ever(self, world: World) -> None:
        for number in range(MANY_HEARD + 1):
            world.sessions.hear(caller(f"s{number}"), [Origin.OWNER])
        assert skipped(await world.sessions.append(caller("s0"), [question(), answer()])) == []
        assert skipped(await world.sessions.append(caller("s1"), [question(), answer()])) != []


class TestOutsideMemory:
    """What nobody vouches for taints the turn that it is in, also one that is reported afterwards."""

    async def test_a_question_that_was_asked_before_begins_the_turn(self, world: World) -> None:
        world.clock.move(seconds=2)
        world.sessions.hear(caller(), [Origin.UNTRUSTED])
        world.clock.move(seconds=2)
        assert (await world.sessions.append(caller(), [at(question(), 1)])).tainted
        world.clock.move(seconds=2)
        assert not (await world.sessions.append(caller(), [at(question("2"), 5)])).tainted

    @pytest.mark.parametrize(
        "stated", [[at(question(), 3)], [question()], [at(question(), -600), question("2")]]
    )
    async def test_any_other_question_begins_a_clean_one(self, world: World, stated: list[Message]) -> None:
        world.clock.move(seconds=2)
        world.sessions.hear(caller(), [Origin.UNTRUSTED])
        world.clock.move(seconds=2)
        assert not (await world.sessions.append(caller(), stated)).tainted

    async def test_memory_that_is_vouched_for_taints_none(self, world: World) -> None:
        world.clock.move(seconds=2)
        world.sessions.hear(caller(), [Origin.AGENT])
        assert not (await world.sessions.append(caller(), [at(question(), 1)])).tainted

    async def test_a_transcript_that_is_read_later_goes_by_its_own_times(self, world: World) -> None:
        world.clock.move(seconds=60)
        world.sessions.hear(caller(), [Origin.UNTRUSTED])
        said = [at(question("1"), 0), at(answer("2"), 1), at(question("3"), 59)]
        await world.sessions.ingest(caller(), said)
        document = await world.document("sessions/main/s1")
        assert document.attribution.of_lines(2, 2).origin is Origin.AGENT
        assert world.sessions.turns.is_tainted(caller())
