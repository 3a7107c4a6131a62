"""The line protocol: one JSON text a line, both ways."""

import trio

from openclaw_memd.config.schema import Limits
from openclaw_memd.errors import DeadlineError
from openclaw_memd.gateway.calls import Caller
from openclaw_memd.gateway.faults import Fault, encode_fault, make_fault
from openclaw_memd.gateway.rpc import Dispatcher, too_large
from openclaw_memd.gateway.stream import BoundedStream, take

_CHUNK_BYTES = 65536


class FrameTooLongError(Exception):
    """A line is over the limit."""


class FrameReader:
    """Lines from a stream, at most ``max_bytes`` long.

    Each must be complete within ``read_s`` of its first byte, or of being asked for, whichever is later.
    """

    def __init__(self, stream: BoundedStream, *, max_bytes: int, read_s: float) -> None:
        self._stream = stream
        self._max_bytes = max_bytes
        self._read_s = read_s
        self._buffer = bytearray()
        self._searched = 0
        self._due_at = 0.0

    async def next(self) -> bytes | None:
        """The next line that is not blank; None at the end. A last line needs no line feed.

        Raises:
            FrameTooLongError: it is over the limit.
            trio.TooSlowError: it did not come in time.
        """
        self._due_at = trio.current_time() + self._read_s
        while True:
            line = self._take_line()
            if line is None:
                chunk = await self._receive()
                if chunk:
                    self._add(chunk)
                    continue
                if not self._buffer:
                    return None
                line = bytes(self._buffer)
                self._buffer.clear()
            if len(line) > self._max_bytes:
                raise FrameTooLongError
            if line.strip():
                return line
            await trio.lowlevel.checkpoint()  # a flood of blank lines must not keep others waiting

    async def _receive(self) -> bytes | bytearray:
        if not self._buffer:  # between lines a peer may rest
            return await self._stream.receive_some(_CHUNK_BYTES)
        with trio.fail_at(self._due_at):
            return await self._stream.receive_some(_CHUNK_BYTES)

    def _take_line(self) -> bytes | None:
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            if len(self._buffer) > self._max_bytes:
                raise FrameTooLongError
            self._searched = len(self._buffer)
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def _add(self, chunk: bytes | bytearray) -> None:
        if not self._buffer:
            self._due_at = trio.current_time() + self._read_s
        self._buffer += chunk


class LineConnection:
    """One connection. Calls run at once, as many as it has places, and are answered as they finish.

    After the end of the peer's sending, or once the daemon stops, what still runs is answered; when the peer
    is gone it is cancelled.
    """

    def __init__(self, stream: BoundedStream, dispatcher: Dispatcher, caller: Caller, limits: Limits) -> None:
        self._stream = stream
        self._dispatcher = dispatcher
        self._caller = caller
        self._frames = FrameReader(stream, max_bytes=limits.body_bytes, read_s=limits.read_s)
        self._sending = trio.Lock()

    async def send(self, message: bytes) -> None:
        """Send one JSON text.

        Raises:
            trio.BrokenResourceError: the peer is gone or does not read.
            trio.ClosedResourceError: the connection was closed by us.
        """
        await take(self._sending)
        try:
            await self._stream.send_all(message + b"\n")
        finally:
            self._sending.release()

    async def serve(self, stopping: trio.Event) -> None:
        """Answer until the peer has no more, until it is gone, or until ``stopping``."""
        async with trio.open_nursery() as nursery:
            async with trio.open_nursery() as calls:
                reading = trio.CancelScope()
                nursery.start_soon(_cancel_when_set, stopping, reading)
                with reading:
                    await self._read(calls)
                nursery.start_soon(self._cancel_when_vanished, calls.cancel_scope)
            nursery.cancel_scope.cancel()

    async def _read(self, calls: trio.Nursery) -> None:
        try:
            while (frame := await self._frames.next()) is not None:
                await take(self._caller.places)
                calls.start_soon(self._answer, frame, calls.cancel_scope)
        except FrameTooLongError:
            await self._refuse(too_large("a line is too long", "body_bytes"))
        except trio.TooSlowError:
            await self._refuse(make_fault(DeadlineError.code, DeadlineError.kind, "a line took too long"))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            calls.cancel_scope.cancel()

    async def _answer(self, frame: bytes, calls: trio.CancelScope) -> None:
        try:
            answer = await self._dispatcher.answer(frame, self._caller)
            if answer:
                await self.send(answer)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            calls.cancel()
        finally:
            self._caller.places.release()

    async def _refuse(self, fault: Fault) -> None:
        async with self._sending:
            await self._stream.send_last(encode_fault(fault) + b"\n")

    async def _cancel_when_vanished(self, calls: trio.CancelScope) -> None:
        await self._stream.wait_vanished()
        calls.cancel()


async def _cancel_when_set(event: trio.Event, scope: trio.CancelScope) -> None:
    await event.wait()
    scope.cancel()
