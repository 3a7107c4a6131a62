"""When nights come: once a local date, whatever happens to clocks and processes."""

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from typing import Any, cast
from unittest.mock import AsyncMock

import apsw
import pytest
import trio
import trio.lowlevel
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from openclaw_memd.daemon.status import warnings_of
from openclaw_memd.domain.dream_pages import PHASES, DiaryEntry, Phase, add_entry
from openclaw_memd.dreaming import schedule
from openclaw_memd.dreaming.schedule import Plan, Schedule, find_due, last_time, plan_phases
from openclaw_memd.index.ledger import nights as ledger
from openclaw_memd.index.ledger.nights import LEASE, Run
from openclaw_memd.index.store import Store
from openclaw_memd.jobs import Jobs
from openclaw_memd.schedules import next_time
from openclaw_memd.zones import Zone
from tests.dreaming.worlds import World, open_world
from tests.fakes import TrioClock

NIGHTLY = "0 3 * * *"
EVERY = Plan(NIGHTLY, PHASES)


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    opened = apsw.Connection(":memory:")
    script = files("openclaw_memd.index") / "migrations" / "state" / "0012_nights.sql"
    opened.execute(script.read_text())
    yield opened
    opened.close()


def look(connection: apsw.Connection, plan: Plan, zone: Zone, now: datetime) -> Run | None:
    """What the schedule does at ``now``, up to the beginning of a run."""
    at = last_time(plan.expression, zone, now)
    if at is None:
        return None
    day = zone.day(at)
    phases = find_due(connection, plan, at, day, now)
    if not phases:
        return None
    return ledger.begin_run(connection, Run(f"{now:%Y%m%dT%H%M%S%f}", "schedule", day, phases, now))


@pytest.mark.parametrize(
    ("expression", "zone", "years"),
    [
        pytest.param("30 2 * * *", "Europe/Vienna", 10, marks=pytest.mark.slow),
        ("30 2 * * *", "Europe/Vienna", 1),
        pytest.param("0 3 * * *", "UTC", 1, marks=pytest.mark.slow),
        pytest.param("*/20 * * * *", "Asia/Shanghai", 1, marks=pytest.mark.slow),
    ],
)
def test_ten_years_of_sleep_restarts_and_clock_changes(
    connection: apsw.Connection, expression: str, zone: str, years: int
) -> None:
    """One consolidation a local date: two daemons look at odd times, runs are killed, clocks are set back.

    Who is killed in the evening has no other chance on that date, so that happens before.
    """
    plan, where, dice = Plan(expression, PHASES), Zone(zone), random.Random(7)
    days = years * 365
    begin = now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    done: Counter[date] = Counter()
    while now < begin + timedelta(days=days + 1):
        run = look(connection, plan, where, now)
        if run is not None:
            assert look(connection, plan, where, now) is None  # the other daemon
            ledger.note_done(connection, run.id, ("light",))
            if dice.random() > 0.2 or where.at(now).hour > 12:
                done[run.local_date] += 1
                ledger.end_run(connection, run.id, "completed", None, now + timedelta(minutes=1))
        is_set_back = dice.random() < 0.05
        now += timedelta(minutes=-50) if is_set_back else timedelta(hours=dice.uniform(4, 9))

    dates = [where.day(begin) + timedelta(days=number) for number in range(1, days)]
    assert {done[day] for day in dates} == {1}
    assert max(done.values()) == 1


def test_missed_nights_are_made_up_for_once(connection: apsw.Connection) -> None:
    zone = Zone("UTC")
    assert look(connection, EVERY, zone, datetime(2026, 1, 1, 12, tzinfo=UTC)) is None  # the first start

    run = look(connection, EVERY, zone, datetime(2026, 1, 9, 12, tzinfo=UTC))
    assert run is not None
    ledger.end_run(connection, run.id, "completed", None, datetime(2026, 1, 9, 12, 1, tzinfo=UTC))

    assert run.local_date == date(2026, 1, 9)
    assert look(connection, EVERY, zone, datetime(2026, 1, 9, 23, tzinfo=UTC)) is None


