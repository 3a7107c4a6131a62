"""Taint beyond one session's turn: in the past, in other sessions, and from memory that was handed out."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import trio

from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.suspicion import Taint
from openclaw_memd.files.hints import EVERYTHING
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.sessions.known import MANY_HEARD
from openclaw_memd.sessions.messages import Message
from openclaw_memd.sessions.outcomes import EndReason
from tests.sessions.worlds import START, HandClock, World, assistant, caller, open_world, tool, user

NETWORK = [user("1"), tool("2", network=True)]
KEY = SessionKey("main", "s1")
PATH = "sessions/main/s1"


class TestLastTaint:
    async def test_there_was_none(self, world: World) -> None:
        await world.sessions.append(caller(), [user("1"), assistant("2")])
        assert world.sessions.turns.taint() == Taint()

    async def test_a_turn_that_is_over_was_tainted_until_its_end(self, tmp_path: Path) -> None:
        clock = HandClock()
        async with open_world(tmp_path, clock=clock) as world:
            await world.sessions.append(caller(), NETWORK)
            clock.move(minutes=5)
            assert world.sessions.turns.taint() == Taint(True, clock.now())
            await world.sessions.append(caller(), [user("3")])
            over = Taint(last_at=clock.now())
            clock.move(minutes=5)
            assert world.sessions.turns.taint() == over
        async with open_world(tmp_path, clock=clock) as world:
            assert world.sessions.turns.taint() == over

    async def test_a_taint_within_one_call_counts(self, world: World) -> None:
        await world.sessions.append(caller(), [*NETWORK, user("3")])
        assert world.sessions.turns.taint() == Taint(last_at=START)

    async def test_a_taint_ends_by_itself(self, world: World) -> None:
        await world.sessions.append(caller(), NETWORK)
        world.clock.move(hours=2)
        over = Taint(last_at=START + timedelta(minutes=30))
        assert world.sessions.turns.taint() == over
        await world.sessions.append(caller("s2"), [user("1")])
        assert world.sessions.turns.taint() == over

    async def test_a_session_that_ends_was_tainted_until_then(self, world: World) -> None:
        await world.sessions.append(caller(), NETWORK)
        world.clock.move(minutes=5)
        await world.sessions.end(caller(), EndReason.NEW)
        ended_at = world.clock.now()
        world.clock.move(minutes=5)
        assert world.sessions.turns.taint() == Taint(last_at=ended_at)

    async def test_a_transcript_tells_of_the_past(self, world: World) -> None:
        at = START - timedelta(days=2)
        messages = [*NETWORK, user("3")]
        times = [replace(one, at=at + timedelta(minutes=number)) for number, one in enumerate(messages)]
        await world.sessions.ingest(caller(), times)
        assert world.sessions.turns.taint() == Taint(last_at=at + timedelta(minutes=2))

    @pytest.mark.parametrize("restart", [False, True])
    async def test_a_session_that_is_gone_may_go_on(self, tmp_path: Path, restart: bool) -> None:
        """A tainted agent that can run commands can take its own transcript away."""
        clock = HandClock()
        async with open_world(tmp_path, clock=clock) as world:
            await world.sessions.ingest(caller(), [replace(one, at=START) for one in NETWORK])
            clock.move(minutes=5)
            await world.sessions.remove(KEY)
            if not restart:
                await self._check_gone(world)
        if restart:
            async with open_world(tmp_path, clock=clock) as world:
                await self._check_gone(world)

    async def _check_gone(self, world: World) -> None:
        turns = world.sessions.turns
        await world.sessions.append(caller("s2"), [user("1")])
        assert turns.taint() == Taint(True, world.clock.now())
        assert turns.is_tainted(caller())
        assert turns.is_tainted(caller(None))
        assert not turns.is_tainted(caller("s2"))
        world.clock.move(minutes=25)
        assert turns.taint() == Taint(last_at=START + timedelta(minutes=30))
        assert not turns.is_tainted(caller())

    async def test_a_transcript_that_is_written_anew_takes_no_taint_back(self, world: World) -> None:
        """It may come in several batches, without what tainted the turn."""

        def at(id_: str, minutes: float) -> Message:
            return replace(user(id_), at=START + timedelta(minutes=minutes))

        tainted = replace(tool("2", network=True), at=START + timedelta(minutes=2))
        world.clock.move(minutes=5)
        await world.sessions.ingest(caller(), [at("1", 0), tainted])
        for id_, minutes in (("1", 0), ("3", 1)):
            await world.sessions.ingest(caller(), [at(id_, minutes)], anew=id_ == "1")
            assert world.sessions.turns.taint().is_now
            assert world.sessions.turns.is_tainted(caller())
        await world.sessions.ingest(caller(), [at("4", 3)])
        assert not world.sessions.turns.is_tainted(caller())
        assert not world.sessions.turns.taint().is_now

    async def test_a_clock_that_is_set_back_keeps_no_taint_for_ever(self, world: World) -> None:
        await world.sessions.append(caller(), [*NETWORK, user("3")])
        world.clock.move(days=-300)
        assert world.sessions.turns.taint().is_now
        world.clock.move(minutes=30)
        assert not world.sessions.turns.taint().is_now

    async def test_everything_is_to_be_looked_at_when_the_last_taint_ends(self, world: World) -> None:
        await world.sessions.append(caller("s1"), NETWORK)
        await world.sessions.append(caller("s2"), NETWORK)
        await world.sessions.append(caller("s1"), [user("3")])
        assert frozenset({EVERYTHING}) not in world.hints
        await world.sessions.append(caller("s2"), [user("3")])
        assert world.hints.count(frozenset({EVERYTHING})) == 1
        await world.sessions.append(caller("s2"), [*NETWORK, tool("4", network=True)])
        await world.sessions.end(caller("s2"))
        assert world.hints.count(frozenset({EVERYTHING})) == 2


class TestFamily:
    async def test_what_a_tainted_session_starts_is_tainted(self, world: World) -> None:
        await world.sessions.append(caller("parent"), NETWORK)
        await world.sessions.append(caller("child", parent="parent"), [user("1")])
        turns = world.sessions.turns
        assert turns.is_tainted(caller("child"))
        assert turns.is_tainted(caller("new", parent="parent"))
        assert turns.is_tainted(caller("grandchild", parent="child"))
        assert not turns.is_tainted(caller("other", parent="stranger"))
        assert not turns.is_tainted(caller("child", agent="second", parent="parent"))

    async def test_it_stays_so_when_the_one_above_goes_on_to_something_else(self, world: World) -> None:
        await world.sessions.append(caller("parent"), NETWORK)
        answer = await world.sessions.append(caller("child", parent="parent"), [user("1"), assistant("2")])
        assert answer.tainted
        await world.sessions.append(caller("parent"), [user("3")])
        assert world.sessions.turns.is_tainted(caller("child"))

    async def test_an_open_child_brings_its_taint_up(self, world: World) -> None:
        await world.sessions.append(caller("parent"), [user("1")])
        await world.sessions.append(caller("child", parent="parent"), [user("1")])
        assert not world.sessions.turns.is_tainted(caller("parent"))
        await world.sessions.append(caller("child"), [tool("2", network=True)])
        assert world.sessions.turns.is_tainted(caller("parent"))
        # What it found reaches the one above when it ends.
        await world.sessions.end(caller("child"))
        assert world.sessions.turns.is_tainted(caller("parent"))
        await world.sessions.append(caller("parent"), [user("2")])
        assert not world.sessions.turns.is_tainted(caller("parent"))

    async def test_a_sibling_is_not_concerned(self, world: World) -> None:
        await world.sessions.append(caller("parent"), [user("1")])
        await world.sessions.append(caller("one", parent="parent"), NETWORK)
        await world.sessions.append(caller("parent"), [user("2")])
        await world.sessions.append(caller("two", parent="parent"), [user("1")])
        assert not world.sessions.turns.is_tainted(caller("two"))


class TestHearing:
    @pytest.mark.parametrize("origin", [Origin.UNTRUSTED, Origin.SYSTEM])
    async def test_memory_that_nobody_vouches_for_taints_the_turn(self, world: World, origin: Origin) -> None:
        await world.sessions.append(caller(), [user("1")])
        world.sessions.hear(caller(), [Origin.AGENT, origin])
        assert world.sessions.turns.is_tainted(caller())
        assert world.sessions.turns.taint().is_now
        assert not world.sessions.turns.is_tainted(caller("s2"))
        answer = await world.sessions.append(caller(), [assistant("2", "it says so")])
        assert answer.tainted
        assert [one.reason for one in answer.skipped] == ["recalled"]
        assert (await world.sessions.turns.cycle(*KEY)).origin is Origin.UNTRUSTED
        assert not (await world.sessions.append(caller(), [user("3")])).tainted
        assert not world.sessions.turns.is_tainted(caller())

    async def test_trusted_memory_and_callers_without_a_session_do_not(self, world: World) -> None:
        await world.sessions.append(caller(), [user("1")])
        world.sessions.hear(caller(), [Origin.AGENT, Origin.OWNER])
        world.sessions.hear(caller(), [])
        world.sessions.hear(caller(None), [Origin.UNTRUSTED])
        world.sessions.hear(None, [Origin.UNTRUSTED])
        assert world.sessions.turns.taint() == Taint()

    async def test_a_flush_after_the_next_message_is_still_made_from_it(self, world: World) -> None:
        await world.sessions.append(caller(), [user("1", "one")])
        world.sessions.hear(caller(), [Origin.UNTRUSTED])
        await world.sessions.append(caller(), [user("2", "two")])
        cycle = await world.sessions.turns.cycle(*KEY)
        assert (cycle.origin, cycle.clean_texts) == (Origin.UNTRUSTED, ("one", "two"))

    @pytest.mark.parametrize("is_known", [True, False])
    async def test_the_ledger_says_so_soon_after(self, tmp_path: Path, is_known: bool) -> None:
        clock = HandClock()
        async with open_world(tmp_path, clock=clock) as world, trio.open_nursery() as nursery:
            if is_known:
                await world.sessions.append(caller(), [user("1")])
            nursery.start_soon(world.sessions.hearing.run)
            world.sessions.hear(caller(), [Origin.UNTRUSTED])
            with trio.fail_after(60):
                while world.sessions.hearing._waiting:
                    await trio.testing.wait_all_tasks_blocked()
            assert len(world.sessions.list()) == is_known
            nursery.cancel_scope.cancel()
        clock.move(minutes=10)
        async with open_world(tmp_path, clock=clock) as world:
            assert world.sessions.turns.is_tainted(caller())
            assert world.sessions.turns.taint().is_now

    async def test_a_transcript_that_is_read_later_clears_nothing_that_came_after_it(
        self, world: World
    ) -> None:
        question = replace(user("1"), at=START)
        world.clock.move(seconds=3)
        world.sessions.hear(caller(), [Origin.UNTRUSTED])
        world.clock.move(seconds=2)
        answer = await world.sessions.ingest(caller(), [question])
        assert answer.tainted
        later = replace(user("2"), at=START + timedelta(seconds=4))
        assert not (await world.sessions.ingest(caller(), [later])).tainted

    async def test_sessions_that_nobody_knows_are_not_remembered_for_ever(self, world: World) -> None:
        for number in range(MANY_HEARD):
            world.sessions.hear(caller(f"s{number}"), [Origin.UNTRUSTED])
        world.clock.move(minutes=20)
        world.sessions.hear(caller("late"), [Origin.UNTRUSTED])
        assert world.sessions.turns.is_tainted(caller("s0"))
        world.clock.move(minutes=10)
        assert not world.sessions.turns.is_tainted(caller("s0"))
        world.sessions.hear(caller("last"), [Origin.UNTRUSTED])
        known = world.sessions._known
        assert len(known._heard) == 2
        assert known.tainted(world.clock.now()) == {KEY._replace(session_id=one) for one in ("late", "last")}

    async def test_what_an_unknown_session_did_in_its_tainted_turn_is_suspect_later(
        self, world: World
    ) -> None:
        for number in range(MANY_HEARD):
            world.sessions.hear(caller(f"s{number}"), [Origin.UNTRUSTED])
        over = Taint(last_at=START + timedelta(minutes=30))
        world.clock.move(hours=1)
        assert world.sessions.turns.taint() == over
        world.sessions.hear(caller("late"), [Origin.UNTRUSTED])
        assert len(world.sessions._known._heard) == 1
        assert world.sessions.turns.taint() == Taint(True, world.clock.now())

    async def test_a_turn_that_recalls_again_and_again_is_kept_once_a_minute(self, world: World) -> None:
        await world.sessions.append(caller(), NETWORK)
        world.sessions.hear(caller(), [Origin.UNTRUSTED])
        assert world.sessions._known.heard_at(KEY) is None
        world.clock.move(minutes=1)
        world.sessions.hear(caller(), [Origin.UNTRUSTED])
        assert world.sessions._known.heard_at(KEY) == world.clock.now()
        world.clock.move(minutes=29)
        assert world.sessions.turns.is_tainted(caller())

    async def test_it_reaches_those_above(self, world: World) -> None:
        await world.sessions.append(caller("parent"), [user("1")])
        world.sessions.hear(caller("child", parent="parent"), [Origin.UNTRUSTED])
        assert world.sessions.turns.is_tainted(caller("parent"))
        await world.sessions.append(caller("parent"), [user("2")])
        assert not world.sessions.turns.is_tainted(caller("parent"))


class TestContexts:
    """A host that says so in a call's context taints the turn, not that call alone."""

    async def test_the_turn_is_tainted_until_the_next_message_of_a_user(self, world: World) -> None:
        await world.sessions.append(caller(), [user("1")])
        world.sessions.hear_taint(caller())
        assert world.sessions.turns.is_tainted(caller())
        assert world.sessions.turns.taint().is_now
        assert not world.sessions.turns.is_tainted(caller("s2"))
        answer = await world.sessions.append(caller(), [assistant("2", "it says so")])
        assert (answer.tainted, answer.accepted) == (True, 1)  # nothing was recalled
        assert (await world.sessions.turns.cycle(*KEY)).origin is Origin.UNTRUSTED
        assert not (await world.sessions.append(caller(), [user("3")])).tainted
        assert not world.sessions.turns.is_tainted(caller())

    async def test_a_question_asked_before_and_told_later_does_not_end_it(self, world: World) -> None:
        asked_at = world.clock.now()
        world.clock.move(seconds=2)
        world.sessions.hear_taint(caller())
        world.clock.move(seconds=2)
        assert (await world.sessions.append(caller(), [replace(user("1"), at=asked_at)])).tainted

    @pytest.mark.parametrize("is_known", [True, False])
    async def test_the_end_of_the_session_or_half_an_idle_hour_ends_it(
        self, world: World, is_known: bool
    ) -> None:
        if is_known:
            await world.sessions.append(caller(), [user("1")])
        world.sessions.hear_taint(caller())
        await world.sessions.end(caller(), EndReason.COMPACT)
        assert world.sessions.turns.is_tainted(caller())
        world.clock.move(minutes=31)
        assert not world.sessions.turns.is_tainted(caller())
        world.sessions.hear_taint(caller())
        if is_known:
            await world.sessions.append(caller(), [])
        await world.sessions.end(caller())
        assert not world.sessions.turns.is_tainted(caller())
        assert world.sessions.turns.taint().last_at == world.clock.now()  # what changed till now is suspect

    async def test_it_goes_up_to_those_that_it_descends_from(self, world: World) -> None:
        await world.sessions.append(caller("parent"), [user("1")])
        world.sessions.hear_taint(caller("child", parent="parent"))
        assert world.sessions.turns.is_tainted(caller("parent"))

    async def test_a_context_without_a_session_taints_none(self, world: World) -> None:
        world.sessions.hear_taint(caller(None))
        assert world.sessions.turns.taint() == Taint()
