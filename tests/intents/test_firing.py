"""What a message fires, and how often."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
import trio

from openclaw_memd.domain.intents import SenderScope, Status
from openclaw_memd.intents.firing import Fired
from openclaw_memd.intents.wishes import Wish
from tests.intents.worlds import GUEST, OWNER, RELEASE, Open, World


async def test_it_fires_rests_and_is_done(world: World, opened: Open) -> None:
    (made,) = await opened.create(RELEASE)
    for expected in (Status.FIRED, Status.FIRED, Status.DONE):
        (fired,) = await opened.say("when is the next release?")
        assert fired.intent.status is expected
        assert fired.why == "release"
        assert await opened.told("the release again") == []
        world.clock.forward(days=1)
    assert (await opened.intents.get("main", made.id)).fire_count == 3
    assert await opened.told("release") == []


async def test_looking_spends_nothing(opened: Open) -> None:
    await opened.create(RELEASE)
    for _ in range(5):
        assert len((await opened.firing.find(OWNER, "the release")).whys) == 1
    assert await opened.told("the release") == ["mention the changelog"]


@pytest.mark.parametrize(
    "message",
    [
        "```\nrelease\n```",
        "> release",
        "<<<BEGIN_MEMD_RECALL>>>\nrelease\n<<<END_MEMD_RECALL>>>",
        "release " + "filler " * 1000,
        "",
    ],
)
async def test_what_nobody_says_fires_nothing(opened: Open, message: str) -> None:
    await opened.create(RELEASE)
    assert await opened.told(message) == []


async def test_the_end_of_a_long_message_is_heard(opened: Open) -> None:
    await opened.create(RELEASE)
    assert await opened.told("filler " * 3000 + "the release") == ["mention the changelog"]


async def test_three_fire_the_oldest_first_and_the_others_keep_theirs(opened: Open) -> None:
    await opened.create(*(Wish(f"n{n}", ("release",)) for n in range(5)))
    assert await opened.told("release") == ["n0", "n1", "n2"]
    assert await opened.told("release") == ["n3", "n4"]


async def test_what_does_not_fit_waits(opened: Open) -> None:
    await opened.create(
        *(Wish(f"{n} " + "x" * 490, ("release",)) for n in range(3)), Wish("short", ("release",))
    )
    told = await opened.told("release")
    assert [text[0] for text in told] == ["0", "1", "s"]
    assert [text[0] for text in await opened.told("release")] == ["2"]


async def test_a_needle_behind_others_of_its_words_is_found(opened: Open) -> None:
    for n in range(33):
        (made,) = await opened.create(Wish(f"cancelled {n}", ("release candidate",)))
        await opened.intents.cancel("main", made.id)
    await opened.create(*(Wish(f"decoy {n}", ("candidate list",)) for n in range(300)))
    await opened.create(Wish("others", ("release candidate",)), caller=replace(OWNER, session_id="s2"))
    await opened.create(Wish("needle", ("release candidate",)))
    prompt = " ".join(f"word{n}" for n in range(45)) + " candidate for the release"
    assert "needle" in await opened.told(prompt)


async def test_hundreds_of_others_do_not_hide_it(opened: Open) -> None:
    """A limit counts what may come to be told, not what belongs to somebody else."""
    other = replace(OWNER, channel=replace(OWNER.channel, conversation_id="c9"))
    await opened.create(*(Wish(f"n{n}", ("release",)) for n in range(260)), caller=other)
    await opened.create(RELEASE)
    assert await opened.told("release") == ["mention the changelog"]


async def test_another_sender_fires_what_is_for_anyone(opened: Open) -> None:
    await opened.create(RELEASE, replace(RELEASE, description="for all", sender_scope=SenderScope.ANYONE))
    assert await opened.told("release", caller=GUEST) == ["for all"]


async def test_two_messages_at_once_fire_once(opened: Open) -> None:
    await opened.create(RELEASE)
    told: list[str] = []

    async def say() -> None:
        told.extend(await opened.told("release"))

    async with trio.open_nursery() as nursery:
        for _ in range(8):
            nursery.start_soon(say)
    assert told == ["mention the changelog"]


async def test_what_cannot_be_finished_spends_nothing(opened: Open) -> None:
    await opened.create(RELEASE)
    found = await opened.firing.find(OWNER, "release")

    def fail(_connection: Any, fired: Sequence[Fired]) -> None:
        assert len(fired) == 1
        raise RuntimeError("no room")

    with pytest.raises(RuntimeError):
        await opened.firing.fire(OWNER, found, most=3, finish=fail)
    assert await opened.told("release") == ["mention the changelog"]


async def test_a_fire_is_given_back_once_and_within_ten_minutes(world: World, opened: Open) -> None:
    (made,) = await opened.create(replace(RELEASE, max_fires=1))
    (fired,) = await opened.say("release")
    assert fired.intent.status is Status.DONE
    assert await opened.firing.release("other", [fired.token]) == 0
    assert await opened.firing.release("main", [fired.token, fired.token, "nothing"]) == 1
    assert await opened.firing.release("main", [fired.token]) == 0
    assert (await opened.intents.get("main", made.id)).fire_count == 0
    (again,) = await opened.say("release")
    world.clock.forward(minutes=10, seconds=1)
    assert await opened.firing.release("main", [again.token]) == 0
    assert await opened.told("release") == []


async def test_a_restart_forgets_no_cooldown(world: World) -> None:
    async with world.open() as opened:
        await opened.create(RELEASE)
        assert len(await opened.say("release")) == 1
    async with world.open() as opened:
        assert await opened.told("release") == []
        world.clock.forward(days=1)
        assert await opened.told("release") == ["mention the changelog"]


async def test_a_clock_set_back_hides_nothing_for_longer_than_a_cooldown(world: World, opened: Open) -> None:
    await opened.create(RELEASE)
    await opened.say("release")
    world.clock.forward(days=-300)
    await opened.intents.sweep()
    world.clock.forward(hours=23)
    assert await opened.told("release") == []
    world.clock.forward(hours=1)
    assert await opened.told("release") == ["mention the changelog"]


async def test_a_year_of_talk_about_it(world: World, opened: Open) -> None:
    """Through both clock changes and clocks that are set back no two fires are nearer than the cooldown."""
    start = world.clock.now()
    end, over = start + timedelta(days=330), start + timedelta(days=365)
    (made,) = await opened.create(replace(RELEASE, max_fires=1_000, expires_at=start + timedelta(days=400)))
    fired: list[datetime] = []
    passed = 0
    while world.clock.now() < over:
        passed += 1
        world.clock.forward(hours=-2 if passed % 100 == 0 else 11)
        if await opened.told("the release"):
            fired.append(world.clock.now())
        if world.clock.now() >= end:
            await opened.intents.cancel("main", made.id)
    assert all(after - before >= timedelta(days=1) for before, after in pairwise(fired))
    assert fired[-1] < end + timedelta(hours=11)
    assert 235 <= len(fired) <= 330 * 24 // 33 + 1
    assert (await opened.intents.get("main", made.id)).fire_count == len(fired)


@pytest.mark.parametrize(
    ("keyword", "message"),
    [
        ("b", "plan B it is"),
        ("🎉", "we did it 🎉"),
        ("C++", "written in c++"),
        (".env", "it is in .env"),
        ("IT", "ask IT about it"),
        ("bus", "no buses today"),
        ("网关设置", "请检查网关设置文件"),
        ("release the", "THE RELEASE"),
        ("über uns", "Uber uns"),
    ],
)
async def test_odd_keywords_are_found_too(opened: Open, keyword: str, message: str) -> None:
    await opened.create(Wish("x", ("unsaid word", keyword)))
    assert await opened.told("nothing of that kind") == []
    assert await opened.told(message) == ["x"]


async def test_a_common_word_hides_no_rare_one(opened: Open) -> None:
    """What is looked up of a keyword is the word that few others are looked up by."""
    await opened.create(*(Wish(f"n{n}", ("new", f"new topic{n}")) for n in range(20)))
    assert await opened.told("about topic7 and topic13", most=20) == []
    assert await opened.told("a new topic7", most=3) == ["n0", "n1", "n2"]
