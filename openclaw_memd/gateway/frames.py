"""Cutting a stream into lines, each bounded in length and time."""

from typing import Final

import trio

from openclaw_memd.gateway.stream import BoundedStream

_CHUNK_BYTES = 65_536

EDGE_BYTES: Final = 1_024
"""How much is kept of either end of a line that is too long."""


class FrameTooLongError(Exception):
    """A line is over the limit; ``head`` is how it begins. ``FrameReader.skip`` gets past it."""

    def __init__(self, head: bytes) -> None:
        super().__init__("a line is too long")
        self.head = head


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
            if line.strip():
                return line
            await trio.lowlevel.checkpoint()  # a flood of blank lines must not keep others waiting

    async def skip(self) -> bytes:
        """Throw away the line that was too long; how it ends.

        Raises:
            trio.TooSlowError: its end did not come in time.
        """
        buffer = self._buffer
        while (end := buffer.find(b"\n")) < 0:
            del buffer[:-EDGE_BYTES]
            chunk = await self._receive()
            if not chunk:
                end = len(buffer)
                break
            buffer += chunk
        tail = bytes(buffer[max(0, end - EDGE_BYTES) : end])
        del buffer[: end + 1]
        self._searched = 0
        return tail

    async def _receive(self) -> bytes | bytearray:
        if not self._buffer:  # between lines a peer may rest
            return await self._stream.receive_some(_CHUNK_BYTES)
        with trio.fail_at(self._due_at):
            return await self._stream.receive_some(_CHUNK_BYTES)

    def _take_line(self) -> bytes | None:
        end = self._buffer.find(b"\n", self._searched)
        if max(end, 0) > self._max_bytes or (end < 0 and len(self._buffer) > self._max_bytes):
            raise FrameTooLongError(bytes(self._buffer[:EDGE_BYTES]))
        if end < 0:
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
