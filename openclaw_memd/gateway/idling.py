"""Connections that nobody uses: the one that has been silent longest makes room when all are taken."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import trio

from openclaw_memd.gateway.stream import BoundedStream

IDLE_S: Final = 60.0
"""How long a connection must have been silent before it may be closed for another."""


class IdleConnections:
    """The connections that are served, and whether each has something in flight."""

    def __init__(self) -> None:
        self._served: dict[BoundedStream, Callable[[], bool]] = {}

    @contextmanager
    def watched(self, stream: BoundedStream, is_busy: Callable[[], bool]) -> Iterator[None]:
        """Serve ``stream`` meanwhile; ``is_busy`` tells whether a call of it is in flight."""
        self._served[stream] = is_busy
        try:
            yield
        finally:
            self._served.pop(stream, None)

    def close_longest(self) -> trio.socket.SocketType | None:
        """Close the connection that has been silent longest; its socket, or None when none may be closed."""
        latest = trio.current_time() - IDLE_S
        idle = [
            stream for stream, is_busy in self._served.items() if stream.active_at < latest and not is_busy()
        ]
        if not idle:
            return None
        longest = min(idle, key=lambda stream: stream.active_at)
        del self._served[longest]
        longest.close_now()
        return longest.socket
