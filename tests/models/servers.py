"""A small HTTP server on loopback that answers as a test says."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import h11
import trio

from tests.fakes import HashEmbedder


@dataclass(frozen=True, slots=True)
class Received:
    """A request that came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer. ``hang`` sends nothing; ``cut`` closes and ``stall`` stops within the body."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False
    cut: bool = False
    stall: bool = False


@dataclass(slots=True)
class Server:
    """A running server: where it is and what came."""

    url: str
    received: list[Received] = field(default_factory=list)


Answer = Callable[[Received], Awaitable[Reply]]


class Provider:
    """Answers for ``serving``: the next of ``script``, then ``otherwise``."""

    def __init__(self, otherwise: Reply | Callable[[Received], Reply]) -> None:
        self.script: list[Reply | Callable[[Received], Reply]] = []
        self.otherwise = otherwise
        self.server: Server

    async def answer(self, received: Received) -> Reply:
        reply = self.script.pop(0) if self.script else self.otherwise
        return reply if isinstance(reply, Reply) else reply(received)

    @property
    def bodies(self) -> list[Any]:
        return [received.json for received in self.server.received]


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[Server]:
    """Serve while the block runs."""
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    server = Server(f"http://127.0.0.1:{listener.socket.getsockname()[1]}")

    async def handle(stream: trio.SocketStream) -> None:
        connection = h11.Connection(h11.SERVER)
        try:
            while await _exchange(stream, connection, server, answer):
                connection.start_next_cycle()
        except (trio.BrokenResourceError, h11.RemoteProtocolError):
            pass

    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, handle, [listener])
        yield server
        nursery.cancel_scope.cancel()


async def _exchange(
    stream: trio.SocketStream, connection: h11.Connection, server: Server, answer: Answer
) -> bool:
    request, body = None, b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await stream.receive_some())
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            break
        else:
            return False
    assert request is not None
    headers = {name.decode(): value.decode() for name, value in request.headers}
    received = Received(request.method.decode(), request.target.decode(), headers, body)
    server.received.append(received)
    reply = await answer(received)
    if reply.hang:
        await trio.sleep_forever()
    length = len(reply.body) + (10 if reply.cut or reply.stall else 0)
    sent = {"content-length": str(length), "content-type": "application/json", **reply.headers}
    head = h11.Response(status_code=reply.status, headers=list(sent.items()))
    await stream.send_all(connection.send(head) or b"")
    await stream.send_all(connection.send(h11.Data(data=reply.body)) or b"")
    if reply.stall:
        await trio.sleep_forever()
    if reply.cut:
        return False
    await stream.send_all(connection.send(h11.EndOfMessage()) or b"")
    return bool(connection.our_state is h11.DONE and connection.their_state is h11.DONE)


def embeddings(texts: list[str], *, dims: int = 32) -> Reply:
    """A right answer for ``texts``."""
    embedder = HashEmbedder(dims=dims)
    data = [
        {"object": "embedding", "index": index, "embedding": embedder.vector(text).tolist()}
        for index, text in enumerate(texts)
    ]
    return Reply(body=json.dumps({"object": "list", "data": data}).encode())


def refusal(
    status: int, *, message: str = "", headers: Mapping[str, str] | None = None, **error: str
) -> Reply:
    """A refusal in the shape of OpenAI's."""
    return Reply(status, json.dumps({"error": {"message": message, **error}}).encode(), headers or {})
