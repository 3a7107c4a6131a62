"""A runtime that lends its model over its own connection, well and badly."""

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memd.gateway import attaching
from openclaw_memd.gateway.duplex import Duplex, PeerError
from openclaw_memd.gateway.peers import Peer
from openclaw_memd.models.chat.runtime import RuntimeChatModel
from openclaw_memd.ports import ChatModelError, ChatRequest
from openclaw_memd.recall.types import SearchAnswer, SearchRequest
from tests.gateway.clients import LineClient, Served, call, serving
from tests.gateway.fakes import found

WAIT_S = 0.5
FAILED = "the model failed: "


@asynccontextmanager
async def asking(**limits: Any) -> AsyncIterator[Served]:
    """A gateway whose searches ask the agent's attached runtime, and answer with what it says.

    A search for ``plain`` asks nobody.
    """
    async with serving(**limits) as served:
        agent = served.services.main
        agent.chat_model = RuntimeChatModel(agent.runtimes)

        async def search(request: SearchRequest) -> SearchAnswer:
            if request.query == "plain":
                return found()
            try:
                return said(await agent.chat_model.complete(question(request.query)))
            except ChatModelError as error:
                return said(FAILED + error.failure)

        agent.on_search = search
        yield served


def said(text: str) -> SearchAnswer:
    answer = found()
    return SearchAnswer(
        (), context=text, mode=answer.mode, freshness="fresh", pending=0, took_ms=1.0, empty_reason=None
    )


def question(prompt: str) -> ChatRequest:
    schema = {"type": "object"} if prompt == "by schema" else None
    return ChatRequest("Be brief.", prompt, 99, trio.current_time() + WAIT_S, "recall", schema)


async def attach(client: LineClient, **params: Any) -> Any:
    return (await client.call("model.attach", **params))["result"]


def answer(asked: Any, text: str = "Ada moved.") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked["id"], "result": {"text": text}}


