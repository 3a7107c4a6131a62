"""A reply waits for no part of its turn longer than that part's share.

The clock stands still but for what a test lets pass: how long a busy machine takes is no matter.
"""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedState
from openclaw_memd.domain.audience import view_of
from openclaw_memd.domain.callers import Channel, ChatType, Sender
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.errors import UnavailableError
from openclaw_memd.injection.triggers import RESERVE_S
from openclaw_memd.intents.wishes import Wish
from openclaw_memd.turn.drafts import LAST_SHARE, PART_SHARE, Reply
from openclaw_memd.turn.give_backs import RETRY_S
from tests.injection.givings import OWNER
from tests.turn.worlds import LIMIT_S, descriptions, on_the_wire, open_world

DINNER = "- Soup only. <!-- trigger: anna dinner soup guests -->\n"
SHIP = "- Ship with the blue script. <!-- trigger: release time -->\n"
KEY = "example.org/ana/tea"


async def let_pass(clock: MockClock, seconds: float) -> None:
    """So much time goes by; who is still not cancelled then loses the patience of the test as well."""
    clock.jump(seconds)
    for _ in range(20):
        await trio.lowlevel.checkpoint()
    clock.jump(1_000)


async def test_an_embedder_that_hangs_takes_its_share_and_leaves_the_others_theirs(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    async with open_world(tmp_path) as world:
        world.giving.write("MEMORY.md", DINNER + SHIP + f"- Tea. <!-- project: {KEY} -->\n")
        await world.wish("mention the changelog", "anna")
        await world.say("hello", "t0")
        await world.entries.vectors.fill()

        async def hang() -> None:
            await let_pass(mock_clock, LIMIT_S * LAST_SHARE * PART_SHARE - RESERVE_S / 2)

        world.embedder.before_answer = hang
        with trio.fail_after(5):
            answer = await world.say(
                "anna dinner, release time", "t1", caller=replace(OWNER, project_key=KEY)
            )

        assert [hit["hit"]["citation"] for hit in answer["triggers"]] == ["MEMORY.md#L2"]
        assert "Tea." in answer["project_block"]
        assert descriptions(answer) == ["mention the changelog"]
        assert answer["degraded"] == []


async def test_a_message_costs_one_look_at_the_curated_files(
    tmp_path: Path, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.giving.write("MEMORY.md", SHIP + f"- Tea. <!-- project: {KEY} -->\n")
        looks = 0
        refresh = CuratedCore.refresh

        async def count(core: CuratedCore, deadline_at: float | None = None) -> CuratedState:
            nonlocal looks
            looks += 1
            state = await refresh(core, deadline_at)
            world.giving.write("MEMORY.md", "- By the next look it is something else.\n")
            return state

        monkeypatch.setattr(CuratedCore, "refresh", count)
        answer = await world.say(
            "release time", "t1", caller=replace(OWNER, project_key=KEY), known={"MEMORY.md": "old"}
        )

        assert looks == 1
        assert "Ship with" in answer["context"]
        assert "Tea." in answer["project_block"]
        (refreshed,) = answer["refreshed"]
        assert "Ship with" in refreshed["text"], "all parts speak of the same file"


@pytest.mark.parametrize("when", ["before it is written", "after it is written"])
async def test_what_is_not_spent_by_the_deadline_is_not_spent_and_the_rest_is_answered(
    tmp_path: Path, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    async with open_world(tmp_path) as world:
        world.giving.write("MEMORY.md", SHIP)
        made = await world.wish("mention the changelog", "release")
        fire = world.firing.fire

        async def fire_late(*arguments: Any, **more: Any) -> Any:
            if when.startswith("before"):
                await let_pass(mock_clock, LIMIT_S + 0.01)
            fired = await fire(*arguments, **more)
            mock_clock.jump(LIMIT_S + 0.01)
            with trio.CancelScope(shield=True):  # the thread that writes cannot be cancelled any more
                await trio.lowlevel.checkpoint()
            return fired

        with monkeypatch.context() as patch, trio.fail_after(5):
            patch.setattr(world.firing, "fire", fire_late)
            answer = await world.say("release time", "t1")
        assert len(answer["triggers"]) == 1
        assert (descriptions(answer), answer["degraded"]) == ([], ["intents"])
        assert await world.fires(made) == 0
        assert await world.say("release time", "t1") == answer
        assert descriptions(await world.say("release time", "t2")) == ["mention the changelog"]


async def test_a_part_that_fails_is_named_and_the_others_are_answered(
    tmp_path: Path, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.giving.write("MEMORY.md", SHIP)

        async def fail(*_arguments: object, **_more: object) -> None:
            await trio.lowlevel.checkpoint()
            raise UnavailableError("the ledger cannot be read")

        monkeypatch.setattr(world.firing, "find", fail)
        answer = await world.say("release time", "t1")
        assert (len(answer["triggers"]), answer["degraded"]) == (1, ["intents"])


async def test_a_sub_agent_keeps_the_entries_of_its_project(tmp_path: Path, mock_clock: MockClock) -> None:
    async with open_world(tmp_path) as world:
        world.giving.write("MEMORY.md", f"- Tea at four. <!-- project: {KEY} -->\n")
        child = replace(
            OWNER,
            session_id="child",
            session_kind=SessionKind.SUBAGENT,
            parent_session_id="s1",
            project_key=KEY,
        )
        given = await world.giving.bootstrap.build(view_of(child), active_projects=(KEY,))
        known = {file.file: file.hash for file in given.files}
        assert "MEMORY.md" in known

        assert (await world.say("hello", "t1", caller=child, known=known))["refreshed"] == []


async def test_the_same_ids_in_a_session_of_another_kind_are_another_turn(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    async with open_world(tmp_path) as world:
        world.giving.write("MEMORY.md", SHIP)
        assert (await world.say("release time", "t1"))["triggers"] != []
        for kind in (SessionKind.CRON, SessionKind.SUBAGENT, SessionKind.UNKNOWN):
            answer = await world.say("release time", "t1", caller=replace(OWNER, session_kind=kind))
            assert (answer["triggers"], answer["context"]) == ([], "")


async def test_fires_that_cannot_be_given_back_yet_hold_up_nobody_who_asks_again(
    tmp_path: Path, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world, trio.open_nursery() as nursery:
        made = await world.wish("mention the changelog", "release")
        release, refused, released = world.firing.release, trio.Event(), trio.Event()

        async def refuse(*_arguments: object, **_hooks: object) -> int:
            await trio.lowlevel.checkpoint()
            refused.set()
            raise UnavailableError("the disk is full", reason="disk_full")

        async def note(*arguments: Any, **hooks: Any) -> int:
            count = await release(*arguments, **hooks)
            released.set()
            return count

        first = await world.reply("the release", "t1")
        assert first.when_lost is not None
        first.when_lost()
        monkeypatch.setattr(world.firing, "release", refuse)
        nursery.start_soon(world.give_backs.run)
        await refused.wait()
        await wait_all_tasks_blocked()

        replies: list[Reply] = []

        async def ask_again() -> None:
            replies.append(await world.reply("the release", "t1"))

        nursery.start_soon(ask_again)
        await wait_all_tasks_blocked()
        (again,) = replies
        assert again.answer == on_the_wire(first), "it is given after all, at once"

        assert again.when_lost is not None
        again.when_lost()
        monkeypatch.setattr(world.firing, "release", note)
        mock_clock.jump(RETRY_S)
        await released.wait()
        assert await world.fires(made) == 0
        nursery.cancel_scope.cancel()


async def test_a_fire_that_is_given_back_comes_with_the_same_turn_again(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    async with open_world(tmp_path) as world:
        made = await world.wish("mention the changelog", "release")
        first = await world.say("the release", "t1")
        token = first["intents"][0]["token"]
        others = (
            replace(OWNER, sender=Sender("u2")),
            replace(OWNER, session_id="another"),
            replace(OWNER, chat_type=ChatType.GROUP),
            replace(OWNER, session_id=None, channel=Channel()),
        )
        for other in others:
            assert await world.turns.release(other, "main", [token]) == 0
        assert await world.say("the release", "t1") == first
        assert await world.turns.release(OWNER, "main", [token, token, "nothing"]) == 1
        assert await world.turns.release(OWNER, "main", [token]) == 0
        again = await world.say("the release", "t1")
        assert descriptions(again) == ["mention the changelog"]
        assert again["intents"][0]["token"] != token
        assert await world.fires(made) == 1
        assert await world.say("the release", "t1") == again
        assert descriptions(await world.say("the release", "t2")) == []
        assert await world.turns.release(None, "main", [again["intents"][0]["token"]]) == 1, "the operator"


async def test_reminders_take_the_room_that_fires_leave(tmp_path: Path, mock_clock: MockClock) -> None:
    async with open_world(tmp_path) as world:
        now = world.intents.clock.now()
        for hour in range(1, 202):
            wish = Wish(f"{hour} " + "x" * 490, at=now + timedelta(hours=hour))
            await world.intents.create(OWNER, wish)
        await world.intents.create(OWNER, Wish("e" * 490, ("release",)))
        mock_clock.jump(300 * 3600)
        told = [await world.say(text, text) for text in ("hi", "the release", "the release again")]
        reminders = [[one["intent"]["description"][:2] for one in answer["reminders"]] for answer in told]
        assert reminders == [["1 ", "2 "], ["1 "], ["1 ", "2 "]]
        assert all(answer["context"].count("x" * 490) == len(answer["reminders"]) for answer in told)
        assert [answer["degraded"] for answer in told] == [[], [], []]
