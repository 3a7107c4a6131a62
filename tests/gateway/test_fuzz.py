"""Garbage of every kind never ends the daemon, and each piece gets a well-formed answer or the end."""

import json
import os
import random
from typing import Any

import pytest
import trio

from tests.gateway.clients import Served, call, request, serving

REQUESTS = int(os.environ.get("MEMD_FUZZ_REQUESTS", "500"))
SEED = int(os.environ.get("MEMD_FUZZ_SEED", "0"))

METHODS = [
    "status",
    "recall.search",
    "recall.get",
    "index.sync",
    "job.list",
    "job.cancel",
    "rpc.discover",
    "x",
]
NAMES = [
    "query",
    "path",
    "from",
    "context",
    "deadline_ms",
    "limit",
    "id",
    "wait",
    "sender",
    "agent",
    "\0",
    "",
]


def random_value(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(9 if depth < 4 else 7)
    if kind == 7:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 8:
        return {rng.choice(NAMES): random_value(rng, depth + 1) for _ in range(rng.randrange(4))}
    return [
        None,
        rng.random() < 0.5,
        rng.choice([0, -1, 2**31, 2**63, -(2**70)]),
        rng.choice([0.5, -0.0, 1e308]),
        "".join(
            chr(rng.choice([0, 10, 34, 92, 0x301, 0x202E, 0x4E2D, 0x1F600])) for _ in range(rng.randrange(20))
        ),
        rng.choice(METHODS),
        "x" * rng.choice([0, 100, 5000]),
    ][kind]


def random_message(rng: random.Random) -> bytes:
    message: Any = call(rng.choice(METHODS), call_id=random_value(rng, 4))
    message["params"] = random_value(rng, rng.randrange(3))
    if rng.random() < 0.2:
        message = [message if rng.random() < 0.7 else random_value(rng) for _ in range(rng.randrange(40))]
    elif rng.random() < 0.2:
        message = random_value(rng)
    return json.dumps(message, ensure_ascii=rng.random() < 0.5).encode()


def spoil(rng: random.Random, data: bytes) -> bytes:
    """``data`` with bytes changed, cut, doubled or put in, or all garbage."""
    kind = rng.randrange(6)
    spoiled = bytearray(data)
    place = rng.randrange(len(spoiled) + 1)
    if kind == 0:
        del spoiled[place:]
    elif kind == 1:
        spoiled[place:place] = rng.randbytes(rng.randrange(1, 30))
    elif kind == 2:
        spoiled[place:place] = spoiled[:place]
    elif kind == 3:
        spoiled[place:place] = rng.choice([b"[" * 5000, b"\\ud800", b"NaN", b"\r\n", b"\0", b"9" * 500])
    elif kind == 4:
        spoiled = bytearray(rng.randbytes(rng.randrange(200)))
    return bytes(spoiled)


def assert_well_formed(raw: bytes) -> None:
    answer = json.loads(raw)
    for one in answer if isinstance(answer, list) else [answer]:
        assert one["jsonrpc"] == "2.0"
        assert "id" in one
        assert ("result" in one) != ("error" in one)
        if "error" in one:
            assert isinstance(one["error"]["code"], int)
            assert one["error"]["data"]["ref"]
            assert "Traceback" not in raw.decode()


async def exchange(served: Served, data: bytes) -> bytes:
    """Everything that the server says to ``data``."""
    said = bytearray()
    async with await served.connect() as stream, trio.open_nursery() as nursery:

        async def send() -> None:
            try:
                await stream.send_all(data)
                await stream.send_eof()
            except trio.BrokenResourceError:
                pass

        nursery.start_soon(send)
        try:
            async for part in stream:
                said += part
        except trio.BrokenResourceError:
            pass
    return bytes(said)


def check_http(said: bytes) -> None:
    while said:
        head, found, rest = said.partition(b"\r\n\r\n")
        assert found
        assert head.startswith(b"HTTP/1.1 ")
        headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(headers.get(b"content-length", b"0"))
        if len(rest) < length:  # cut off, since the rest of the request made no sense
            return
        if headers.get(b"content-type") == b"application/json":
            body = json.loads(rest[:length])
            assert body
        said = rest[length:]


@pytest.mark.fuzz
@pytest.mark.parametrize("protocol", ["line", "http"])
async def test_garbage_is_answered_and_survived(protocol: str) -> None:
    rng = random.Random(f"{SEED} {protocol}")
    rounds = REQUESTS // 2
    async with serving(read_s=2, limit_s=60 + rounds / 10) as served:
        for number in range(rounds):
            message = random_message(rng)
            if protocol == "line":
                wire = b"\n".join(
                    random_message(rng) if rng.random() < 0.5 else spoil(rng, message) for _ in range(3)
                )
            else:
                wire = request(rng.choice(["POST", "GET", "PUT"]), rng.choice(["/rpc", "/health"]), message)
                wire = spoil(rng, wire)
            said = await exchange(served, wire)
            if said.startswith(b"HTTP/"):
                check_http(said)
            else:
                for line in said.split(b"\n")[:-1]:
                    assert_well_formed(line)
            if number % 50 == 0:
                async with served.lines() as client:
                    assert "result" in await client.call("status")
        async with served.lines() as client:
            assert "result" in await client.call("status")
