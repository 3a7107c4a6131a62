import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from openclaw_memd.recall.types import SearchAnswer, SearchRequest
from tests.gateway.clients import LineClient, Served, call, read_page, request, serving
from tests.gateway.fakes import found, never


class Turnstile:
    """A search that waits to be let through, and knows whether it was cancelled."""

    def __init__(self) -> None:
        self.entered = trio.Event()
        self.gate = trio.Event()
        self.cancelled = trio.Event()

    async def search(self, _request: SearchRequest) -> SearchAnswer:
        self.entered.set()
        try:
            await self.gate.wait()
        except trio.Cancelled:
            self.cancelled.set()
            raise
        return found()


async def test_lines_in_and_lines_out() -> None:
    async with serving() as served, served.lines() as client:
        assert (await client.call("status"))["result"]["state"] == "ok"
        await client.send_raw(b'\r\n \n\t{"jsonrpc":"2.0",\r"id":2,"method":"status"}\r\n')
        assert (await client.read())["id"] == 2


@pytest.mark.parametrize("first", [b" ", b"\n", b"\t", b"\r\n"])
async def test_white_space_may_begin_a_line_connection(first: bytes) -> None:
    async with serving() as served, served.lines() as client:
        await client.send_raw(first)
        assert (await client.call("status"))["id"] == 1


async def test_what_begins_neither_protocol_gets_one_error_and_the_end() -> None:
    async with serving() as served, served.lines() as client:
        await client.send_raw(b"\x16\x03\x01\n")
        assert (await client.read())["error"]["code"] == -32700
        assert await client.read() is None


async def test_a_broken_line_does_not_end_the_connection() -> None:
    async with serving() as served, served.lines() as client:
        await client.send_raw(b'{"jsonrpc":\n')
        assert (await client.read())["error"]["code"] == -32700
        assert "result" in await client.call("status")


async def test_answers_come_as_they_are_ready() -> None:
    turnstile = Turnstile()
    async with serving() as served, served.lines() as client:
        served.services.main.on_search = turnstile.search
        await client.send(call("recall.search", call_id="slow", query="x"), call("status", call_id="quick"))
        assert (await client.read())["id"] == "quick"
        turnstile.gate.set()
        assert (await client.read())["id"] == "slow"


async def test_a_connection_that_asks_faster_than_it_is_served_waits_its_turn() -> None:
    async with serving(in_flight=1, queue=0) as served, served.lines() as client:
        await client.send(*(call("status", call_id=number) for number in range(50)))
        answers = [await client.read() for _ in range(50)]
    assert [answer["id"] for answer in answers if "result" in answer] == list(range(50))


async def test_what_was_asked_before_a_half_close_is_answered() -> None:
    turnstile = Turnstile()
    async with serving() as served, served.lines() as client:
        served.services.main.on_search = turnstile.search
        await client.send(*(call("recall.search", call_id=number, query="x") for number in range(5)))
        await client.send_raw(json.dumps(call("status", call_id=5)).encode())  # no line feed
        await client.stream.send_eof()
        assert (await client.read())["id"] == 5
        turnstile.gate.set()
        assert {(await client.read())["id"] for _ in range(5)} == set(range(5))
        assert await client.read() is None


@pytest.mark.parametrize("protocol", ["line", "http"])
async def test_a_call_is_cancelled_when_its_peer_vanishes(protocol: str) -> None:
    turnstile = Turnstile()
    message = json.dumps(call("recall.search", query="x")).encode()
    async with serving() as served:
        served.services.main.on_search = turnstile.search
        async with await served.connect() as stream:
            await stream.send_all(message + b"\n" if protocol == "line" else request("POST", "/rpc", message))
            await turnstile.entered.wait()
        await turnstile.cancelled.wait()


async def test_a_line_over_the_limit_is_refused() -> None:
    async with serving(body_bytes=4096) as served, served.lines() as client:
        await client.send_raw(b"[" + b" " * 5000)
        error = (await client.read())["error"]
        assert (error["code"], error["data"]["reason"]) == (-32005, "body_bytes")
        assert await client.read() is None
        async with served.lines() as other:
            await other.send_raw(b" " * 4000 + json.dumps(call("status")).encode() + b"\n")
            assert "result" in await other.read()


async def test_a_line_of_a_megabyte_is_read() -> None:
    async with serving() as served, served.lines() as client:
        await client.send(call("recall.search", query="x" * 1_000_000))
        error = (await client.read())["error"]
        assert (error["code"], error["data"]["reason"]) == (-32005, "query_bytes")


async def test_a_client_that_dribbles_is_cut_off(autojump_clock: trio.testing.MockClock) -> None:
    async with serving(read_s=0.2) as served, served.lines() as client, trio.open_nursery() as nursery:
        assert "result" in await client.call("status")

        async def dribble() -> None:
            with suppress(trio.BrokenResourceError):
                while True:
                    await client.send_raw(b" ")
                    await trio.sleep(0.02)

        nursery.start_soon(dribble)
        assert (await client.read())["error"]["code"] == -32007
        assert await client.read() is None


