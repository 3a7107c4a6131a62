"""A connection whose reader must read and whose writer may vanish."""

import trio

from openclaw_memd.gateway.peers import has_room, has_vanished

WRITE_S = 5.0
"""How long a peer may leave an answer unread; local sockets take any answer in milliseconds."""

LINGER_S = 0.5
"""How long a peer that is turned away may go on sending. A socket that is closed with something unread in it
tells the peer of a reset, which may hide the answer that it got.
"""

_GONE_POLL_S = 0.05
_ROOM_POLL_S = 0.05


class BoundedStream(trio.abc.HalfCloseableStream):
    """A socket stream that gives up on a peer that does not read.

    The deadline is inside ``send_all``, where it also ends a send that a caller shields from cancellation.
    ``active_at`` is when something last came or went, in trio's time.
    """

    def __init__(self, stream: trio.SocketStream, *, write_s: float = WRITE_S) -> None:
        self._stream = stream
        self._write_s = write_s
        self.socket = stream.socket
        self.active_at = trio.current_time()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send everything in time, or break the stream.

        Raises:
            trio.BrokenResourceError: the peer is gone or does not read.
        """
        with trio.move_on_after(self._write_s) as scope:
            await self._stream.send_all(data)
        self.active_at = trio.current_time()
        if scope.cancelled_caught:
            self.close_now()
            raise trio.BrokenResourceError("the peer does not read")

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until there is room to send."""
        await self._stream.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        """End our sending."""
        await self._stream.send_eof()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """What has come; nothing at the end of the peer's sending."""
        data = await self._stream.receive_some(max_bytes)
        self.active_at = trio.current_time()
        return data

    async def aclose(self) -> None:
        """Close the socket."""
        await self._stream.aclose()

    async def send_last(self, data: bytes) -> None:
        """Send something, end our sending, and throw away what the peer still sends for a moment.

        Raises:
            trio.BrokenResourceError: the peer is gone or does not read.
        """
        await self.send_all(data)
        await self.send_eof()
        with trio.move_on_after(LINGER_S):
            while await self._stream.receive_some():
                pass

    def close_now(self) -> None:
        """Close the socket at once; whoever waits on it gets ``trio.ClosedResourceError``."""
        self.socket.close()

    async def wait_vanished(self) -> None:
        """Wait until the peer's socket is closed; one that only ended its sending still reads.

        No event tells the two apart, so the kernel is asked now and then.
        """
        while True:
            if has_vanished(self.socket.fileno()):
                return
            await trio.sleep(_GONE_POLL_S)

    async def wait_room(self) -> None:
        """Wait, however long, until a short message can be sent at once.

        Only one task may wait for a socket, and whoever sends an answer does; so the kernel is asked.
        """
        while True:
            if has_room(self.socket.fileno()):
                return
            await trio.sleep(_ROOM_POLL_S)


async def take(lock: trio.Lock | trio.Semaphore) -> None:
    """Acquire; when that is possible at once, without a turn of the scheduler."""
    try:
        lock.acquire_nowait()
    except trio.WouldBlock:
        await lock.acquire()
