"""Accepting connections for as long as the daemon lives, also after somebody removed its socket file."""

from collections.abc import Awaitable, Callable
from functools import partial

import structlog
import trio

from openclaw_memd.gateway.listener import AlreadyRunningError, Listener, SocketPathError

LOOK_EVERY_S = 2.0
"""How often the socket file is looked for: one ``lstat``, and soon enough for a client that tries again."""

log = structlog.get_logger("memd.gateway")


async def accept(
    listener: Listener,
    handle: Callable[[trio.SocketStream], Awaitable[object]],
    connections: trio.Nursery,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Hand each connection to ``handle`` in ``connections``, until cancelled; then the sockets are closed.

    A socket file that is ours is made again when it is lost. Connections that are open are not touched.
    """
    has_started = False
    while True:
        sockets = [trio.SocketListener(trio.socket.from_stdlib_socket(sock)) for sock in listener.sockets]
        async with trio.open_nursery() as nursery:
            await nursery.start(partial(trio.serve_listeners, handle, sockets, handler_nursery=connections))
            if not has_started:
                has_started = True
                task_status.started()
            await _remake_when_lost(listener)
            nursery.cancel_scope.cancel()


async def _remake_when_lost(listener: Listener) -> None:
    was_told = False
    while True:
        await trio.sleep(LOOK_EVERY_S)
        if not listener.is_lost():
            was_told = False
            continue
        try:
            listener.remake()
        except (AlreadyRunningError, SocketPathError) as error:
            if not was_told:
                log.warning(
                    "the socket file is lost and cannot be made again", error_type=type(error).__name__
                )
            was_told = True
        else:
            log.warning("the socket file was lost and is made again")
            return
