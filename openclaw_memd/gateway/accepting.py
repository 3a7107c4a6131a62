"""Accepting connections for as long as the daemon lives, also after somebody removed its socket file."""

import errno
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import structlog
import trio

from openclaw_memd.gateway.listener import AlreadyRunningError, Listener, SocketPathError

LOOK_EVERY_S = 2.0
"""How often the socket file is looked for: one ``lstat``, and soon enough for a client that tries again."""

EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
RETRY_S: Final = 0.1
"""After how long another ``accept`` is tried when the process or the system has no descriptor left."""

log = structlog.get_logger("memd.gateway")


class PatientListener(trio.abc.Listener[trio.SocketStream]):
    """Waits for a descriptor where trio's own would write a traceback ten times a second."""

    def __init__(self, listener: trio.SocketListener, on_exhausted: Callable[[], None]) -> None:
        self._listener = listener
        self._on_exhausted = on_exhausted

    async def accept(self) -> trio.SocketStream:
        """The next connection, once there is a descriptor for it."""
        while True:
            try:
                return await self._listener.accept()
            except OSError as error:
                if error.errno not in EXHAUSTED:
                    raise
                self._on_exhausted()
                await trio.sleep(RETRY_S)

    async def aclose(self) -> None:
        """Close the socket."""
        await self._listener.aclose()


async def accept(
    listener: Listener,
    handle: Callable[[trio.SocketStream], Awaitable[object]],
    connections: trio.Nursery,
    *,
    on_exhausted: Callable[[], None] = lambda: None,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Hand each connection to ``handle`` in ``connections``, until cancelled; then the sockets are closed.

    A socket file that is ours is made again when it is lost. Connections that are open are not touched.
    ``on_exhausted`` hears of each try for which there was no descriptor.
    """
    has_started = False
    while True:
        sockets = [
            PatientListener(trio.SocketListener(trio.socket.from_stdlib_socket(sock)), on_exhausted)
            for sock in listener.sockets
        ]
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