async def test_who_asks_for_a_recall_is_asked_on_the_same_connection(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with asking() as served, served.lines() as runtime:
        assert await attach(runtime, models=["big"]) == {"attached": True, "used": True}
        await runtime.send(call("recall.search", call_id=7, query="who moved"))

        asked = await runtime.read()
        assert asked.keys() == {"jsonrpc", "id", "method", "params"}
        assert asked["method"] == "model.complete"
        left_ms = asked["params"].pop("deadline_ms")
        assert 0 < left_ms <= WAIT_S * 1000
        assert asked["params"] == {
            "system": "Be brief.",
            "prompt": "who moved",
            "max_tokens": 99,
            "purpose": "recall",
        }
        assert (await runtime.call("status"))["result"]["state"] == "ok", (
            "its own calls are answered meanwhile"
        )
        await runtime.send(answer(asked))

        done = await runtime.read()
        assert (done["id"], done["result"]["context"]) == (7, "Ada moved.")


async def test_one_that_attaches_by_a_notification_is_asked_too(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with asking() as served, served.lines() as runtime:
        await runtime.send({"jsonrpc": "2.0", "method": "model.attach", "params": {}})
        await runtime.call("status")
        await runtime.send(call("recall.search", query="who moved"))

        assert (await runtime.read())["method"] == "model.complete"


async def test_a_schema_goes_along(autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served, served.lines() as runtime:
        await attach(runtime)
        await runtime.send(call("recall.search", query="by schema"))

        assert (await runtime.read())["params"]["schema"] == {"type": "object"}


async def test_answers_come_in_while_all_places_wait_for_them(autojump_clock: trio.testing.MockClock) -> None:
    """The runtime looks something up before it answers, and all places of its connection are taken."""
    async with asking(in_flight=4) as served, served.lines() as runtime:
        await attach(runtime)
        await runtime.send(*(call("recall.search", call_id=number, query="deep") for number in range(6)))
        asked = [await runtime.read() for _ in range(2)]
        assert {one["method"] for one in asked} == {"model.complete"}

        await runtime.send(call("recall.search", call_id="nested", query="plain"))
        contexts: dict[object, str] = {}
        pending = list(asked)
        while len(contexts) < 7:
            for one in pending:
                await runtime.send(answer(one))
            message = await runtime.read()
            pending = [message] if "method" in message else []
            if not pending:
                contexts[message["id"]] = message["result"]["context"]
        assert contexts == dict.fromkeys(range(6), "Ada moved.") | {"nested": ""}


async def test_calls_that_cannot_even_wait_are_refused_and_answers_still_come_in(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with asking(in_flight=2, queue=1) as served, served.lines() as runtime:
        await attach(runtime)
        await runtime.send(call("recall.search", call_id=1, query="deep"))
        asked = await runtime.read()
        await runtime.send(
            call("recall.search", call_id=2, query="plain"),
            call("recall.search", call_id=3, query="plain"),
            [call("status", call_id=4), call("status", call_id=5), {"jsonrpc": "2.0", "method": "status"}],
        )

        one, both = await runtime.read(), await runtime.read()
        assert (one["id"], one["error"]["data"]["reason"]) == (3, "queue_full")
        assert [(refused["id"], refused["error"]["code"]) for refused in both] == [(4, -32006), (5, -32006)]
        await runtime.send(answer(asked))
        assert {(await runtime.read())["id"] for _ in range(2)} == {1, 2}


BAD_ANSWERS: dict[str, tuple[Callable[[str], bytes], str]] = {
    "error": (
        lambda number: line({"jsonrpc": "2.0", "id": number, "error": {"code": 1, "message": "no"}}),
        "unavailable",
    ),
    "no object": (lambda number: line({"jsonrpc": "2.0", "id": number, "result": "text"}), "invalid"),
    "no text": (lambda number: line({"jsonrpc": "2.0", "id": number, "result": {"text": 5}}), "invalid"),
    "blank": (lambda number: line({"jsonrpc": "2.0", "id": number, "result": {"text": "\n"}}), "invalid"),
    "both": (lambda number: line({"id": number, "result": {"text": "a"}, "error": {}}), "invalid"),
    "long": (lambda number: line({"id": number, "result": {"text": "x" * 300_000}}), "too_large"),
    "huge": (lambda number: line({"id": number, "result": {"text": "x" * 10_000_000}}), "too_large"),
    "huge, id last": (
        lambda number: line({"result": {"text": "x" * 10_000_000}, "id": number}),
        "too_large",
    ),
    "half a character": (
        lambda number: b'{"id": "%s", "result": {"text": "\\ud800"}}\n' % number.encode(),
        "invalid",
    ),
    "not closed": (lambda number: b'{"id": "%s", "result": {\n' % number.encode(), "invalid"),
    "deep": (lambda number: line({"id": number, "result": json.loads("[" * 50 + "]" * 50)}), "invalid"),
    "garbage": (lambda _number: b"\x00\xff\n", "timeout"),
    "unknown id": (lambda _number: line({"id": "memd-99", "result": {"text": "a"}}), "timeout"),
    "odd ids": (
        lambda _number: b"".join(
            line({"id": odd, "result": {"text": "a"}}) for odd in (None, 1, 1.5, [1], {"a": 1}, True)
        ),
        "timeout",
    ),
    "silence": (lambda _number: b"\n", "timeout"),
}


def line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


@pytest.mark.parametrize("kind", BAD_ANSWERS)
async def test_a_bad_answer_costs_its_question_and_nothing_else(
    kind: str, autojump_clock: trio.testing.MockClock
) -> None:
    make, failure = BAD_ANSWERS[kind]
    async with asking() as served, served.lines() as runtime, served.lines() as other:
        await attach(runtime)
        await other.send(call("recall.search", query="who moved"))
        asked = await runtime.read()
        began_at = trio.current_time()
        await runtime.send_raw(make(asked["id"]))

        assert (await other.read())["result"]["context"] == FAILED + failure
        assert trio.current_time() - began_at < WAIT_S + 1.0
        await runtime.send(answer(asked, "too late"), call("status", call_id="after"))
        while (message := await runtime.read())["id"] != "after":
            assert message["id"] is None, "nothing is answered but lines that cannot be read"
            assert message["error"]["code"] in {-32700, -32005}
        await other.send(call("recall.search", query="who moved"))
        await runtime.send(answer(await runtime.read()))
        assert (await other.read())["result"]["context"] == "Ada moved."


async def test_an_answer_that_comes_twice_counts_once(autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served, served.lines() as runtime:
        await attach(runtime)
        for number in range(3):
            await runtime.send(call("recall.search", call_id=number, query="who"))
            asked = await runtime.read()
            await runtime.send(answer(asked, f"answer {number}"), answer(asked, "again"))
            assert (await runtime.read())["result"]["context"] == f"answer {number}"


@pytest.mark.parametrize("how", ["close", "half-close"])
async def test_who_leaves_fails_at_once(how: str, autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served, served.lines() as other, served.lines() as runtime:
        await attach(runtime)
        began_at = trio.current_time()
        await other.send(call("recall.search", query="who"))
        await runtime.read()
        await (runtime.stream.aclose() if how == "close" else runtime.stream.send_eof())

        assert (await other.read())["result"]["context"] == FAILED + "unavailable"
        assert trio.current_time() - began_at < WAIT_S
        assert served.services.main.chat_model.status().state == "idle"


async def test_an_answer_given_while_leaving_counts(autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served, served.lines() as other, served.lines() as runtime:
        await attach(runtime)
        await other.send(call("recall.search", query="who"))
        await runtime.send(answer(await runtime.read()))
        await runtime.stream.aclose()

        assert (await other.read())["result"]["context"] == "Ada moved."


async def test_a_call_of_one_that_ended_its_sending_is_still_answered(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with asking() as served, served.lines() as runtime:
        await attach(runtime)
        await runtime.send(call("recall.search", query="who"))
        await runtime.read()
        await runtime.stream.send_eof()

        assert (await runtime.read())["result"]["context"] == FAILED + "unavailable"
        assert await runtime.read() is None


async def test_the_newest_is_asked_and_an_older_one_takes_over(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with asking() as served, served.lines() as old, served.lines() as client:
        await attach(old)
        async with served.lines() as new:
            await attach(new)
            await client.send(call("recall.search", query="who"))
            await new.send({"id": (await new.read())["id"], "error": {"code": 5, "message": "tired"}})
            await old.send(answer(await old.read(), "from the old"))
            assert (await client.read())["result"]["context"] == "from the old"


async def test_no_more_questions_at_once_than_it_takes(autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served, served.lines() as runtime, served.lines() as client:
        await attach(runtime, max_parallel=1)
        await client.send(*(call("recall.search", call_id=number, query=f"q{number}") for number in range(2)))
        first = await runtime.read()
        with trio.move_on_after(0.05) as silent:
            await runtime.read()
        assert silent.cancelled_caught
        await runtime.send(answer(first))
        second = await runtime.read()
        assert {first["params"]["prompt"], second["params"]["prompt"]} == {"q0", "q1"}
        await runtime.send(answer(second))


async def test_detached_is_not_asked(autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served, served.lines() as runtime:
        await attach(runtime)
        assert (await runtime.call("model.detach"))["result"] == {"detached": True}
        assert (await runtime.call("model.detach"))["result"] == {"detached": False}

        assert (await runtime.call("recall.search", query="who"))["result"][
            "context"
        ] == FAILED + "unavailable"


async def test_who_detaches_amid_a_question_leaves_it_to_the_next(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with asking() as served, served.lines() as old, served.lines() as new, served.lines() as client:
        await attach(old)
        await attach(new)
        await client.send(call("recall.search", query="who"))
        asked = await new.read()
        assert (await new.call("model.detach"))["result"] == {"detached": True}
        await new.send(answer(asked, "too late"))
        await old.send(answer(await old.read(), "from the old"))

        assert (await client.read())["result"]["context"] == "from the old"


async def test_a_question_ends_when_the_only_one_who_could_answer_detaches(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with asking() as served, served.lines() as runtime, served.lines() as client:
        await attach(runtime, max_parallel=1)
        await client.send(*(call("recall.search", call_id=number, query="who") for number in range(2)))
        began_at = trio.current_time()
        await runtime.read()
        await runtime.call("model.detach")

        contexts = [(await client.read())["result"]["context"] for _ in range(2)]
        assert contexts == [FAILED + "unavailable"] * 2, "the one that waited for a place as well"
        assert trio.current_time() - began_at < WAIT_S


async def test_who_attaches_again_is_asked_again(autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served, served.lines() as runtime, served.lines() as client:
        await attach(runtime, models=["small"])
        await client.send(call("recall.search", query="who"))
        first = await runtime.read()
        await attach(runtime, models=["large"])
        await runtime.send(answer(first, "from the small"), answer(await runtime.read(), "from the large"))

        assert (await client.read())["result"]["context"] == "from the large"


async def test_attaching_again_replaces_what_was_said(autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served, served.lines() as runtime:
        await attach(runtime, models=["small"])
        await attach(runtime, models=["large"])

        assert served.services.main.chat_model.model_id == "runtime:large"
        await runtime.call("model.detach")
        assert served.services.main.chat_model.model_id is None


async def test_another_agent_is_not_lent_the_model(autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served, served.lines() as runtime:
        refused = await runtime.call("model.attach", context={"agent": "other"})

        assert refused["error"]["data"]["kind"] == "not_found"
        assert served.services.main.runtimes.newest is None


async def test_http_cannot_lend_a_model(autojump_clock: trio.testing.MockClock) -> None:
    async with asking() as served:
        for method in ("model.attach", "model.detach"):
            refused = (await served.post(call(method))).json
            assert refused["error"]["data"]["reason"] == "line_protocol"


async def test_only_the_daemon_s_own_user_lends_a_model(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    monkeypatch.setattr(attaching, "os", SimpleNamespace(geteuid=lambda: os.geteuid() + 1))
    async with asking() as served, served.lines() as runtime:
        refused = await runtime.call("model.attach")

        assert refused["error"]["data"]["reason"] == "other_user"
        assert served.services.main.runtimes.newest is None


async def test_who_does_not_read_costs_the_question_not_the_caller(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with asking() as served, served.lines() as runtime, served.lines() as other:
        await attach(runtime, max_parallel=64)
        began_at = trio.current_time()
        queries = [call("recall.search", call_id=number, query="x" * 4_000) for number in range(10)]
        await other.send(*queries)

        assert {(await other.read())["result"]["context"] for _ in queries} == {FAILED + "timeout"}
        assert trio.current_time() - began_at < 2 * WAIT_S


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["memd-1", "memd-2", "text", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["jsonrpc", "id", "method", "result", "error", "params", "text"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=8,
)
FRAMES = st.lists(JSON.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=40), max_size=12)


@given(frames=FRAMES)
async def test_whatever_comes_in_settles_a_question_once_or_not_at_all(frames: list[bytes]) -> None:
    sent: list[bytes] = []
    outcomes: list[object] = []

    async def send(message: bytes) -> None:
        sent.append(message)

    async def ask(duplex: Duplex) -> None:
        try:
            outcomes.append(await duplex.ask("model.complete", {}))
        except PeerError as error:
            outcomes.append(error)

    duplex = Duplex(Peer(0, None), send, wait_room=trio.lowlevel.checkpoint, depth=32)
    async with trio.open_nursery() as nursery:
        duplex.open(nursery)
        for _ in range(2):
            nursery.start_soon(ask, duplex)
        await trio.testing.wait_all_tasks_blocked()
        assert sorted(json.loads(message)["id"] for message in sent) == ["memd-1", "memd-2"]
        for frame in frames:
            is_ours = duplex.take(frame)
            try:
                value = json.loads(frame)
            except ValueError:
                assert not is_ours
                continue
            if not isinstance(value, dict) or "method" in value:
                assert not is_ours, "requests and batches go to the dispatcher"
        duplex.close()
    assert len(outcomes) == 2
    assert not duplex.is_kept


@pytest.mark.fuzz
@settings(max_examples=5)
@given(frames=FRAMES)
async def test_whatever_a_runtime_sends_its_own_calls_are_answered_and_nobody_waits_for_ever(
    frames: list[bytes],
) -> None:
    async with asking(limit_s=60.0) as served, served.lines() as runtime, served.lines() as other:
        await attach(runtime)
        await other.send(call("recall.search", query="who"))
        await runtime.read()
        rest = [frame.replace(b"\n", b" ") for frame in frames]
        await runtime.send_raw(b"\n".join([b"", *rest, b""]))
        await runtime.send(call("status", call_id="end"))

        with trio.fail_after(30):
            while not (isinstance(message := await runtime.read(), dict) and message["id"] == "end"):
                pass
            assert (await other.read())["result"]["context"].startswith((FAILED, "memd-", "text"))
