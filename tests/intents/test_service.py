"""Making, finding and ending intents."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing

from openclaw_memd.domain.callers import Channel
from openclaw_memd.domain.intents import Kind, Scope, SenderScope, Status
from openclaw_memd.errors import InvalidParamsError, NotFoundError
from openclaw_memd.intents.service import SWEEP_S
from openclaw_memd.intents.wishes import Wish
from tests.intents.worlds import OWNER, RELEASE, Open, World

FUTURE = datetime(2026, 2, 1, tzinfo=UTC)
FAR = datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=-12)))


async def test_what_was_made_is_found_again_after_a_restart(world: World) -> None:
    async with world.open() as opened:
        (made,) = await opened.create(RELEASE)
    async with world.open() as opened:
        assert await opened.intents.get("main", made.id) == made
        assert await opened.intents.list("main") == [made]
        assert await opened.intents.list("other") == []
    assert (made.kind, made.status, made.max_fires, made.cooldown_s) == (Kind.EVENT, Status.ARMED, 3, 86_400)
    assert made.expires_at == world.clock.now() + timedelta(days=90)


async def test_every_field_survives_the_ledger(opened: Open) -> None:
    wishes = (
        replace(
            RELEASE,
            keywords=("網關 设置", "x"),
            scope=Scope.CHANNEL,
            semantic=True,
            max_fires=7,
            cooldown_s=0,
        ),
        Wish("call Ana", at=FUTURE),
        Wish("stand-up", cron="0 9 * * mon-fri", zone="Europe/Berlin", expires_at=FUTURE),
    )
    made = await opened.create(*wishes)
    assert await opened.intents.list("main") == made


@pytest.mark.parametrize(
    ("wish", "field", "reason"),
    [
        (replace(RELEASE, description="  \n "), "description", "value"),
        (replace(RELEASE, description="x" * 501), "description", "value"),
        (replace(RELEASE, description="remind me Friday 9:00 to call Ana"), "description", "time_based"),
        (replace(RELEASE, keywords=()), "keywords", "missing"),
        (replace(RELEASE, keywords=("release", "...")), "keywords", "no_word"),
        (replace(RELEASE, keywords=("x" * 121,)), "keywords", "value"),
        (replace(RELEASE, keywords=tuple(f"k{n}" for n in range(25))), "keywords", "value"),
        (replace(RELEASE, expires_at=datetime(2026, 1, 11, 12, tzinfo=UTC)), "expires_at", "past"),
        (replace(RELEASE, at=FUTURE), "keywords", "time_based"),
        (Wish("call", at=datetime(2026, 1, 1, tzinfo=UTC)), "at", "past"),
        (Wish("call", at=FUTURE, cron="0 9 * * *"), "cron", "value"),
        (Wish("call", cron="0 25 * * *"), "cron", "value"),
        (Wish("call", cron="0 9 30 2 *"), "cron", "never"),
        (Wish("call", cron="0 9 * * *", zone="Europe/Atlantis"), "zone", "value"),
        (Wish("call", at=FAR), "at", "too_far"),
        (replace(RELEASE, expires_at=FAR), "expires_at", "too_far"),
        (Wish("call", at=FUTURE, expires_at=FUTURE), "expires_at", "never"),
        (
            Wish("call", cron="0 9 * * *", expires_at=datetime(2026, 1, 12, 7, tzinfo=UTC)),
            "expires_at",
            "never",
        ),
        (Wish("x", ("release", "is it")), "keywords", "too_common"),
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_is_stored(
    opened: Open, wish: Wish, field: str, reason: str
) -> None:
    with pytest.raises(InvalidParamsError) as caught:
        await opened.create(wish)
    assert (caught.value.field, caught.value.reason) == (field, reason)
    assert await opened.intents.list("main") == []


async def test_a_channel_has_to_be_known_to_hold_there(opened: Open) -> None:
    nowhere = replace(OWNER, channel=Channel())
    with pytest.raises(InvalidParamsError) as caught:
        await opened.create(replace(RELEASE, scope=Scope.CHANNEL), caller=nowhere)
    assert caught.value.field == "context.channel"


@pytest.mark.parametrize("channel", [Channel(), Channel("telegram"), Channel("telegram", "default")])
async def test_what_is_for_anyone_needs_a_known_place_or_all_of_them(opened: Open, channel: Channel) -> None:
    """What a host leaves out never means everybody."""
    nowhere = replace(OWNER, channel=channel)
    for_anyone = replace(RELEASE, sender_scope=SenderScope.ANYONE)
    with pytest.raises(InvalidParamsError) as caught:
        await opened.create(for_anyone, caller=nowhere)
    assert (caught.value.field, caught.value.reason) == ("context.channel", "missing")
    await opened.create(replace(for_anyone, scope=Scope.ANYWHERE), RELEASE, caller=nowhere)
    await opened.create(for_anyone)


async def test_a_keyword_that_names_a_day_is_no_wish_for_a_reminder(opened: Open) -> None:
    (made,) = await opened.create(Wish("mention the changelog", ("friday release",)))
    assert made.kind is Kind.EVENT


@pytest.mark.parametrize("end", ["cancel", "finish"])
async def test_an_end_happens_once(opened: Open, end: str) -> None:
    (made,) = await opened.create(RELEASE)
    change: Any = getattr(opened.intents, end)
    ended, changed = await change("main", made.id)
    assert changed
    again, changed = await change("main", made.id)
    assert again == ended
    assert not changed
    assert await opened.told("the release") == []


@pytest.mark.parametrize("method", ["get", "cancel", "finish"])
async def test_what_is_not_there_or_another_agents_is_not_found(opened: Open, method: str) -> None:
    (made,) = await opened.create(RELEASE)
    for agent, intent_id in (("main", "nothing"), ("other", made.id)):
        with pytest.raises(NotFoundError):
            await getattr(opened.intents, method)(agent, intent_id)


@pytest.mark.parametrize("end", ["cancel", "finish"])
async def test_what_was_ended_after_its_last_fire_does_not_come_back(opened: Open, end: str) -> None:
    (made,) = await opened.create(replace(RELEASE, max_fires=1))
    (fired,) = await opened.say("the release")
    _, changed = await getattr(opened.intents, end)("main", made.id)
    assert not changed
    assert await opened.firing.release("main", [fired.token]) == 0
    assert await opened.told("the release") == []


@pytest.mark.parametrize("end", ["cancel", "finish"])
async def test_what_was_ended_with_fires_left_does_not_come_back_either(opened: Open, end: str) -> None:
    (made,) = await opened.create(replace(RELEASE, max_fires=2))
    (fired,) = await opened.say("the release")
    ended, changed = await getattr(opened.intents, end)("main", made.id)
    assert changed
    assert await opened.firing.release("main", [fired.token]) == 1
    given = await opened.intents.get("main", made.id)
    assert (given.status, given.fire_count) == (ended.status, 0)
    assert await opened.told("the release") == []


async def test_a_list_is_paged_and_shows_states_as_they_are_now(world: World, opened: Open) -> None:
    made = await opened.create(*(replace(RELEASE, description=f"n{n}") for n in range(5)))
    first = await opened.intents.list("main", limit=2)
    assert first == made[:2]
    assert await opened.intents.list("main", limit=9, after=first[-1].id) == made[2:]
    world.clock.forward(days=90)
    assert await opened.intents.list("main", [Status.ARMED]) == []
    assert len(await opened.intents.list("main", [Status.EXPIRED])) == 5
    await opened.intents.sweep()
    assert await opened.intents.counts("main") == {}


async def test_counts_are_by_open_state(world: World, opened: Open) -> None:
    await opened.create(RELEASE, Wish("review", ("merge",)), Wish("call Ana", at=FUTURE))
    await opened.say("about the release")
    assert await opened.intents.counts("main") == {Status.ARMED: 2, Status.FIRED: 1}


async def test_other_languages_find_what_was_made_before_they_were_set(world: World) -> None:
    async with world.open() as opened:
        await opened.create(Wish("Bericht zeigen", ("Häuser",)))
        assert await opened.told("das Haus am See") == []
    world.languages = ("de",)
    async with world.open() as opened:
        assert await opened.told("das Haus am See") == ["Bericht zeigen"]


async def test_what_is_over_for_long_goes(world: World, opened: Open) -> None:
    (made,) = await opened.create(replace(RELEASE, max_fires=1))
    await opened.say("release")
    await opened.intents.sweep()
    world.clock.forward(days=90)
    await opened.intents.sweep()
    assert (await opened.intents.get("main", made.id)).status is Status.DONE
    world.clock.forward(days=1)
    await opened.intents.sweep()
    with pytest.raises(NotFoundError):
        await opened.intents.get("main", made.id)


@pytest.mark.parametrize("end", ["cancel", "finish"])
async def test_what_was_open_when_the_clock_was_last_right_is_kept_from_then_on(
    world: World, opened: Open, end: str
) -> None:
    """However often a clock runs ahead for a while."""
    (made,) = await opened.create(replace(RELEASE, expires_at=FUTURE))
    for _ in range(3):
        world.clock.forward(days=400)
        await opened.intents.sweep()
        world.clock.forward(days=-400)
        await opened.intents.sweep()
    assert await opened.told("the release") == ["mention the changelog"]
    await getattr(opened.intents, end)("main", made.id)
    world.clock.forward(days=400)
    await opened.intents.sweep()
    world.clock.forward(days=-400)
    await opened.intents.sweep()
    world.clock.forward(days=90)
    await opened.intents.sweep()
    assert not (await opened.intents.get("main", made.id)).is_open


@pytest.mark.parametrize("days", [91, 170, 200, 4_000])
async def test_what_a_clock_that_ran_ahead_expired_is_open_again_when_it_is_right(
    world: World, opened: Open, days: int
) -> None:
    at = world.clock.now() + timedelta(days=30)
    event, rests, due = await opened.create(
        RELEASE, Wish("review", ("merge",)), Wish("call Ana", at=at, expires_at=at + timedelta(days=50))
    )
    await opened.say("please merge")
    world.clock.forward(days=days)
    for _ in range(3):
        await opened.intents.sweep()
    assert await opened.told("about the release") == []

    world.clock.forward(days=-days, hours=1)
    await opened.intents.sweep()

    found = {intent.id: intent.status for intent in await opened.intents.list("main")}
    assert (found[event.id], found[rests.id], found[due.id]) == (Status.ARMED, Status.FIRED, Status.ARMED)
    assert await opened.told("about the release and the merge") == ["mention the changelog"]
    world.clock.forward(days=2)
    assert await opened.told("about the merge") == ["review"]


async def test_who_cancelled_what_a_wrong_clock_expired_hears_no_more_of_it(
    world: World, opened: Open
) -> None:
    (made,) = await opened.create(RELEASE)
    world.clock.forward(days=91)
    await opened.intents.sweep()
    world.clock.forward(days=-91)

    assert (await opened.intents.cancel("main", made.id))[1]
    await opened.intents.sweep()
    assert (await opened.intents.get("main", made.id)).status is Status.CANCELLED


@pytest.mark.parametrize(("end", "status"), [("cancel", Status.CANCELLED), ("finish", Status.DONE)])
async def test_what_is_ended_after_it_expired_stays_so_when_the_clock_is_set_back(
    world: World, opened: Open, end: str, status: Status
) -> None:
    (made,) = await opened.create(RELEASE)
    world.clock.forward(days=91)
    await opened.intents.sweep()

    ended = [(await getattr(opened.intents, end)("main", made.id)) for _ in range(2)]
    assert [(intent.status, changed) for intent, changed in ended] == [(status, True), (status, False)]
    world.clock.forward(days=-91)
    await opened.intents.sweep()
    assert (await opened.intents.get("main", made.id)).status is status
    assert await opened.told("about the release") == []


@dataclass
class Watched:
    """Intents with their task running; a test that asks for a mock clock moves their time."""

    world: World
    opened: Open
    told: list[str] = field(default_factory=list)

    async def reach(self, told: list[str]) -> None:
        """Wait until that was told, or much was done meanwhile."""
        for _ in range(50):
            await self.opened.intents.list("main")
            if self.told == told:
                break
        assert self.told == told

    def pass_by(self, clock: trio.testing.MockClock, seconds: float) -> None:
        self.world.clock.forward(seconds=seconds)
        clock.jump(seconds)


@pytest.fixture
async def watched(world: World, opened: Open, nursery: trio.Nursery) -> Watched:
    watched = Watched(world, opened)
    opened.intents.on_due = lambda intent: watched.told.append(intent.description)
    await nursery.start(partial(_run, opened))
    return watched


async def _run(opened: Open, *, task_status: trio.TaskStatus[None]) -> None:
    task_status.started()
    await opened.intents.run()


async def test_each_occurrence_is_told_once_and_at_its_time(
    watched: Watched, mock_clock: trio.testing.MockClock
) -> None:
    start = watched.world.clock.now()
    await watched.opened.create(Wish("later", at=start + timedelta(seconds=30)), RELEASE)
    await watched.reach([])
    await watched.opened.create(Wish("sooner", at=start + timedelta(seconds=20)))
    (gone,) = await watched.opened.create(Wish("gone", at=start + timedelta(seconds=25)))
    await watched.opened.intents.cancel("main", gone.id)
    await watched.reach([])
    watched.pass_by(mock_clock, 20)
    await watched.reach(["sooner"])
    watched.pass_by(mock_clock, 10)
    await watched.reach(["sooner", "later"])
    for _ in range(3):
        watched.pass_by(mock_clock, SWEEP_S)
        await watched.reach(["sooner", "later"])


async def test_each_time_of_a_recurring_one_is_told(
    watched: Watched, mock_clock: trio.testing.MockClock
) -> None:
    await watched.opened.create(Wish("stand-up", cron="0 9 * * *"))
    for days in (1, 2):
        watched.pass_by(mock_clock, 86_400)
        await watched.reach(["stand-up"] * days)
        (due,) = await watched.opened.reminders.due(None, "main")
        await watched.opened.reminders.confirm(OWNER, "main", [due.token])


async def test_after_sleep_or_a_set_clock_it_is_told_within_a_minute(
    watched: Watched, mock_clock: trio.testing.MockClock
) -> None:
    await watched.opened.create(Wish("far", at=watched.world.clock.now() + timedelta(days=30)))
    await watched.reach([])
    watched.world.clock.forward(days=31)
    mock_clock.jump(SWEEP_S)
    await watched.reach(["far"])
