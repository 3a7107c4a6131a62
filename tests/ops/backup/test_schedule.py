"""Scheduled archives: once a due time, and the right ones stay."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.errors import UnavailableError
from openclaw_memd.ops.backup.places import scheduled_name
from openclaw_memd.ops.backup.record import Record, RecordFile
from openclaw_memd.ops.backup.retention import choose_kept
from openclaw_memd.ops.backup.schedule import BackupSchedule, Plan, follow
from openclaw_memd.ops.backup.types import Last
from openclaw_memd.schedules import next_time
from openclaw_memd.zones import Zone

GROUP = "0123abcd"
START = datetime(2026, 1, 5, 12, tzinfo=UTC)
NIGHTLY = "0 3 * * *"


@dataclass
class Days:
    """A clock that is set by hand, and a maker of archives that counts and may fail."""

    folder: Path
    plan: Plan = field(default_factory=lambda: Plan(NIGHTLY, 7, 4))
    zone: Zone = field(default_factory=lambda: Zone("Europe/Vienna"))
    at: datetime = START
    failing: bool = False
    made: list[str] = field(default_factory=list)

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    async def make(self, target: Path) -> None:
        if self.failing:
            raise UnavailableError("the disk is full", reason="disk_full")
        await trio.Path(target).write_text(f"archive of {target.name}")
        self.made.append(target.name)

    def open(self) -> BackupSchedule:
        return BackupSchedule(self.folder, GROUP, self.plan, zone=self.zone, clock=self, make=self.make)

    async def look_at(self, *instants: datetime) -> None:
        for self.at in instants:
            await self.open().look()

    @property
    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir() if path.name.endswith(".gz"))


@pytest.fixture
def days(tmp_path: Path) -> Days:
    return Days(tmp_path / "backups")


def name_of(day: int, hour: int = 2) -> str:
    return scheduled_name(GROUP, datetime(2026, 1, day, hour, tzinfo=UTC))


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 1, day, hour, minute, tzinfo=UTC)


async def test_once_a_due_time_whoever_looks_how_often(days: Days) -> None:
    await days.look_at(START, at(6, 1, 59))
    assert days.made == []
    await days.look_at(at(6, 2), at(6, 2), at(6, 14), at(7, 1, 59))
    assert days.made == [name_of(6)]
    await days.look_at(at(7, 2, 1))
    assert days.made == [name_of(6), name_of(7)]


async def test_what_was_missed_is_made_up_for_once(days: Days) -> None:
    await days.look_at(START, at(20, 17), at(20, 18))
    assert days.made == [name_of(20)]


async def test_a_schedule_that_begins_makes_up_for_nothing(days: Days) -> None:
    await days.look_at(START, START + timedelta(minutes=1))
    assert days.made == []


async def test_what_was_made_and_not_remembered_is_not_made_again(days: Days) -> None:
    """The process ended between the archive and the record of it."""
    await days.look_at(START)
    (days.folder / name_of(6)).write_text("whole: a partial one has no name")
    await days.look_at(at(6, 2), at(6, 3))
    assert days.made == []
    assert RecordFile(days.folder, GROUP).read().done == at(6, 2)


async def test_another_daemon_with_the_lease_makes_it(days: Days) -> None:
    await days.look_at(START)
    entered, leave = trio.Event(), trio.Event()
    other = Days(days.folder, at=at(6, 2))

    async def slow(target: Path) -> None:
        entered.set()
        await leave.wait()
        await Days.make(other, target)

    other.make = slow  # type: ignore[method-assign]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(other.open().look)
        await entered.wait()
        await days.look_at(at(6, 2), at(6, 2, 1))
        leave.set()
    await days.look_at(at(6, 2, 2))
    assert (days.made, other.made) == ([], [name_of(6)])


async def test_one_that_fails_is_tried_again_after_an_hour_and_nothing_goes(days: Days) -> None:
    days.plan = Plan(NIGHTLY, 1, 0)
    await days.look_at(START, at(6, 2))
    days.failing = True
    await days.look_at(at(7, 2))
    days.failing = False
    await days.look_at(at(7, 2, 30), at(7, 2, 59))
    assert days.names == [name_of(6)]
    await days.look_at(at(7, 3))
    assert days.names == [name_of(7)]
    days.failing = True
    await days.look_at(at(8, 2), at(9, 1, 50))
    days.failing = False
    await days.look_at(at(9, 2))  # the next one does not wait for the hour of the last
    assert days.made[-1] == name_of(9)


async def test_only_what_the_schedule_made_is_taken_away(days: Days) -> None:
    days.plan = Plan(NIGHTLY, 1, 0)
    await days.look_at(START, at(6, 2))
    others = {
        "memd-20260101T000000Z.tar.gz",
        name_of(2),  # named like one, but not known
        scheduled_name("ffffffff", at(3, 2)),
        "holiday.tar.gz",
    }
    for name in others:
        (days.folder / name).write_text("mine")
    await days.look_at(at(7, 2))
    assert set(days.names) == others | {name_of(7)}
    (days.folder / name_of(7)).unlink()
    (days.folder / name_of(7)).write_text("somebody put another in its place")
    await days.look_at(at(8, 2))
    assert set(days.names) == others | {name_of(7), name_of(8)}


async def test_a_fortnight_and_more(days: Days) -> None:
    await days.look_at(START, *(START + timedelta(hours=12 * half) for half in range(1, 121)))
    found = days.names
    assert len(days.made) == 60
    assert found[-7:] == days.made[-7:]
    assert len(found) == 7 + 4 - 2  # two of the weekly ones are daily ones too
    assert [date(int(n[14:18]), int(n[18:20]), int(n[20:22])).isoweekday() for n in found[:-7]] == [7, 7]


async def test_clocks_that_change_make_none_twice(days: Days) -> None:
    days.plan = Plan("30 2 * * *", 7, 4)
    march = datetime(2026, 3, 28, 12, tzinfo=UTC)
    october = datetime(2026, 10, 24, 12, tzinfo=UTC)
    await days.look_at(march, *(march + timedelta(minutes=10 * step) for step in range(6 * 24)))
    assert len(days.made) == 1
    await days.look_at(*(october + timedelta(minutes=10 * step) for step in range(6 * 24)))
    assert len(days.made) == 3  # one made up for, one of the night


@given(
    st.lists(st.integers(0, 24 * 400), max_size=60).map(
        lambda hours: [START + timedelta(hours=hour) for hour in hours]
    ),
    st.integers(0, 10),
    st.integers(0, 10),
)
def test_the_newest_always_stays_and_no_more_than_asked_for(
    times: Sequence[datetime], daily: int, weekly: int
) -> None:
    kept = choose_kept(times, datetime.date, daily=daily, weekly=weekly)
    assert kept <= set(times)
    assert len(kept) <= max(1, daily + weekly)
    if times:
        assert max(times) in kept
    again = choose_kept(kept, datetime.date, daily=daily, weekly=weekly)
    assert again == kept
    by_day = {at.date(): at for at in sorted(times)}
    assert set(sorted(by_day.values())[-daily:] if daily else ()) <= kept


async def test_it_follows_the_clock(autojump_clock: trio.testing.MockClock) -> None:
    class Clock:
        def now(self) -> datetime:
            return START + timedelta(seconds=trio.current_time() - began)

        def monotonic(self) -> float:
            return trio.current_time()

    class Looking:
        async def look(self) -> None:
            looked.append(clock.now())

    began, clock, zone = trio.current_time(), Clock(), Zone("Europe/Vienna")
    looked: list[datetime] = []
    expression = "30 13,15 5 * *"
    with trio.move_on_after(4 * 3600):
        await follow(Looking(), lambda: next_time(expression, zone.at(clock.now())), clock)
    assert at(5, 12, 30) in looked
    assert at(5, 14, 30) in looked
    assert all(after - before <= timedelta(minutes=1) for before, after in pairwise(looked))


def test_the_record_comes_back_and_what_is_broken_is_none(tmp_path: Path) -> None:
    file = RecordFile(tmp_path, GROUP)
    assert file.read() == Record()
    record = Record(START, at(6, 2), None, {"a": (1, 2, 3)}, Last("x", "failed", None, "disk_full", 2, True))
    file.write(record)
    assert file.read() == record
    path = tmp_path / f".memd-{GROUP}.json"
    assert path.stat().st_mode & 0o777 == 0o600
    for text in ("", "{}", "[]", "[" * 100_000, '{"since": 3}', path.read_text().replace("+00:00", "")):
        path.write_text(text)
        assert file.read() == Record()