async def test_a_line_that_waits_for_memd_is_not_late(autojump_clock: trio.testing.MockClock) -> None:
    turnstile = Turnstile()
    async with serving(read_s=0.2, in_flight=1) as served, served.lines() as client:
        served.services.main.on_search = turnstile.search
        first, second = call("recall.search", query="x"), json.dumps(call("status", call_id=2)).encode()
        await client.send_raw(json.dumps(first).encode() + b"\n" + second + b"\n" + second[:20])
        await turnstile.entered.wait()
        await client.send_raw(second[20:] + b"\n")
        await trio.sleep(0.3)
        turnstile.gate.set()
        assert [(await client.read())["id"] for _ in range(3)] == [1, 2, 2]


async def test_a_client_that_says_nothing_is_cut_off_at_first_and_not_later(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with serving(read_s=0.1) as served, served.lines() as client:
        assert "result" in await client.call("status")
        async with served.lines() as silent:
            assert await silent.read() is None
        assert "result" in await client.call("status")


async def test_connections_over_the_limit_are_told_to_come_back() -> None:
    async with serving(connections=2) as served, served.lines() as first, served.lines() as second:
        assert "result" in await first.call("status")
        assert "result" in await second.call("status")
        async with served.lines() as third:
            error = (await third.call("status"))["error"]
            assert (error["code"], error["data"]["reason"]) == (-32006, "connections")
            assert error["data"]["retry_after_ms"] > 0
            assert await third.read() is None
        page = await served.post(call("status"))
        assert (page.status, page.json["error"]["code"]) == (503, -32006)
        assert (page.headers["retry-after"], page.headers["connection"]) == ("1", "close")
        await second.stream.aclose()
        await until_served(served)


async def until_served(served: Served) -> None:
    while True:
        async with served.lines() as client:
            if "result" in await client.call("status"):
                return


async def pass_time(clock: trio.testing.MockClock, seconds: float) -> None:
    await trio.testing.wait_all_tasks_blocked(0.01)
    clock.jump(seconds)
    await trio.testing.wait_all_tasks_blocked(0.01)


async def test_the_longest_idle_connection_makes_room(mock_clock: trio.testing.MockClock) -> None:
    async with serving(connections=3, limit_s=1000) as served, AsyncExitStack() as held:

        async def connect() -> LineClient:
            return await held.enter_async_context(served.lines())

        older = await connect()
        assert "result" in await older.call("status")
        await pass_time(mock_clock, 10)
        kept = await held.enter_async_context(await served.connect())
        await kept.send_all(request("GET", "/health"))
        assert (await read_page(kept)).status == 200
        await pass_time(mock_clock, 10)
        newer = await connect()
        assert "result" in await newer.call("status")
        await pass_time(mock_clock, 39)
        assert (await (await connect()).call("status"))["error"]["data"]["reason"] == "connections"
        await pass_time(mock_clock, 2)
        assert "result" in await (await connect()).call("status")
        assert await older.read() is None
        await pass_time(mock_clock, 10)
        assert "result" in await (await connect()).call("status")
        assert await kept.receive_some() == b""
        assert "result" in await newer.call("status")
        assert "error" in await (await connect()).call("status")


async def test_a_connection_with_a_call_in_flight_is_never_closed_for_another(
    mock_clock: trio.testing.MockClock,
) -> None:
    turnstile = Turnstile()
    async with serving(connections=2, read_ms=600_000, limit_s=1000) as served, served.lines() as waiting:
        served.services.main.on_search = turnstile.search
        await waiting.send(call("recall.search", query="x"))
        async with await served.connect() as posting:
            body = json.dumps(call("recall.search", query="x")).encode()
            await posting.send_all(request("POST", "/rpc", body))
            await turnstile.entered.wait()
            await pass_time(mock_clock, 300)
            async with served.lines() as refused:
                assert (await refused.call("status"))["error"]["data"]["reason"] == "connections"
            turnstile.gate.set()
            assert "result" in await waiting.read()
            assert (await read_page(posting)).status == 200


async def test_many_connections_call_at_once() -> None:
    async def one() -> None:
        async with served.lines() as client:
            for number in range(5):
                await client.send(call("status", call_id=number))
                answered.append((await client.read())["id"])
            if len(answered) == 500:
                all_answered.set()
            await finished.wait()

    answered: list[int] = []
    finished, all_answered = trio.Event(), trio.Event()
    async with serving(connections=100) as served, trio.open_nursery() as nursery:
        for _ in range(100):
            nursery.start_soon(one)
        await all_answered.wait()
        finished.set()
    assert sorted(answered) == sorted([*range(5)] * 100)


async def test_idle_connections_do_not_delay_a_stop() -> None:
    async with (
        serving(grace_s=3600) as served,
        served.lines() as spoke,
        await served.connect() as silent,
        await served.connect() as kept,
    ):
        assert "result" in await spoke.call("status")
        await kept.send_all(request("GET", "/health"))
        assert (await read_page(kept)).status == 200
        served.stopping.set()
        await served.stopped.wait()
        assert await spoke.read() is None
        assert await silent.receive_some() == b""
        assert await kept.receive_some() == b""


@pytest.mark.parametrize("protocol", ["line", "http"])
async def test_a_stop_lets_calls_in_flight_finish(protocol: str) -> None:
    turnstile = Turnstile()
    message = json.dumps(call("recall.search", query="x")).encode()
    async with serving(grace_s=3600) as served:
        served.services.main.on_search = turnstile.search
        async with await served.connect() as stream:
            await stream.send_all(message + b"\n" if protocol == "line" else request("POST", "/rpc", message))
            await turnstile.entered.wait()
            served.stopping.set()
            await trio.testing.wait_all_tasks_blocked(0.01)
            with pytest.raises(OSError, match="refused"):
                await served.connect()
            turnstile.gate.set()
            if protocol == "line":
                assert "result" in await LineClient(stream).read()
            else:
                assert "result" in (await read_page(stream)).json
            await served.stopped.wait()


@pytest.mark.parametrize("protocol", ["line", "http"])
@pytest.mark.parametrize("how", ["stop", "cancel"])
async def test_a_reader_that_does_not_read_does_not_delay_a_stop(
    protocol: str, how: str, autojump_clock: trio.testing.MockClock
) -> None:
    """The peer leaves more answers unread than the socket's buffer holds, and one of its calls never ends."""
    message = json.dumps([call("rpc.discover")] * 32).encode()
    async with serving(grace_s=0.1) as served:
        served.services.main.on_sync = never
        async with await served.connect() as stuck:
            wire = message + b"\n" if protocol == "line" else request("POST", "/rpc", message)
            with trio.move_on_after(0.2):
                await stuck.send_all(wire * 20)
            with trio.fail_after(3):  # far below the write deadline
                if how == "stop":
                    served.stopping.set()
                    await served.stopped.wait()
                else:
                    served.nursery.cancel_scope.cancel()
                    with trio.CancelScope(shield=True):
                        await served.stopped.wait()


async def test_a_bug_in_one_connection_is_logged_and_harms_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_self: object, _stopping: trio.Event) -> None:
        raise ValueError("bug")

    async with serving() as served:
        with monkeypatch.context() as patch, capture_logs() as logs:
            patch.setattr("openclaw_memd.gateway.lines.LineConnection.serve", fail)
            async with served.lines() as client:
                await client.send(call("status"))
                with pytest.raises(trio.BrokenResourceError):
                    await client.read()
        assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["connection failed"]
        async with served.lines() as client:
            assert "result" in await client.call("status")


