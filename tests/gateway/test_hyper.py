"""Each undocumented name of hypercorn, driven alone, so that an update that moves one is noticed here."""

import inspect

import trio
import trio.testing
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, ConnectionState, Scope

from tests.gateway.clients import read_page, request


async def app(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok", "more_body": False})


def pair() -> tuple[trio.SocketStream, trio.SocketStream]:
    one, other = trio.socket.socketpair()
    return trio.SocketStream(one), trio.SocketStream(other)


async def test_a_server_of_one_connection_is_awaited_on_a_stream(nursery: trio.Nursery) -> None:
    ours, theirs = pair()

    async def serve() -> None:
        await TCPServer(ASGIWrapper(app), Config(), context, ConnectionState({}), ours)  # type: ignore[arg-type]
        ended.set()

    context = WorkerContext(None)
    ended = trio.Event()
    nursery.start_soon(serve)
    async with theirs:
        await theirs.send_all(request("GET", "/"))
        assert (await read_page(theirs)).body == b"ok"
        await context.terminated.set()
        await ended.wait()


async def test_terminated_ends_an_idle_connection(nursery: trio.Nursery) -> None:
    context = WorkerContext(None)
    ours, theirs = pair()

    async def serve() -> None:
        await TCPServer(ASGIWrapper(app), Config(), context, ConnectionState({}), ours)  # type: ignore[arg-type]

    nursery.start_soon(serve)
    await trio.testing.wait_all_tasks_blocked()
    await context.terminated.set()
    async with theirs:
        assert await theirs.receive_some() == b""


def test_the_wrapper_takes_an_application_of_three_arguments() -> None:
    assert list(inspect.signature(ASGIWrapper).parameters) == ["app"]
    assert len(inspect.signature(ASGIWrapper.__call__).parameters) == 6


def test_the_settings_that_are_set_exist() -> None:
    names = [
        "accesslog",
        "errorlog",
        "include_server_header",
        "h11_max_incomplete_size",
        "keep_alive_timeout",
        "keep_alive_max_requests",
    ]
    assert all(hasattr(Config(), name) for name in names)
