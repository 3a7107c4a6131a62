import json
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
import trio
import trio.testing

from openclaw_memd.events import QUEUED_EVENTS, Event, Topic
from openclaw_memd.gateway.events import encode_event
from tests.gateway.clients import LineClient, Served, call, serving

OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}


async def subscribe(client: LineClient, *topics: str, **params: Any) -> Any:
    return await client.call("events.subscribe", topics=topics or get_args(Topic), **params)


def change(served: Served, number: int = 1, *, agents: tuple[str, ...] = ("main",)) -> None:
    served.services.events.publish(
        "memory.changed", {"generation": number}, agents=agents, private={"paths": ["memory/a.md"]}
    )


async def test_an_event_is_a_notification() -> None:
    async with serving() as served, served.lines() as client:
        assert (await subscribe(client, "memory.changed", "memory.changed"))["result"] == {
            "subscribed": ["memory.changed"]
        }
        served.services.events.publish("index.synced", {})
        change(served, 7)

        told = await client.read()
        assert datetime.fromisoformat(told["params"].pop("at")).tzinfo is not None
        assert told == {
            "jsonrpc": "2.0",
            "method": "event",
            "params": {
                "topic": "memory.changed",
                "agents": ["main"],
                "generation": 7,
                "paths": ["memory/a.md"],
            },
        }
        assert "result" in await client.call("status"), "calls go on"


async def test_one_that_subscribes_by_a_notification_is_told_too() -> None:
    async with serving() as served, served.lines() as client:
        topics = {"topics": ["memory.changed"]}
        await client.send({"jsonrpc": "2.0", "method": "events.subscribe", "params": topics})
        await client.call("status")
        change(served)

        assert (await client.read())["method"] == "event"


async def test_the_answer_comes_before_the_first_event() -> None:
    async with serving() as served, trio.open_nursery() as nursery:

        async def keep_publishing() -> None:
            while True:
                change(served)
                await trio.lowlevel.checkpoint()

        nursery.start_soon(keep_publishing)
        for _ in range(20):
            async with served.lines() as one:
                assert "result" in await subscribe(one)
                assert (await one.read())["method"] == "event"
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("context", "paths"),
    [
        (None, True),
        (OWNER, True),
        ({**OWNER, "chat_type": "group"}, False),
        ({**OWNER, "sender": {"id": "u2"}}, False),
        ({}, False),
    ],
    ids=["operator", "owner", "group", "somebody", "holes"],
)
async def test_paths_are_for_those_who_may_see_all_memory(
    context: dict[str, Any] | None, paths: bool
) -> None:
    async with serving() as served, served.lines() as client:
        await subscribe(client, **({} if context is None else {"context": context}))
        change(served)

        told = (await client.read())["params"]
        assert told["generation"] == 1
        assert ("paths" in told) == paths


async def test_in_a_context_it_is_told_of_its_agent_alone_and_the_operator_of_all() -> None:
    async with serving() as served, served.lines() as bound, served.lines() as operator:
        await subscribe(bound, context=OWNER)
        await subscribe(operator)
        change(served, 1, agents=("other",))
        change(served, 2)

        assert (await bound.read())["params"]["generation"] == 2
        assert [(await operator.read())["params"]["generation"] for _ in range(2)] == [1, 2]


async def test_subscribing_again_replaces_the_topics_and_none_ends_it() -> None:
    async with serving() as served, served.lines() as client:
        await subscribe(client, "memory.changed")
        await subscribe(client, "index.synced")
        change(served)
        served.services.events.publish("index.synced", {"generation": 2})
        assert (await client.read())["params"]["topic"] == "index.synced"

        assert (await client.call("events.subscribe", topics=[]))["result"] == {"subscribed": []}
        assert not any(served.services.events.has_readers(topic) for topic in get_args(Topic))


async def test_who_left_is_forgotten() -> None:
    async with serving() as served:
        async with served.lines() as client:
            await subscribe(client)
            assert served.services.events.has_readers("memory.changed")
        with trio.fail_after(30):
            while served.services.events.has_readers("memory.changed"):  # noqa: ASYNC110 - the kernel tells it
                await trio.sleep(0.01)


async def test_a_slow_reader_is_told_what_it_lost_and_keeps_its_connection(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with serving(limit_s=1000) as served, served.lines() as client:
        await subscribe(client)
        for number in range(20 * QUEUED_EVENTS):
            change(served, number)
            if number % 64 == 0:
                await trio.sleep(0.1)
        await trio.sleep(60)  # longer than an answer may be left unread
        change(served, -1)

        read = lost = 0
        while (told := (await client.read())["params"])["generation"] != -1:
            read += 1
            lost += told.get("lost", 0)
        lost += told.get("lost", 0)
        assert lost > 0
        assert read + lost == 20 * QUEUED_EVENTS
        assert "result" in await client.call("status")


async def test_subscribing_again_and_again_never_cuts_a_message_in_two() -> None:
    async with serving() as served, served.lines() as client, trio.open_nursery() as nursery:
        wide = {"paths": ["memory/" + "x" * 15_000]}

        async def keep_publishing() -> None:
            while True:
                served.services.events.publish("memory.changed", {}, private=wide)
                await trio.lowlevel.checkpoint()

        nursery.start_soon(keep_publishing)
        for number in range(50):
            await client.send(call("events.subscribe", call_id=number, topics=["memory.changed"]))
            await trio.sleep(0.001)
        seen: set[int] = set()
        while len(seen) < 50:
            message = await client.read()  # each line is JSON
            if "id" in message:
                seen.add(message["id"])
        nursery.cancel_scope.cancel()


async def test_topics_that_do_not_exist_are_refused() -> None:
    async with serving() as served, served.lines() as client:
        refused = (await client.call("events.subscribe", topics=["memory.read"]))["error"]
        assert (refused["code"], refused["data"]["field"]) == (-32602, "topics[0]")


async def test_http_gets_no_events() -> None:
    async with serving() as served:
        refused = (await served.post(call("events.subscribe", topics=["intent.due"]))).json
        assert refused["error"]["data"]["reason"] == "line_protocol"


async def test_connections_that_wait_for_the_daemon_are_not_closed_for_others(
    mock_clock: trio.testing.MockClock,
) -> None:
    async def pass_time(seconds: float) -> None:
        await trio.testing.wait_all_tasks_blocked(0.01)
        mock_clock.jump(seconds)
        await trio.testing.wait_all_tasks_blocked(0.01)

    async with serving(connections=3, limit_s=10_000) as served, AsyncExitStack() as held:

        async def connect() -> LineClient:
            return await held.enter_async_context(served.lines())

        subscribed, attached, idle = await connect(), await connect(), await connect()
        await subscribe(subscribed)
        assert "result" in await attached.call("model.attach")
        assert "result" in await idle.call("status")
        await pass_time(600)

        assert "result" in await (await connect()).call("status")
        assert await idle.read() is None
        change(served)
        assert (await subscribed.read())["method"] == "event"
        assert "result" in await attached.call("status")
        await attached.call("model.detach")
        await pass_time(600)
        assert "result" in await (await connect()).call("status")


def test_an_event_with_losses() -> None:
    event = Event("intent.due", datetime(2026, 1, 11, tzinfo=UTC), facts={"id": "i1"})
    assert json.loads(encode_event(event, 3, is_private=False))["params"] == {
        "topic": "intent.due",
        "at": "2026-01-11T00:00:00.000+00:00",
        "id": "i1",
        "lost": 3,
    }
