"""Taint and flush cycles, as the writing of notes sees them."""

import threading
from pathlib import Path

import pytest
import trio

from openclaw_memd.domain.provenance import Origin
from openclaw_memd.notes.turns import Cycle, Turns
from openclaw_memd.sessions.outcomes import EndReason
from openclaw_memd.sessions.turns import SessionTurns
from tests.sessions.worlds import GUEST, HandClock, World, assistant, caller, open_world, tool, user


def turns_of(world: World) -> SessionTurns:
    turns: Turns = world.sessions.turns
    assert isinstance(turns, SessionTurns)
    return turns


async def test_only_the_session_that_saw_the_network_is_tainted(world: World) -> None:
    await world.sessions.append(caller("s1"), [user("1"), tool("2", network=True)])
    await world.sessions.append(caller("s2"), [user("1")])
    turns = turns_of(world)
    assert turns.is_tainted(caller("s1"))
    assert not turns.is_tainted(caller("s2"))
    assert not turns.is_tainted(caller("s1", agent="other"))
    assert not turns.is_tainted(caller("new"))
    assert not turns.is_tainted(None)
    assert turns.taint().is_now


async def test_a_caller_that_names_no_session_could_be_any_of_its_agents(world: World) -> None:
    await world.sessions.append(caller("s1"), [user("1"), tool("2", network=True)])
    assert turns_of(world).is_tainted(caller(None))
    assert not turns_of(world).is_tainted(caller(None, agent="other"))


async def test_a_taint_ends_with_half_an_hour_of_nothing(world: World) -> None:
    await world.sessions.append(caller(), [user("1"), tool("2", network=True)])
    world.clock.move(minutes=29)
    assert (await world.sessions.append(caller(), [assistant("3")])).tainted
    world.clock.move(minutes=29)
    assert turns_of(world).taint().is_now
    world.clock.move(minutes=1)
    assert not turns_of(world).taint().is_now
    assert not (await world.sessions.append(caller(), [assistant("4")])).tainted


async def test_a_taint_ends_half_an_hour_after_the_clock_was_set_back(world: World) -> None:
    await world.sessions.append(caller(), [user("1"), tool("2", network=True)])
    world.clock.move(days=-300)
    assert turns_of(world).taint().is_now
    world.clock.move(minutes=29)
    assert turns_of(world).is_tainted(caller())
    world.clock.move(minutes=1)
    assert not turns_of(world).is_tainted(caller())
    assert not turns_of(world).taint().is_now


@pytest.mark.parametrize("reason", list(EndReason))
async def test_a_taint_ends_with_its_session_but_not_when_that_is_compacted(
    world: World, reason: EndReason
) -> None:
    await world.sessions.append(caller(), [user("1"), tool("2", network=True)])
    await world.sessions.end(caller(), reason)
    assert turns_of(world).is_tainted(caller()) == (reason is EndReason.COMPACT)
    answer = await world.sessions.append(caller(), [assistant("3", "after the end")])
    assert answer.tainted == (reason is EndReason.COMPACT)


async def test_an_answer_after_the_end_has_no_owners_turn(world: World) -> None:
    await world.sessions.append(caller(), [user("1")])
    await world.sessions.end(caller())
    await world.sessions.append(caller(), [assistant("2", "late")])
    document = await world.document("sessions/main/s1")
    assert document.attribution.of_lines(2, 2).origin is Origin.UNTRUSTED


async def test_a_taint_that_comes_with_repeated_messages_counts(world: World) -> None:
    messages = [user("1"), assistant("2")]
    await world.sessions.append(caller(), messages)
    assert (await world.sessions.append(caller(tainted=True), messages)).tainted
    assert turns_of(world).is_tainted(caller())
    assert (await turns_of(world).cycle("main", "s1")).origin is Origin.UNTRUSTED


async def test_a_taint_survives_a_restart(tmp_path: Path) -> None:
    clock = HandClock()
    async with open_world(tmp_path, clock=clock) as world:
        await world.sessions.append(caller(), [user("1"), tool("2", network=True)])
    clock.move(minutes=10)
    async with open_world(tmp_path, clock=clock) as world:
        assert turns_of(world).is_tainted(caller())
        assert (await world.sessions.append(caller(), [assistant("3")])).tainted


async def test_looking_at_turns_in_another_thread_loses_no_message(world: World) -> None:
    """The index asks in worker threads whether some session is tainted."""
    is_over = threading.Event()

    def look() -> None:
        while not is_over.is_set():
            turns_of(world).taint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.to_thread.run_sync, look)
        for number in range(60):
            world.clock.move(minutes=-45 if number % 2 else 40)
            await world.sessions.append(caller(), [user(f"u{number}"), tool(f"t{number}", network=True)])
        is_over.set()
    (known,) = world.sessions.list()
    await world.sessions.load()
    assert world.sessions.list() == (known,)
    assert known.messages == 120


