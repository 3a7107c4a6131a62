"""Reminders come once for each time, through clock changes, sleep and restarts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from openclaw_memd.config.sections import Intents as Settings
from openclaw_memd.domain.callers import Channel, ChatType, Sender
from openclaw_memd.domain.intents import Scope, Status
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.intents.reminders import FollowUp
from openclaw_memd.intents.wishes import Wish
from tests.intents.worlds import GUEST, OWNER, Open, World

HEARTBEAT = replace(OWNER, session_kind=SessionKind.HEARTBEAT, sender=Sender(), channel=Channel())
VIENNA = ZoneInfo("Europe/Vienna")


async def due(opened: Open) -> list[str]:
    return [one.intent.description for one in await opened.reminders.due(OWNER, "main")]


async def test_it_is_due_until_it_is_confirmed(world: World) -> None:
    async with world.open() as opened:
        await opened.create(Wish("call Ana", at=world.clock.now() + timedelta(hours=1)))
        assert await due(opened) == []
        world.clock.forward(hours=1)
        assert await due(opened) == ["call Ana"]
    world.clock.forward(days=3)
    async with world.open() as opened:
        (one,) = await opened.reminders.due(OWNER, "main")
        assert await opened.reminders.confirm(OWNER, "main", [one.token, one.token]) == 1
        assert await due(opened) == []
        assert await opened.reminders.confirm(OWNER, "main", [one.token, "x", "x@y"]) == 0
        assert (await opened.intents.get("main", one.intent.id)).status is Status.DONE


async def test_an_old_token_confirms_no_later_occurrence(world: World, opened: Open) -> None:
    await opened.create(Wish("stand-up", cron="0 9 * * *"))
    world.clock.forward(days=1)
    (first,) = await opened.reminders.due(OWNER, "main")
    await opened.reminders.confirm(OWNER, "main", [first.token])
    world.clock.forward(days=1)
    assert await due(opened) == ["stand-up"]
    assert await opened.reminders.confirm(OWNER, "main", [first.token]) == 0
    assert await due(opened) == ["stand-up"]


async def test_who_is_told(world: World, opened: Open) -> None:
    await opened.create(Wish("call Ana", at=world.clock.now() + timedelta(hours=1)))
    world.clock.forward(hours=2)
    group = replace(OWNER, chat_type=ChatType.GROUP, channel=Channel("telegram", "default", "g1"))
    told = {
        "owner": OWNER,
        "operator": None,
        "heartbeat": HEARTBEAT,
        "guest": GUEST,
        "group": group,
        "heartbeat of a group": replace(HEARTBEAT, chat_type=ChatType.GROUP),
        "another conversation": replace(OWNER, channel=Channel("telegram", "default", "c2")),
    }
    found = {name: len(await opened.reminders.due(caller, "main")) for name, caller in told.items()}
    assert [name for name, count in found.items() if count] == ["owner", "operator", "heartbeat"]
    assert await opened.reminders.due(None, "other") == []


async def test_so_many_come_as_are_asked_for_the_first_due_first(world: World, opened: Open) -> None:
    hours = (3, 1, 2)
    await opened.create(
        *(Wish(f"n{hour}", at=world.clock.now() + timedelta(hours=hour)) for hour in hours),
    )
    world.clock.forward(hours=4)
    for caller in (OWNER, None):
        found = await opened.reminders.due(caller, "main", 2)
        assert [one.intent.description for one in found] == ["n1", "n2"]
    assert await opened.reminders.due(OWNER, "main", 0) == []


async def test_only_who_is_told_confirms(world: World, opened: Open) -> None:
    await opened.create(Wish("call Ana", cron="0 * * * *"))
    for caller, counts in (
        (GUEST, 0),
        (replace(OWNER, session_kind=SessionKind.CRON), 0),
        (replace(OWNER, channel=Channel("telegram", "default", "c2")), 0),
        (OWNER, 1),
        (HEARTBEAT, 1),
        (None, 1),
    ):
        world.clock.forward(hours=1)
        (one,) = await opened.reminders.due(None, "main")
        assert await opened.reminders.confirm(caller, "main", [one.token]) == counts


async def test_what_was_made_in_a_terminal_reaches_a_host_that_names_no_channel(
    world: World, opened: Open
) -> None:
    terminal = replace(OWNER, channel=Channel(), sender=Sender("root", is_owner=True))
    host = replace(OWNER, channel=Channel())
    at = world.clock.now() + timedelta(hours=1)
    wishes = (Wish("mention the changelog", ("release",)), Wish("call Ana", at=at))
    await opened.create(*(replace(wish, scope=Scope.ANYWHERE) for wish in wishes), caller=terminal)
    world.clock.forward(hours=2)
    for stranger in (replace(host, sender=Sender("u1")), replace(host, chat_type=ChatType.GROUP)):
        assert await opened.told("the release", caller=stranger) == []
        assert await opened.reminders.due(stranger, "main") == []
    assert await opened.told("the release", caller=host) == ["mention the changelog"]
    assert [one.intent.description for one in await opened.reminders.due(host, "main")] == ["call Ana"]


@pytest.mark.parametrize("days", [3, 80, 400])
@pytest.mark.parametrize("is_made_ahead", [True, False])
async def test_a_clock_that_ran_ahead_holds_nothing_up_once_it_is_right(
    world: World, days: int, is_made_ahead: bool
) -> None:
    reminder = Wish("stand-up", cron="0 9 * * *")
    event = Wish("water", ("plant",), max_fires=9, expires_at=world.clock.now() + timedelta(days=500))
    async with world.open() as opened:
        if not is_made_ahead:
            await opened.create(reminder, event)
        world.clock.forward(days=days)
        if is_made_ahead:
            await opened.create(reminder, event)
        assert await opened.told("the plant") == ["water"]
        for one in await opened.reminders.due(OWNER, "main"):
            await opened.reminders.confirm(OWNER, "main", [one.token])
    world.clock.forward(days=-days)
    came: list[str] = []
    async with world.open() as opened:
        for _ in range(3 * 24):
            await opened.intents.sweep()
            for one in await opened.reminders.due(OWNER, "main"):
                came.append(one.intent.description)
                assert await opened.reminders.confirm(OWNER, "main", [one.token]) == 1
            came.extend(await opened.told("the plant"))
            world.clock.forward(hours=1)
    assert came.count("stand-up") == 3
    assert came.count("water") == 2  # its cooldown lasts from the correction on


@pytest.mark.slow
async def test_a_year_of_mornings(world: World, opened: Open) -> None:
    """Through both clock changes, a sleep of a week, and clocks that are set back: each morning once."""
    await opened.create(
        Wish("stand-up", cron="30 2 * * *"), Wish("once", at=datetime(2026, 6, 1, tzinfo=UTC))
    )
    (gone,) = await opened.create(Wish("cancelled", cron="0 9 * * *"))
    told: list[tuple[str, datetime]] = []
    end = world.clock.now() + timedelta(days=365)
    hour = 0
    while world.clock.now() < end:
        hour += 1
        world.clock.forward(hours=24 * 7 if hour == 2000 else 1)
        if hour == 100:
            await opened.intents.cancel("main", gone.id)
        if hour % 1000 == 0:
            world.clock.forward(hours=-2)
        for one in await opened.reminders.due(OWNER, "main"):
            told.append((one.intent.description, one.due_at))
            assert one.due_at <= world.clock.now()
            assert await opened.reminders.confirm(OWNER, "main", [one.token]) == 1
    mornings = [due_at.astimezone(VIENNA) for text, due_at in told if text == "stand-up"]
    days = [morning.date() for morning in mornings]
    assert days == sorted(set(days))
    assert len(days) == 365 - 6  # a sleep of a week makes one of seven
    assert {morning.strftime("%H:%M") for morning in mornings} == {"02:30", "03:00"}
    assert [text for text, _ in told].count("once") == 1
    assert [text for text, _ in told].count("cancelled") == 4


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, settings=Settings(follow_ups=True))


async def test_follow_ups_are_off_unless_they_are_wanted(world: World, opened: Open) -> None:
    world.settings = Settings()
    now = world.clock.now()
    wish = FollowUp("ask how the talk went", now, now + timedelta(hours=5))
    assert await opened.reminders.follow_up(OWNER, [wish]) == 0
    assert await opened.intents.list("main") == []


async def test_a_follow_up_comes_in_its_window_and_expires_with_it(world: World, opened: Open) -> None:
    now = world.clock.now()
    wish = FollowUp("ask how the talk went", now + timedelta(hours=1), now + timedelta(hours=5))
    assert await opened.reminders.follow_up(OWNER, [wish]) == 1
    assert await due(opened) == []
    world.clock.forward(hours=2)
    assert await due(opened) == ["ask how the talk went"]
    world.clock.forward(hours=3)
    assert await due(opened) == []
    (ended,) = await opened.intents.list("main")
    assert ended.status is Status.EXPIRED


async def test_a_window_that_began_long_ago_begins_now(world: World, opened: Open) -> None:
    first = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    wish = FollowUp("ask how the talk went", first, world.clock.now() + timedelta(hours=1))
    assert await opened.reminders.follow_up(OWNER, [wish]) == 1
    (one,) = await opened.reminders.due(OWNER, "main")
    assert one.due_at == world.clock.now()


async def test_three_follow_ups_a_day_and_session(world: World, opened: Open) -> None:
    now = world.clock.now()
    wishes = [FollowUp(f"n{n}", now, now + timedelta(days=3)) for n in range(6)]
    follow_up = opened.reminders.follow_up
    assert await follow_up(OWNER, wishes[:2]) == 2
    assert await follow_up(OWNER, wishes[:2]) == 2  # the same call again
    assert await follow_up(OWNER, wishes[2:4]) == 1
    assert await follow_up(replace(OWNER, session_id="s2"), wishes[2:4]) == 2
    assert len(await opened.intents.list("main")) == 5
    world.clock.forward(days=1)
    assert await follow_up(OWNER, wishes[4:]) == 2


@pytest.mark.parametrize(
    ("hours", "reason"),
    [((-2, -1), "past"), ((2, 1), "window"), ((1, 1), "window"), ((1, 24 * 36_526), "too_far")],
)
async def test_a_window_that_cannot_be_is_refused(
    world: World, opened: Open, hours: tuple[int, int], reason: str
) -> None:
    first, last = (world.clock.now() + timedelta(hours=hour) for hour in hours)
    with pytest.raises(InvalidParamsError) as caught:
        await opened.reminders.follow_up(OWNER, [FollowUp("x", first, last)])
    assert (caught.value.field, caught.value.reason) == ("follow_ups.due_to", reason)
