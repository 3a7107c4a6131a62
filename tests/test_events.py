from typing import get_args

import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.events import QUEUED_EVENTS, Events, Topic
from tests.fakes import TrioClock


async def test_who_subscribed_is_told_in_order() -> None:
    events = Events(TrioClock())
    synced, both = events.subscribe(["index.synced"]), events.subscribe(["index.synced", "intent.due"])

    events.publish("index.synced", {"generation": 1}, agents=["main"])
    events.publish("intent.due", {"id": "i1"})
    events.publish("dream.finished", {})

    event, lost = await synced.next()
    assert (event.topic, event.facts, event.agents, lost) == ("index.synced", {"generation": 1}, ("main",), 0)
    assert [(await both.next())[0].topic for _ in range(2)] == ["index.synced", "intent.due"]
    with trio.move_on_after(0) as scope:
        await both.next()
    assert scope.cancelled_caught


async def test_a_reader_that_waits_is_woken(autojump_clock: trio.testing.MockClock) -> None:
    events = Events(TrioClock())
    subscription = events.subscribe(get_args(Topic))

    async with trio.open_nursery() as nursery:

        async def read() -> None:
            for number in range(3):
                event, _ = await subscription.next()
                assert event.facts == {"number": number}

        nursery.start_soon(read)
        for number in range(3):
            await trio.sleep(1)
            events.publish("status.changed", {"number": number})


async def test_nobody_is_told_after_unsubscribing() -> None:
    events = Events(TrioClock())
    subscription = events.subscribe(["intent.due"])
    assert events.has_readers("intent.due")
    assert not events.has_readers("index.synced")
    events.unsubscribe(subscription)
    events.unsubscribe(subscription)

    assert not events.has_readers("intent.due")


async def test_an_agent_s_reader_is_told_of_it_and_of_the_daemon_only() -> None:
    events = Events(TrioClock())
    subscription = events.subscribe(["index.synced", "status.changed"], agent="main")

    events.publish("index.synced", {"number": 1}, agents=["other"])
    events.publish("index.synced", {"number": 2}, agents=["other", "main"])
    events.publish("status.changed", {"number": 3})

    assert [(await subscription.next())[0].facts["number"] for _ in range(2)] == [2, 3]


@given(bursts=st.lists(st.integers(0, 2 * QUEUED_EVENTS), max_size=5))
async def test_what_is_read_and_what_is_lost_is_all(bursts: list[int]) -> None:
    events = Events(TrioClock())
    subscription = events.subscribe(["memory.changed"])
    published = seen = -1
    for burst in bursts:
        for _ in range(burst):
            published += 1
            events.publish("memory.changed", {"number": published})
        for _ in range(min(burst, QUEUED_EVENTS)):
            event, lost = await subscription.next()
            seen += 1 + lost
            assert event.facts == {"number": seen}
    assert seen == published
