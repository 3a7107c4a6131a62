import json
from contextlib import suppress

import h2.config
import h2.connection
import httpx
import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from openclaw_memd.gateway.metric_kinds import Sample
from openclaw_memd.recall.types import SearchAnswer, SearchRequest
from tests.gateway.clients import call, read_page, request, serving
from tests.gateway.fakes import found

CALL = json.dumps(call("status")).encode()


async def test_a_call_by_http() -> None:
    async with serving() as served:
        page = await served.post(call("status", call_id="é"))
    assert (page.status, page.headers["content-type"]) == (200, "application/json")
    assert (page.json["id"], page.json["result"]["state"]) == ("é", "ok")


async def test_an_ordinary_client_keeps_its_connection() -> None:
    async with serving() as served:
        transport = httpx.AsyncHTTPTransport(uds=str(served.path))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            for number in range(3):
                answer = await client.post("/rpc", json=call("status", call_id=number))
                assert answer.json()["id"] == number
            metrics = (await client.get("/metrics")).text
        assert "memd_connections 1\n" in metrics


async def test_failures_of_calls_are_answers() -> None:
    async with serving() as served:
        page = await served.post(call("nope"))
        assert (page.status, page.json["error"]["code"]) == (200, -32601)
        page = await served.fetch("POST", "/rpc", b"{")
        assert (page.status, page.json["error"]["code"]) == (200, -32700)


async def test_notifications_get_no_content() -> None:
    notification = {"jsonrpc": "2.0", "method": "recall.search", "params": {"query": "x"}}
    async with serving() as served:
        page = await served.post([notification, notification])
        assert (page.status, page.body) == (204, b"")
        assert (await served.post(notification)).status == 204
        assert len(served.services.main.asked) == 3


async def test_health_follows_the_daemon() -> None:
    async with serving() as served:
        page = await served.fetch("GET", "/health")
        assert (page.status, page.json) == (200, {"status": "ok"})
        served.services.is_healthy = False
        page = await served.fetch("GET", "/health")
        assert (page.status, page.json) == (503, {"status": "unavailable"})


async def test_metrics_are_prometheus_text() -> None:
    async with serving() as served:
        await served.post(call("status"))
        page = await served.fetch("GET", "/metrics")
    lines = page.body.decode().splitlines()
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'memd_calls_total{method="status",outcome="ok"} 1' in lines
    assert 'memd_chunks{agent="main"} 12' in lines
    assert 'memd_calls_running{pace="read"} 0' in lines


@pytest.mark.parametrize("path", ["/health", "/metrics"])
async def test_head_is_get_without_the_page(path: str) -> None:
    """RFC 9110, 9.3.2: the same status and header; what uptime checkers and `curl -I` ask."""
    async with serving() as served:
        transport = httpx.AsyncHTTPTransport(uds=str(served.path))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            for is_healthy in (True, False):
                served.services.is_healthy = is_healthy
                head, page = await client.head(path), await client.get(path)
                assert (head.status_code, head.content) == (page.status_code, b"")
                assert head.headers["content-type"] == page.headers["content-type"]
                assert int(head.headers["content-length"]) > 0
            assert (await client.head(path, headers={"origin": "null"})).status_code == 403
            assert (await client.head("/rpc")).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {}, 404),
        ("GET", "/rpc", {}, 404),
        ("POST", "/health", {}, 404),
        ("POST", "/rpc/", {}, 404),
        ("OPTIONS", "/rpc", {}, 404),
        ("POST", "/rpc", {"content_type": "text/plain"}, 415),
        ("POST", "/rpc", {"content_type": "application/x-www-form-urlencoded"}, 415),
        ("POST", "/rpc", {"content_type": ""}, 415),
        ("POST", "/rpc", {"origin": "http://localhost"}, 403),
        ("POST", "/rpc", {"origin": "null"}, 403),
        ("POST", "/rpc", {"referer": "http://localhost/"}, 403),
        ("GET", "/health", {"origin": "http://evil.example"}, 403),
        ("GET", "/metrics", {"host": "evil.example"}, 403),
        ("GET", "/nope", {"host": "localhost.evil.example"}, 403),
        ("GET", "/health", {"host": "127.0.0.1"}, 403),
        ("GET", "/health", {"host": "LocalHost:80"}, 200),
        ("GET", "/health", {"host": "memd"}, 200),
        ("POST", "/rpc", {"content_type": "Application/JSON; charset=utf-8"}, 200),
        ("GET", "/health", {"x_long": "x" * 9000}, 431),
        ("GET", "/health?" + "x" * 9000, {}, 431),
        ("GET", "/health", {"host": ""}, 400),
    ],
)
async def test_what_is_refused(method: str, path: str, headers: dict[str, str], status: int) -> None:
    async with serving() as served:
        page = await served.fetch(method, path, CALL if method == "POST" else b"", **headers)
    assert page.status == status


