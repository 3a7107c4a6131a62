"""hypercorn's connection server on streams that memd accepted itself.

Four names that hypercorn does not document are used, all here: ``TCPServer``, ``WorkerContext``,
``ASGIWrapper`` and ``ConnectionState``.
"""

import contextlib
import logging
import math
import re

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ASGIFramework, ConnectionState

from openclaw_memd.config.schema import Limits
from openclaw_memd.gateway.stream import LINGER_S, BoundedStream, take

REQUEST_LINE = re.compile(rb"[!-~]+ [^ ]+ HTTP/[0-9]\.[0-9]\r?")
"""Enough of RFC 9112, section 3, to tell a request from anything else; hypercorn judges the rest."""

_NO_REQUEST = (
    400,
    "Bad Request",
    "not an HTTP request; a JSON-RPC line begins with a brace or a bracket",
)
_INCOMPLETE = (400, "Bad Request", "the header is incomplete")
_TOO_SLOW = (408, "Request Timeout", "the header took too long")

KEEP_ALIVE_S = 300
"""How long a connection may be idle between requests; runtimes may keep one."""


class RequestStream(BoundedStream):
    """A stream on which the header of a request must come within ``read_s`` of its first byte.

    hypercorn waits for the blank line after a header. So what never gets one is refused here: a first line
    that is no request line at once, half a header when its time is over or nothing more can come.

    Once nothing more can come and every request has its answer, ``ended`` is cancelled: hypercorn would keep
    such a connection as long as an idle one.
    """

    def __init__(self, stream: trio.SocketStream, *, read_s: float) -> None:
        super().__init__(stream)
        self.ended = trio.CancelScope()
        self._read_s = read_s
        self._requests = 0
        self._expects_header = True
        self._reading = trio.CancelScope()
        self._due_at = math.inf
        self._at_end = trio.Event()
        self._lingers = False
        self._sending = trio.Lock()
        self._first_line: bytearray | None = bytearray()
        self._is_http_2 = False
        self.was_refused = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send everything in time, or break the stream. hypercorn may end its sending meanwhile."""
        await take(self._sending)
        try:
            await super().send_all(data)
        finally:
            self._sending.release()

    async def send_eof(self) -> None:
        """End our sending, after what is being sent."""
        async with self._sending:
            await super().send_eof()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """What has come; nothing at the end, and when no header will come of it."""
        data: bytes | bytearray = b""
        try:
            with trio.CancelScope(deadline=self._due_at) as self._reading:
                data = await super().receive_some(max_bytes)
            if not self._begins_well(data):
                data = b""
                await self._turn_away(*_NO_REQUEST)
        finally:
            if not data:
                self._at_end.set()
                await trio.lowlevel.checkpoint()  # a request that came just before is begun by then
                if self._due_at < math.inf and not self.was_refused:
                    await self._turn_away(*(_TOO_SLOW if self._reading.cancelled_caught else _INCOMPLETE))
                self._end_if_done()
        if data and self._expects_header and self._due_at == math.inf:
            self._due_at = trio.current_time() + self._read_s
        return data

    def _begins_well(self, data: bytes | bytearray) -> bool:
        """Whether what came so far may begin an HTTP connection."""
        if self._first_line is None:
            return True
        self._first_line += data
        line, feed, _ = self._first_line.partition(b"\n")
        if feed:
            self._first_line = None
            self._is_http_2 = line.startswith(b"PRI ")
        return not feed or REQUEST_LINE.fullmatch(line) is not None

    async def _turn_away(self, status: int, reason: str, text: str) -> None:
        self.was_refused = True
        if self._is_http_2:  # it speaks in frames by now
            return
        page = (
            f"HTTP/1.1 {status} {reason}\r\ncontent-type: text/plain; charset=utf-8\r\n"
            f"content-length: {len(text) + 1}\r\nconnection: close\r\n\r\n{text}\n"
        )
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self.send_last(page.encode())

    @property
    def is_busy(self) -> bool:
        """Whether a request is in flight."""
        return self._requests > 0

    def begin_request(self) -> None:
        """The header is complete; whoever reads the body has deadlines of its own."""
        self._requests += 1
        self._expects_header = False
        self._first_line = None
        self._due_at = self._reading.deadline = math.inf

    def begin_answer(self) -> None:
        """The answer is about to be sent; what comes after it is the next request."""
        self._expects_header = True

    def end_request(self) -> None:
        """The request is answered."""
        self._requests -= 1
        self._expects_header = True
        self._end_if_done()

    def _end_if_done(self) -> None:
        if self._at_end.is_set() and not self._requests:
            self.ended.cancel()

    def linger(self) -> None:
        """Close only when the peer has, or after a moment: it is turned away and may still be sending."""
        self._lingers = True

    async def aclose(self) -> None:
        """Close the socket. What a lingering peer sends meanwhile is read by hypercorn and goes nowhere."""
        if self._lingers and not self._at_end.is_set():
            with trio.move_on_after(LINGER_S):
                await self.wait_vanished()
        self._at_end.set()
        self._end_if_done()  # hypercorn may be waiting for its turn to read what can no longer come
        await super().aclose()


class HttpServer:
    """Serves HTTP/1.1 on connections, one at a time each."""

    def __init__(self, limits: Limits) -> None:
        self._config = Config()
        self._config.accesslog = None
        self._config.errorlog = logging.getLogger("memd.http")
        self._config.include_server_header = False
        self._config.h11_max_incomplete_size = limits.header_bytes
        self._config.keep_alive_timeout = KEEP_ALIVE_S
        self._config.keep_alive_max_requests = 2**62
        self._context = WorkerContext(None)

    async def serve(self, stream: RequestStream, app: ASGIFramework) -> None:
        """Serve one connection until it ends."""
        with stream.ended:
            await TCPServer(
                ASGIWrapper(app),
                self._config,
                self._context,
                ConnectionState({}),
                stream,  # type: ignore[arg-type]  # it declares TLS and takes anything with these five methods
            )

    async def stop(self) -> None:
        """Close idle connections now and the others after the answer that they wait for."""
        await self._context.terminated.set()
