"""Clients of both protocols, as plain as can be, and a gateway to call."""

import json
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.config.schema import Limits
from openclaw_memd.gateway.calls import Caller, Calls
from openclaw_memd.gateway.listener import open_listener
from openclaw_memd.gateway.methods import METHODS
from openclaw_memd.gateway.metrics import Metrics
from openclaw_memd.gateway.peers import Peer
from openclaw_memd.gateway.rpc import Dispatcher
from openclaw_memd.gateway.server import Gateway
from tests.gateway.fakes import FakeServices


def short_dir() -> tempfile.TemporaryDirectory[str]:
    """A folder whose path leaves room for a socket's name."""
    return tempfile.TemporaryDirectory(prefix="m", dir="/tmp")


class LineClient:
    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._buffer = b""

    async def send(self, *messages: object) -> None:
        await self.send_raw(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    async def send_raw(self, data: bytes) -> None:
        await self.stream.send_all(data)

    async def read(self) -> Any:
        """The next answer; None at the end."""
        while b"\n" not in self._buffer:
            data = await self.stream.receive_some()
            if not data:
                assert not self._buffer
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    async def call(self, method: str, /, **params: Any) -> Any:
        await self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return await self.read()


@dataclass
class Page:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def read_page(stream: trio.SocketStream) -> Page:
    """One answer with a content-length or no body."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = await stream.receive_some()
        assert more, "the server closed instead of answering"
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += await stream.receive_some()
    return Page(int(first.split()[1]), headers, body)


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """The bytes of one HTTP request; a header given as an empty string is left out."""
    given = {"host": "localhost", "content-type": "application/json", "content-length": str(len(body))}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items() if value)]
    return "\r\n".join([*lines, "", ""]).encode() + body


@dataclass
class Served:
    """A running gateway."""

    services: FakeServices
    path: Path
    nursery: trio.Nursery
    stopping: trio.Event = field(default_factory=trio.Event)
    stopped: trio.Event = field(default_factory=trio.Event)

    async def connect(self) -> trio.SocketStream:
        return await trio.open_unix_socket(self.path)

    @asynccontextmanager
    async def lines(self) -> AsyncIterator[LineClient]:
        async with await self.connect() as stream:
            yield LineClient(stream)

    async def fetch(self, method: str, path: str, body: bytes = b"", **headers: str) -> Page:
        async with await self.connect() as stream:
            await stream.send_all(request(method, path, body, **headers))
            return await read_page(stream)

    async def post(self, message: object) -> Page:
        return await self.fetch("POST", "/rpc", json.dumps(message).encode())


PEER = Peer(uid=0, pid=None)


@asynccontextmanager
async def dispatching(services: FakeServices, **limits: Any) -> AsyncIterator[Callable[[object], Any]]:
    """The dispatcher without a socket: a function from a message, or its bytes, to its answer or None."""
    bounds = Limits(**limits)
    metrics = Metrics()
    calls = Calls(METHODS, services, bounds, metrics)
    dispatcher = Dispatcher(calls, bounds, metrics)

    async def ask(message: object) -> Any:
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        answer = await dispatcher.answer(raw, Caller("line", PEER, trio.Semaphore(bounds.in_flight)))
        return json.loads(answer) if answer else None

    async with trio.open_nursery() as nursery:
        await nursery.start(services.jobs.run)
        await nursery.start(calls.run)
        yield ask
        nursery.cancel_scope.cancel()


def call(method: str, *, call_id: object = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}


@asynccontextmanager
async def serving(*, grace_s: float = 3.0, limit_s: float = 60.0, **limits: Any) -> AsyncIterator[Served]:
    """A gateway on a real socket."""
    with short_dir() as folder:
        listener = open_listener(Path(folder) / "run" / "memd.sock")
        assert listener.path is not None
        services = FakeServices()
        gateway = Gateway(services, Limits(**limits))

        async def serve(task_status: trio.TaskStatus[None]) -> None:
            try:
                await gateway.serve(
                    listener, stopping=served.stopping, grace_s=grace_s, task_status=task_status
                )
            finally:
                served.stopped.set()

        try:
            async with trio.open_nursery() as outer:
                await outer.start(services.jobs.run)
                async with trio.open_nursery() as nursery:
                    served = Served(services, listener.path, nursery)
                    await nursery.start(serve)
                    with trio.fail_after(limit_s):
                        yield served
                        served.stopping.set()
                        await served.stopped.wait()
                outer.cancel_scope.cancel()
        finally:
            listener.close()