async def test_a_header_that_never_ends_is_refused() -> None:
    async with serving(read_s=30) as served, await served.connect() as stream:
        await stream.send_all(b"GET /health HTTP/1.1\r\nx: " + b"x" * 70_000)
        assert (await read_page(stream)).status == 431


async def test_a_body_over_the_limit_is_refused_by_its_length_before_it_comes() -> None:
    async with serving(body_bytes=4096) as served, await served.connect() as stream:
        await stream.send_all(request("POST", "/rpc", content_length="4097"))
        page = await read_page(stream)
    assert (page.status, page.json["error"]["code"]) == (413, -32005)
    assert page.json["error"]["data"]["reason"] == "body_bytes"


async def test_a_body_over_the_limit_is_refused_while_it_comes() -> None:
    async with serving(body_bytes=4096) as served, await served.connect() as stream:
        await stream.send_all(request("POST", "/rpc", content_length="", transfer_encoding="chunked"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send_chunks, stream)
            page = await read_page(stream)
            nursery.cancel_scope.cancel()
        assert (page.status, page.json["error"]["code"]) == (413, -32005)
        assert (await served.post(call("status"))).status == 200


async def send_chunks(stream: trio.SocketStream) -> None:
    with suppress(trio.BrokenResourceError):
        while True:
            await stream.send_all(b"100\r\n" + b" " * 256 + b"\r\n")


@pytest.mark.parametrize("path", ["/nope", "/rpc"])
async def test_a_large_body_that_nobody_wants_holds_nothing_up(path: str) -> None:
    """More pieces than hypercorn queues for an application that does not read them."""
    async with serving() as served, await served.connect() as stream:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send_until_broken, stream, request("POST", path, b" " * 8_000_000))
            page = await read_page(stream)
            nursery.cancel_scope.cancel()
        assert page.status == (404 if path == "/nope" else 413)
        served.stopping.set()
        await served.stopped.wait()


async def send_until_broken(stream: trio.SocketStream, data: bytes) -> None:
    with suppress(trio.BrokenResourceError):
        await stream.send_all(data)


async def test_a_body_of_the_largest_size_is_read_in_pieces() -> None:
    body = CALL + b" " * (1_048_576 - len(CALL))
    async with serving() as served:
        assert (await served.fetch("POST", "/rpc", body)).status == 200


HEAD = request("POST", "/rpc", content_length="1000")


@pytest.mark.parametrize(
    ("begun", "dribble"),
    [(HEAD, b" "), (HEAD[:-2], b"x"), (b"P", b"x")],
    ids=["body", "header", "first line"],
)
async def test_a_request_that_dribbles_is_cut_off(
    begun: bytes, dribble: bytes, autojump_clock: trio.testing.MockClock
) -> None:
    async with serving(read_s=0.2) as served, await served.connect() as stream:
        await stream.send_all(begun)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send_slowly, stream, dribble)
            assert (await read_page(stream)).status == 408
            await wait_closed(stream)
            nursery.cancel_scope.cancel()


