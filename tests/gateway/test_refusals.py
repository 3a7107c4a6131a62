from collections.abc import Iterator, MutableMapping
from itertools import pairwise
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from openclaw_memd.gateway.refusals import EVERY_S, Refusals

Entries = list[MutableMapping[str, Any]]


@pytest.fixture
def logs() -> Iterator[Entries]:
    with capture_logs() as entries:
        yield entries


def told(logs: Entries) -> list[tuple[str, int]]:
    return [(entry["reason"], entry["count"]) for entry in logs]


async def test_a_flood_is_one_line_of_a_kind_in_its_time(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, logs: Entries
) -> None:
    refusals = Refusals()
    await nursery.start(refusals.run)
    for _ in range(1000):
        refusals.note("connections", limit=64)
        refusals.note("protocol")
    assert told(logs) == [("connections", 1), ("protocol", 1)]
    assert logs[0]["limit"] == 64

    await trio.sleep(EVERY_S + 1)
    assert sorted(told(logs)[2:]) == [("connections", 999), ("protocol", 999)]


async def test_no_two_lines_of_a_kind_are_nearer_than_the_time(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, logs: Entries
) -> None:
    refusals = Refusals()
    await nursery.start(refusals.run)
    seen_at: list[float] = []
    for _ in range(200):
        refusals.note("peer", uid=1, pid=2)
        seen_at += [trio.current_time()] * (len(logs) - len(seen_at))
        await trio.sleep(EVERY_S / 20)
    assert sum(count for _, count in told(logs)) >= 180
    assert min(later - sooner for sooner, later in pairwise(seen_at)) >= EVERY_S * 0.95


async def test_after_quiet_the_first_is_told_at_once_again(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, logs: Entries
) -> None:
    refusals = Refusals()
    await nursery.start(refusals.run)
    refusals.note("protocol")
    await trio.sleep(EVERY_S + 1)
    refusals.note("protocol")
    assert told(logs) == [("protocol", 1), ("protocol", 1)]


async def test_what_is_held_back_at_the_end_is_told(
    autojump_clock: trio.testing.MockClock, logs: Entries
) -> None:
    refusals = Refusals()
    async with trio.open_nursery() as nursery:
        await nursery.start(refusals.run)
        for _ in range(3):
            refusals.note("protocol")
        await trio.sleep(1)
        nursery.cancel_scope.cancel()
    assert told(logs) == [("protocol", 1), ("protocol", 2)]