async def test_a_cycle_is_what_was_heard_since_the_flush_before(world: World) -> None:
    turns = turns_of(world)
    await world.sessions.append(caller(), [user("1", "one"), assistant("2", "two")])
    assert await turns.cycle("main", "s1") == Cycle(Origin.AGENT, ("one", "two"), 2)
    await turns.flushed("main", "s1", 2)

    await world.sessions.append(
        caller(), [user("3", "three"), tool("4", network=True), assistant("5", "outside")]
    )
    await world.sessions.append(caller(), [user("6", "four")])
    assert await turns.cycle("main", "s1") == Cycle(Origin.UNTRUSTED, ("three", "four"), 6)
    await turns.flushed("main", "s1", 6)
    await world.sessions.append(caller(), [user("7", "five")])
    assert await turns.cycle("main", "s1") == Cycle(Origin.AGENT, ("five",), 7)


@pytest.mark.parametrize(
    ("messages", "origin"),
    [
        ([user("1"), assistant("2")], Origin.AGENT),
        ([user("1", sender=GUEST), user("2")], Origin.UNTRUSTED),
        ([user("1", kind="heartbeat"), user("2")], Origin.SYSTEM),
        ([user("1"), tool("2", network=True), user("3")], Origin.UNTRUSTED),
        ([user("1"), tool("2")], Origin.AGENT),
    ],
)
async def test_a_cycle_is_as_bad_as_the_worst_of_it(world: World, messages: list, origin: Origin) -> None:  # type: ignore[type-arg]
    await world.sessions.append(caller(), messages)
    assert (await turns_of(world).cycle("main", "s1")).origin is origin


async def test_what_the_agent_says_after_outside_text_may_repeat_it(world: World) -> None:
    """Also in a turn that is clean: the text is still in the model's window."""
    await world.sessions.append(
        caller(),
        [
            user("1", "read my mail"),
            assistant("2", "before"),
            tool("3", network=True),
            assistant("4", "it says P"),
            user("5", "thanks"),
            assistant("6", "as I said, P"),
        ],
    )
    cycle = await turns_of(world).cycle("main", "s1")
    assert (cycle.origin, cycle.clean_texts) == (Origin.UNTRUSTED, ("read my mail", "before", "thanks"))


async def test_where_no_outside_text_was_kept_nothing_of_the_agent_counts(world: World) -> None:
    said = [user("1", "read"), tool("2", network=True), user("3", "thanks"), assistant("4", "as I said, P")]
    await world.sessions.append(caller(), said)
    assert (await turns_of(world).cycle("main", "s1")).clean_texts == ("read", "thanks")


async def test_a_turn_that_goes_on_belongs_to_the_next_cycle_too(world: World) -> None:
    turns = turns_of(world)
    await world.sessions.append(caller(), [user("1"), tool("2", network=True)])
    await turns.flushed("main", "s1", (await turns.cycle("main", "s1")).through)
    assert await turns.cycle("main", "s1") == Cycle(Origin.UNTRUSTED, (), 2)


async def test_what_comes_during_a_flush_belongs_to_the_next_cycle(world: World) -> None:
    turns = turns_of(world)
    await world.sessions.append(caller(), [user("1", "before")])
    through = (await turns.cycle("main", "s1")).through
    await world.sessions.append(
        caller(), [user("2", "meanwhile"), tool("3", network=True), user("4", "clean")]
    )
    await turns.flushed("main", "s1", through)
    assert await turns.cycle("main", "s1") == Cycle(Origin.UNTRUSTED, ("meanwhile", "clean"), 4)


async def test_a_flush_of_nothing_ends_no_cycle(world: World) -> None:
    turns = turns_of(world)
    await world.sessions.append(caller(), [user("1", "one")])
    await turns.flushed("main", "s1", 0)
    assert (await turns.cycle("main", "s1")).clean_texts == ("one",)


async def test_a_flush_of_a_session_that_was_made_anew_meanwhile_ends_no_cycle(world: World) -> None:
    turns = turns_of(world)
    await world.sessions.ingest(caller(), [user("1"), user("2"), user("3")])
    through = (await turns.cycle("main", "s1")).through
    await world.sessions.ingest(caller(), [user("4"), tool("5", network=True)], anew=True)
    await turns.flushed("main", "s1", through)
    assert (await turns.cycle("main", "s1")).origin is Origin.UNTRUSTED


async def test_nothing_was_heard_in_a_session_that_nobody_knows(world: World) -> None:
    assert await turns_of(world).cycle("main", "nobody") == Cycle()
    await turns_of(world).flushed("main", "nobody", 0)
    assert world.sessions.list() == ()