async def test_a_second_request_that_stalls_is_cut_off_as_well(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with serving(read_s=0.2) as served, await served.connect() as stream:
        await stream.send_all(request("GET", "/health"))
        assert (await read_page(stream)).status == 200
        await stream.send_all(HEAD[:20])
        assert (await read_page(stream)).status == 408
        await wait_closed(stream)


async def wait_closed(stream: trio.SocketStream) -> None:
    """Until the end, or a reset where something was on its way to a socket that was closed."""
    with suppress(trio.BrokenResourceError):
        assert await stream.receive_some() == b""


async def send_slowly(stream: trio.SocketStream, piece: bytes) -> None:
    with suppress(trio.BrokenResourceError):
        while True:
            await stream.send_all(piece)
            await trio.sleep(0.02)


async def test_a_kept_connection_may_rest_longer_than_a_request_may_take(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def slow(_request: SearchRequest) -> SearchAnswer:
        await trio.sleep(0.3)
        return found()

    async with serving(read_s=0.1) as served, await served.connect() as stream:
        served.services.main.on_search = slow
        for _ in range(2):
            await stream.send_all(
                request("POST", "/rpc", json.dumps(call("recall.search", query="x")).encode())
            )
            assert "result" in (await read_page(stream)).json
            await trio.sleep(0.2)


@pytest.mark.parametrize(
    "wire",
    [
        request("GET", "/health"),
        request("GET", "/nope") + request("GET", "/health"),
        request("GET", "/health") + b"garbage\r\n\r\n",
        request("POST", "/rpc", CALL)[:-5],
        b"GET /hea",
    ],
)
async def test_connections_that_were_closed_count_no_more(wire: bytes) -> None:
    async with serving(connections=2) as served:
        for _ in range(5):
            async with await served.connect() as stream:
                await stream.send_all(wire)
                await stream.send_eof()
                with suppress(trio.BrokenResourceError):
                    async for _part in stream:
                        pass
            while True:
                if (await served.post(call("status"))).status == 200:
                    break
                await trio.sleep(0.01)  # the last one is not quite gone


async def test_a_half_closed_request_is_answered() -> None:
    async def slow(_request: SearchRequest) -> SearchAnswer:
        await trio.sleep(0.2)
        return found()

    async with serving() as served, await served.connect() as stream:
        served.services.main.on_search = slow
        await stream.send_all(request("POST", "/rpc", json.dumps(call("recall.search", query="x")).encode()))
        await stream.send_eof()
        assert "result" in (await read_page(stream)).json


async def test_pipelined_requests_are_answered_in_order() -> None:
    async with serving() as served, await served.connect() as stream:
        wire = [request("POST", "/rpc", json.dumps(call("status", call_id=n)).encode()) for n in (1, 2)]
        await stream.send_all(b"".join(wire))
        text = b""
        while text.count(b'"id":') < 2:
            text += await stream.receive_some()
    assert text.index(b'"id":1') < text.index(b'"id":2')


async def test_neither_websockets_nor_http_2_are_spoken() -> None:
    async with serving() as served:
        page = await served.fetch(
            "GET",
            "/rpc",
            connection="upgrade",
            upgrade="websocket",
            sec_websocket_version="13",
            sec_websocket_key="dGhlIHNhbXBsZSBub25jZQ==",
        )
        assert page.status == 403
        async with await served.connect() as stream:
            client = h2.connection.H2Connection(h2.config.H2Configuration())
            client.initiate_connection()
            headers = [(":method", "GET"), (":path", "/health"), (":scheme", "http"), (":authority", "memd")]
            client.send_headers(1, headers, end_stream=True)
            await stream.send_all(client.data_to_send())
            statuses: list[bytes | str] = []
            while not statuses:
                for event in client.receive_data(bytes(await stream.receive_some())):
                    found_headers = dict(getattr(event, "headers", ()))
                    statuses += [
                        value for name, value in found_headers.items() if name in {":status", b":status"}
                    ]
        assert statuses in (["505"], [b"505"])


async def test_a_bug_in_a_page_is_a_plain_500() -> None:
    def fail() -> list[Sample]:
        raise ValueError("a note's text")

    async with serving() as served:
        served.services.measure = fail  # type: ignore[method-assign]
        with capture_logs():
            page = await served.fetch("GET", "/metrics")
        assert (page.status, page.body) == (500, b"")
        assert (await served.post(call("status"))).status == 200


async def test_numbers_are_shown_without_what_cannot_be_looked_at(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with serving() as served:
        served.services.on_status = trio.sleep_forever
        text = (await served.fetch("GET", "/metrics")).body.decode()
        assert "memd_healthy 1\n" in text
        assert "memd_state" not in text
        served.services.on_status = None
        text = (await served.fetch("GET", "/metrics")).body.decode()
        assert 'memd_state{state="ok"} 1\n' in text
        assert "memd_status_seconds " in text