def test_a_night_just_before_midnight_counts_for_its_own_date(connection: apsw.Connection) -> None:
    plan, zone = Plan("59 23 * * *", PHASES), Zone("UTC")
    look(connection, plan, zone, datetime(2026, 1, 1, 12, tzinfo=UTC))

    late = look(connection, plan, zone, datetime(2026, 1, 2, 0, 1, tzinfo=UTC))
    assert late is not None
    ledger.end_run(connection, late.id, "completed", None, datetime(2026, 1, 2, 0, 2, tzinfo=UTC))
    on_time = look(connection, plan, zone, datetime(2026, 1, 2, 23, 59, tzinfo=UTC))

    assert on_time is not None
    assert (late.local_date, on_time.local_date) == (date(2026, 1, 1), date(2026, 1, 2))


def test_a_long_night_is_not_begun_twice_and_a_killed_one_is_gone_on_with(
    connection: apsw.Connection,
) -> None:
    zone, three = Zone("UTC"), datetime(2026, 1, 2, 3, tzinfo=UTC)
    look(connection, EVERY, zone, three - timedelta(hours=5))
    run = look(connection, EVERY, zone, three)
    assert run is not None
    for minute in range(1, 20):  # it takes twenty minutes, with a heartbeat
        now = three + timedelta(minutes=minute)
        ledger.note_alive(connection, run.id, now)
        assert look(connection, EVERY, zone, now) is None
    ledger.note_done(connection, run.id, ("light", "rem"))

    again = look(connection, EVERY, zone, three + timedelta(minutes=20) + LEASE)

    assert again is not None
    assert again.phases == ("deep",)


def test_a_failed_night_is_tried_again_after_an_hour_three_times_in_all(
    connection: apsw.Connection,
) -> None:
    zone, three = Zone("UTC"), datetime(2026, 1, 2, 3, tzinfo=UTC)
    look(connection, EVERY, zone, three - timedelta(hours=5))
    tried = []
    for minutes in range(0, 360, 30):
        now = three + timedelta(minutes=minutes)
        run = look(connection, EVERY, zone, now)
        if run is not None:
            tried.append((minutes, run.phases))
            ledger.note_done(connection, run.id, ("light",))
            ledger.end_run(connection, run.id, "failed", None, now)

    assert tried == [(0, PHASES), (60, ("rem", "deep")), (120, ("rem", "deep"))]
    assert look(connection, EVERY, zone, three + timedelta(days=1)) is not None


def test_a_night_that_ends_the_process_each_time_is_given_up_for_its_date(
    connection: apsw.Connection,
) -> None:
    zone, three = Zone("UTC"), datetime(2026, 1, 2, 3, tzinfo=UTC)
    look(connection, EVERY, zone, three - timedelta(hours=5))
    begun = 0
    for minute in range(60):
        now = three + timedelta(minutes=minute)
        begun += look(connection, EVERY, zone, now) is not None
        ledger.interrupt_runs(connection, now)  # as the next process does

    assert begun == ledger.MOST_INTERRUPTIONS
    assert look(connection, EVERY, zone, three + timedelta(days=1)) is not None


def test_old_reports_and_runs_go(connection: apsw.Connection) -> None:
    begin = datetime(2026, 1, 1, 3, tzinfo=UTC)
    for number in range(ledger.KEPT_DAYS + 10):
        now = begin + timedelta(days=number)
        run = ledger.begin_run(connection, Run(f"r{number}", "schedule", now.date(), PHASES, now))
        assert run is not None
        ledger.end_run(connection, run.id, "completed", "{}", now)

    runs = ledger.list_runs(connection, 1_000)
    assert sum(run.report is not None for run in runs) == ledger.KEPT_REPORTS
    assert len(runs) == ledger.KEPT_DAYS + 1
    assert runs[0].report is not None


def test_a_phase_may_have_a_time_of_its_own(connection: apsw.Connection) -> None:
    own: dict[Phase, str] = {"light": "", "rem": "0 5 * * 0", "deep": ""}

    shared, alone = plan_phases(NIGHTLY, own)

    assert (shared, alone) == (Plan(NIGHTLY, ("light", "deep")), Plan("0 5 * * 0", ("rem",)))


