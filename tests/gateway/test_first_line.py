"""What a connection says first decides its protocol; what is neither gets one answer at once and the end."""

import json

import pytest
import trio
import trio.testing

from tests.gateway.clients import call, read_page, request, serving

HOUR_S = 3600.0


async def read_to_the_end(stream: trio.SocketStream) -> bytes:
    answer = b""
    while data := await stream.receive_some():
        answer += data
    return answer


@pytest.mark.parametrize(
    "first",
    [b"5", b"5\n", b"-1\n", b'"x"\n', b"\x16\x03\x01", b"\xef\xbb\xbf{}\n", b"}\n", b"\0", "é\n".encode()],
)
async def test_what_begins_neither_protocol_gets_one_error(first: bytes) -> None:
    async with serving(read_s=HOUR_S) as served, await served.connect() as stream:
        await stream.send_all(first)
        answer = json.loads(await read_to_the_end(stream))
    assert (answer["error"]["code"], answer["id"]) == (-32700, None)


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b"null",
        b"true",
        b"GET /health",
        b"GET  HTTP/1.1",
        b"GET /health HTTP/1.1 x",
        b"SSH-2.0-OpenSSH_9",
    ],
    ids=bytes.decode,
)
@pytest.mark.parametrize("feed", [b"\n", b"\r\n", b"\nmore\n"])
async def test_a_word_that_begins_no_request_is_refused_once_its_line_ends(line: bytes, feed: bytes) -> None:
    async with serving(read_s=HOUR_S) as served, await served.connect() as stream:
        await stream.send_all(line[:3])
        await stream.send_all(line[3:] + feed)
        page = await read_page(stream)
        assert (page.status, page.headers["connection"]) == (400, "close")
        assert page.body.endswith(b"\n")
        assert await stream.receive_some() == b""


@pytest.mark.parametrize(
    "half",
    [b"null", request("GET", "/health")[:30], request("GET", "/health")[:-2]],
    ids=["word", "line", "header"],
)
async def test_half_a_header_and_no_more_is_refused(half: bytes) -> None:
    async with serving(read_s=HOUR_S) as served, await served.connect() as stream:
        await stream.send_all(half)
        await stream.send_eof()
        answer = await read_to_the_end(stream)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("half", [b"{", b'{"jsonrpc":', b" ", b"["])
async def test_half_a_line_that_stalls_gets_one_error(
    half: bytes, autojump_clock: trio.testing.MockClock
) -> None:
    async with serving(read_s=0.2) as served, await served.connect() as stream:
        await stream.send_all(half)
        answer = json.loads(await read_to_the_end(stream))
    assert (answer["error"]["code"], answer["id"]) == (-32007, None)


async def test_a_request_that_comes_byte_by_byte_is_answered() -> None:
    async with serving() as served, await served.connect() as stream:
        for byte in request("POST", "/rpc", json.dumps(call("status")).encode()):
            await stream.send_all(bytes([byte]))
        assert (await read_page(stream)).json["result"]["state"] == "ok"


async def test_bytes_that_are_no_request_line_after_the_first_request_are_a_body() -> None:
    """Only the first line of a connection is looked at: later ones may come in pieces with what is before."""
    body = b"\n" * 100 + json.dumps(call("status")).encode() + b"\nhello\n"[:1]
    async with serving() as served, await served.connect() as stream:
        for _ in range(2):
            head = request("POST", "/rpc", content_length=str(len(body)))
            await stream.send_all(head)
            await trio.lowlevel.checkpoint()
            await stream.send_all(body)
            assert (await read_page(stream)).json["result"]["state"] == "ok"