@asynccontextmanager
async def all_taken() -> AsyncIterator[tuple[Served, LineClient]]:
    """A gateway with as many connections as it takes, and one of them."""
    async with serving(connections=8) as served, AsyncExitStack() as held:
        clients = [await held.enter_async_context(served.lines()) for _ in range(8)]
        for client in clients:
            assert "result" in await client.call("status")
        yield served, clients[0]


async def test_the_pages_are_there_while_every_connection_is_taken() -> None:
    async with all_taken() as (served, client):
        assert "result" in await client.call("status")
        for path in ("/health", "/metrics"):
            page = await served.fetch("GET", path)
            assert (page.status, page.headers["connection"]) == (200, "close")
        served.services.is_healthy = False
        assert (await served.fetch("GET", "/health")).status == 503
        assert (await served.fetch("GET", "/elsewhere")).status == 404
        assert "result" in await client.call("status")


async def test_a_flood_of_refused_connections_is_not_a_flood_in_the_log() -> None:
    async with all_taken() as (served, client):
        assert "result" in await client.call("status")
        with capture_logs() as logs:
            for _ in range(20):
                async with served.lines() as refused:
                    assert (await refused.call("status"))["error"]["code"] == -32006
        assert [(entry["event"], entry["reason"]) for entry in logs] == [
            ("connection refused", "connections")
        ]


@pytest.mark.parametrize("size", [1, 32], ids=["single calls", "batches"])
async def test_a_burst_of_one_connection_leaves_others_their_turn(size: int) -> None:
    """One connection asks a thousand times at once, and each of its calls takes as long as it may."""
    turnstile = Turnstile()
    burst = [call("recall.search", call_id=number, query="x") for number in range(1000)]
    messages = burst if size == 1 else [burst[start : start + size] for start in range(0, 1000, size)]
    async with (
        serving(queue=0, read_ms=600_000, limit_s=120) as served,
        served.lines() as greedy,
        served.lines() as modest,
    ):
        served.services.main.on_search = turnstile.search
        async with trio.open_nursery() as nursery:
            nursery.start_soon(greedy.send, *messages)
            await turnstile.entered.wait()
            await trio.testing.wait_all_tasks_blocked(0.01)
            assert "result" in await modest.call("status")
            turnstile.gate.set()
            answered = 0
            while answered < 1000:
                answer = await greedy.read()
                answers = [answer] if size == 1 else answer
                assert all("result" in one for one in answers)
                answered += len(answers)
