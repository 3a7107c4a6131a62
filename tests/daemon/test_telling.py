from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
import trio
import trio.testing

from openclaw_memd.daemon.telling import LOOK_S, SHOWN_CHARS, SHOWN_PATHS, Telling, follow_status
from openclaw_memd.events import Event, Events, Subscription
from openclaw_memd.index.indexer import SyncReport
from openclaw_memd.index.publishing import Published
from tests.domain.test_intents import EVENT
from tests.fakes import TrioClock

SYNCED = SyncReport(generation=3, added=1, changed=0, removed=0, unchanged=9, skipped=0, took_ms=1.234)


@pytest.fixture
def events() -> Events:
    return Events(TrioClock())


async def drain(subscription: Subscription) -> list[Event]:
    found = []
    with trio.move_on_after(0.05):
        while True:
            event, _ = await subscription.next()
            found.append(event)
    return found


async def told(events: Events, *published: Published) -> list[Event]:
    subscription = events.subscribe(["memory.changed"])
    telling = Telling(events, ["main", "second"])
    for one in published:
        telling.hear_published(one)
    return await drain(subscription)


async def test_changed_files_are_named_to_those_who_may_see_them_and_sessions_to_nobody(
    events: Events, autojump_clock: trio.testing.MockClock
) -> None:
    (event,) = await told(
        events,
        Published(2, paths=("memory/a.md", "sessions/main/s1", "MEMORY.md")),
        Published(3, paths=("sessions/main/s1",)),
        Published(4, replaced=True),
    )

    assert (event.facts, event.agents) == ({"generation": 2}, ("main", "second"))
    assert event.private == {"paths": ["memory/a.md", "MEMORY.md"], "files": 2}


async def test_long_lists_are_cut_and_counted(events: Events, autojump_clock: trio.testing.MockClock) -> None:
    many = tuple(f"memory/{number}.md" for number in range(500))
    wide = tuple(f"memory/{'x' * 200}{number}.md" for number in range(500))
    by_number, by_size = await told(events, Published(1, paths=many), Published(2, paths=wide))

    for event in (by_number, by_size):
        assert event.private["files"] == 500
        paths = event.private["paths"]
        assert isinstance(paths, list)
        assert 0 < len(paths) <= SHOWN_PATHS
        assert sum(map(len, paths)) <= SHOWN_CHARS


async def test_secrets_in_names_are_masked(events: Events, autojump_clock: trio.testing.MockClock) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    (event,) = await told(events, Published(1, paths=(f"memory/{secret}.md",)))

    assert secret not in str(event.private)


async def test_what_came_due_is_named_to_those_who_may_see_all_memory(
    events: Events, autojump_clock: trio.testing.MockClock
) -> None:
    subscription = events.subscribe(["intent.due"])
    Telling(events, ["main", "second"]).hear_due(replace(EVENT, due_at=datetime(2026, 1, 11, 9, tzinfo=UTC)))

    (event,) = await drain(subscription)

    assert (event.facts, event.agents) == ({}, (EVENT.agent,))
    assert event.private == {
        "id": EVENT.id,
        "kind": EVENT.kind.value,
        "due_at": "2026-01-11T09:00:00+00:00",
    }


async def test_a_sync_is_told_of_when_it_found_something(
    events: Events, autojump_clock: trio.testing.MockClock
) -> None:
    subscription = events.subscribe(["index.synced"])
    telling = Telling(events, ["main"])
    telling.hear_synced(replace(SYNCED, added=0))
    telling.hear_synced(SYNCED)

    (event,) = await drain(subscription)
    assert event.facts == {"generation": 3, "took_ms": 1.2}
    assert event.private == {"added": 1, "changed": 0, "removed": 0}


@dataclass(frozen=True)
class Part:
    state: str = "ready"
    mode: str = "events"


@dataclass(frozen=True)
class Report:
    """As much of a status as is looked at."""

    state: str = "ok"
    agent: str = "main"
    embedding: Part = Part()
    model: Part | None = None
    watch: Part = Part()

    @property
    def agents(self) -> list["Report"]:
        return [self]


async def test_the_status_is_looked_at_while_somebody_wants_to_know_of_changes(
    events: Events, autojump_clock: trio.testing.MockClock
) -> None:
    now, looks = Report(), 0

    async def read() -> Any:
        nonlocal looks
        looks += 1
        await trio.lowlevel.checkpoint()
        return now

    async with trio.open_nursery() as nursery:
        nursery.start_soon(follow_status, events, read)
        await trio.sleep(5 * LOOK_S)
        assert looks == 0
        subscription = events.subscribe(["status.changed"])
        await trio.sleep(2 * LOOK_S)
        now = Report(state="degraded", model=Part("loading"))
        await trio.sleep(2 * LOOK_S)
        (event,) = await drain(subscription)
        assert event.facts == {
            "state": "degraded",
            "parts": [{"agent": "main", "embedding": "ready", "model": "loading", "watch": "events"}],
        }
        assert event.agents == ()
        nursery.cancel_scope.cancel()