def test_no_phase_comes_twice_on_a_date_when_its_time_is_changed(connection: apsw.Connection) -> None:
    zone = Zone("UTC")
    look(connection, EVERY, zone, datetime(2026, 1, 1, 12, tzinfo=UTC))
    run = look(connection, EVERY, zone, datetime(2026, 1, 2, 3, tzinfo=UTC))
    assert run is not None
    ledger.end_run(connection, run.id, "completed", None, datetime(2026, 1, 2, 3, 1, tzinfo=UTC))

    assert look(connection, Plan("0 8 * * *", ("deep",)), zone, datetime(2026, 1, 2, 8, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    ("zone", "now", "expected"),
    [
        ("Asia/Shanghai", "2026-01-11T03:53+08:00", date(2026, 1, 11)),
        ("America/Los_Angeles", "2026-01-11T18:17-08:00", date(2026, 1, 11)),
        ("UTC", "2026-01-11T02:59+00:00", date(2026, 1, 10)),
        ("Europe/Vienna", "2026-03-29T03:30+02:00", date(2026, 3, 29)),  # the hour from 2 is skipped
    ],
)
def test_the_zone_names_the_date(zone: str, now: str, expected: date) -> None:
    at = last_time(NIGHTLY, Zone(zone), datetime.fromisoformat(now))

    assert at is not None
    assert Zone(zone).day(at) == expected


def test_a_time_that_never_comes() -> None:
    assert last_time("0 3 30 2 *", Zone("UTC"), datetime(2026, 1, 11, tzinfo=UTC)) is None


def walk(expression: str, zone: Zone, now: datetime) -> datetime | None:
    """The last time by going through all of two months."""
    found, at = None, next_time(expression, zone.at(now - timedelta(days=62)))
    while at is not None and at <= now:
        found, at = at, next_time(expression, zone.at(at))
    return found


@pytest.mark.slow
@given(
    st.datetimes(min_value=datetime(2026, 1, 1), max_value=datetime(2027, 12, 31)),
    st.sampled_from(["30 2 * * *", "0 3 * * *", "*/20 * * * *", "0 0 1 * *", "15 3 * * sun", "0 4 31 * *"]),
    st.sampled_from(["Europe/Vienna", "America/St_Johns", "Pacific/Apia", "UTC"]),
)
@settings(max_examples=40, deadline=None)
def test_the_last_time_is_the_last_of_all(at: datetime, expression: str, name: str) -> None:
    zone, now = Zone(name), at.replace(tzinfo=UTC)

    assert last_time(expression, zone, now) == walk(expression, zone, now)


def test_the_last_of_very_many_times_is_found_by_few_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every minute of a January, asked in December: the loop must not stand still for that each minute."""
    looks: list[datetime] = []

    def count(expression: str, after: datetime) -> datetime | None:
        looks.append(after)
        return next_time(expression, after)

    monkeypatch.setattr(schedule, "next_time", count)

    found = last_time("* * * 1 *", Zone("UTC"), datetime(2026, 12, 20, 12, tzinfo=UTC))

    assert found == datetime(2026, 1, 31, 23, 59, tzinfo=UTC)
    assert len(looks) < 50


def test_a_clock_that_was_ahead_at_the_first_start_delays_nothing(connection: apsw.Connection) -> None:
    zone = Zone("UTC")
    look(connection, EVERY, zone, datetime(2030, 1, 1, 12, tzinfo=UTC))
    assert look(connection, EVERY, zone, datetime(2026, 1, 1, 12, tzinfo=UTC)) is None

    assert look(connection, EVERY, zone, datetime(2026, 1, 2, 3, tzinfo=UTC)) is not None


class OneConnection:
    """A store whose work is done at once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    async def write(self, work: Callable[[apsw.Connection], Any]) -> Any:
        await trio.lowlevel.checkpoint()
        return work(self._connection)


@pytest.mark.slow
async def test_three_days_by_the_clock(connection: apsw.Connection, autojump_clock: MockClock) -> None:
    """The task itself: a sweep at three, none in between, whatever the look in between is for."""
    swept: list[tuple[date, datetime]] = []
    clock = TrioClock()

    async def sweep(phases: tuple[Phase, ...], day: date) -> None:
        run = ledger.begin_run(connection, Run(f"r{len(swept)}", "schedule", day, phases, clock.now()))
        assert run is not None
        swept.append((day, clock.now()))
        await trio.sleep(600)
        ledger.end_run(connection, run.id, "completed", None, clock.now())

    task = Schedule(cast(Store, OneConnection(connection)), (EVERY,), Zone("UTC"), clock, sweep)
    first = clock.now().date()
    with trio.move_on_after(3 * 86_400):
        await task.run()

    assert len(swept) == 3
    assert len({day for day, _ in swept}) == 3
    assert all((at.hour, at.minute) == (3, 0) for _, at in swept)
    assert swept[0][0] >= first


def age(world: World, name: str, hours: float) -> None:
    """A record of OpenClaw's that is so old."""
    place = world.folder / "memory" / ".dreams" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("{}")
    stamp = world.clock.now().timestamp() - hours * 3600
    os.utime(place, (stamp, stamp))


async def follow(world: World) -> str | None:
    """What the schedule made of tonight."""
    dreams = world.memory.dreaming.dreams
    async with trio.open_nursery() as nursery:
        await nursery.start(dreams._jobs.run)
        await dreams.follow_schedule(PHASES, world.clock.now().date())
        nursery.cancel_scope.cancel()
    (run,) = await dreams.runs.list(1)
    outcome: str | None = run.outcome
    return outcome


async def test_the_schedule_stands_back_where_openclaw_dreams() -> None:
    async with open_world() as world:
        age(world, "phase-signals.json", 30)

        assert await follow(world) == "stood_back"
        assert any("OpenClaw dreams" in warning for warning in warnings_of(world.memory, ["main"]))
        assert (await world.memory.dreaming.dreams.run()).outcome == "completed"  # by hand it works
        world.clock.move(days=1)
        assert await follow(world) == "completed"  # its last dream is 54 hours ago


async def test_a_record_from_a_time_to_come_is_no_evidence() -> None:
    async with open_world() as world:
        age(world, "phase-signals.json", -30)

        assert await follow(world) == "completed"


async def test_entries_of_its_diary_count_and_ours_do_not() -> None:
    async with open_world() as world:
        when = "January 10, 2026 at 3:00 AM UTC"
        ours = add_entry("", DiaryEntry("January 11, 2026 at 3:00 AM UTC", "Ours.", "r1"))
        world.write("DREAMS.md", ours)
        assert await follow(world) == "completed"
        world.clock.move(hours=6)

        world.write("DREAMS.md", add_entry(ours, DiaryEntry(when, "Theirs.", None)))
        assert await world.memory.dreaming.dreams._is_openclaws()


async def test_it_does_not_stand_back_when_told_so() -> None:
    async with open_world({"agents": {"main": {"dreaming": {"beside_openclaw": True}}}}) as world:
        age(world, "phase-signals.json", 1)

        assert await follow(world) == "completed"


async def test_a_scheduled_night_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through all parts: the job fails, its date is not done, and an hour later it is."""
    async with open_world() as world:
        dreaming = world.memory.dreaming
        (plan,) = dreaming.schedule._plans
        await dreaming.schedule._look(plan)  # from here on it counts
        world.clock.move(days=1)
        async with trio.open_nursery() as nursery:
            await nursery.start(dreaming.dreams._jobs.run)
            with monkeypatch.context() as patch:
                patch.setattr(
                    world.memory.lanes.signalling.ingestion, "ingest", AsyncMock(side_effect=OSError)
                )
                await dreaming.schedule._look(plan)
            await dreaming.schedule._look(plan)  # not before an hour
            world.clock.move(hours=1, minutes=1)
            await dreaming.schedule._look(plan)
            nursery.cancel_scope.cancel()

        runs = await dreaming.dreams.runs.list(9)
        assert [(run.outcome, run.phases) for run in runs] == [("completed", PHASES), ("failed", PHASES)]


async def test_a_scheduled_night_that_is_cancelled_is_over_for_its_date() -> None:
    async with open_world() as world:
        dreams = world.memory.dreaming.dreams
        jobs: Jobs = dreams._jobs
        async with trio.open_nursery() as nursery:
            await nursery.start(jobs.run)

            async def cancel() -> None:
                while not jobs.all():
                    await trio.lowlevel.checkpoint()
                jobs.cancel(jobs.all()[0].id)

            nursery.start_soon(cancel)
            await dreams.follow_schedule(PHASES, world.clock.now().date())
            nursery.cancel_scope.cancel()

        runs = await dreams.runs.list(9)
        assert [run.outcome for run in runs] in ([], ["cancelled"])
