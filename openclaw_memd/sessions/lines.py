"""Reading a growing file in slices of whole lines, in bounded memory, with a proof of what was read."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.proofs import Proof, Prover

PIECE_BYTES: Final = 64 * 1024
SLICE_BYTES: Final = 1024 * 1024
LINE_BYTES: Final = 8 * 1024 * 1024
"""Longer lines are left out."""

_LEFT_OUT_BYTES: Final = 4 * LINE_BYTES  # of one line, before the place is noted


@dataclass(frozen=True, slots=True)
class Slice:
    """Some whole lines, each with its offset and without what ends it, and the proof up to their end.

    ``too_long`` lines among them were left out; ``in_long_line`` means that the end lies inside another.
    ``is_last`` means that nothing follows but, perhaps, a line without an end.
    """

    lines: tuple[tuple[int, bytes], ...]
    proof: Proof
    in_long_line: bool
    too_long: int
    is_last: bool


def pread(descriptor: int) -> Callable[[int, int], bytes]:
    """A reader of the open file: from an offset and a length to bytes, fewer at its end only."""

    def read(offset: int, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            piece = os.pread(descriptor, min(PIECE_BYTES, length - len(data)), offset + len(data))
            if not piece:
                break
            data += piece
        return bytes(data)

    return read


class LineReader:
    """Reads an open file onwards from where ``prover`` ends, up to ``size`` bytes.

    A last line that nothing ends is left for later.
    """

    def __init__(self, descriptor: int, prover: Prover, size: int, *, in_long_line: bool) -> None:
        self._read = pread(descriptor)
        self._prover = prover
        self._size = size
        self._in_long_line = in_long_line

    def next(self) -> Slice | None:
        """The next slice, of about a mebibyte; None at the end.

        Raises:
            OSError: the file cannot be read.
        """
        begun = start = position = self._prover.offset
        buffer, end, too_long = bytearray(), 0, 0  # `end` follows the last line break in the buffer
        while position < self._size and position - begun < _LEFT_OUT_BYTES:
            if end and len(buffer) >= SLICE_BYTES:
                break
            piece = self._read(position, min(PIECE_BYTES, self._size - position))
            if not piece:
                break
            position += len(piece)
            if self._in_long_line:
                rest = self._leave_out(piece)
                if rest is None:
                    continue
                piece, start, too_long = rest, self._prover.offset, too_long + 1
            found = piece.rfind(b"\n")
            if found >= 0:
                end = len(buffer) + found + 1
            buffer += piece
            if not end and len(buffer) > LINE_BYTES:
                self._prover.feed(buffer)
                buffer, self._in_long_line = bytearray(), True
        taken = bytes(buffer[:end])
        self._prover.feed(taken)
        if self._prover.offset == begun:
            return None
        lines = tuple(_split(taken, start))
        kept = tuple((offset, line) for offset, line in lines if len(line) <= LINE_BYTES)
        too_long += len(lines) - len(kept)
        is_last = position == self._size
        return Slice(kept, self._prover.proof(), self._in_long_line, too_long, is_last)

    def _leave_out(self, piece: bytes) -> bytes | None:
        """What follows the end of the long line in ``piece``; None when it goes on."""
        end = piece.find(b"\n") + 1
        self._in_long_line = end == 0
        self._prover.feed(piece if end == 0 else piece[:end])
        return None if self._in_long_line else piece[end:]


def _split(data: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    offset = start
    for line in data.split(b"\n")[:-1]:
        text = line.removesuffix(b"\r")
        if offset == 0:
            text = text.removeprefix(b"\xef\xbb\xbf")
        if text.strip():
            yield offset, text
        offset += len(line) + 1
