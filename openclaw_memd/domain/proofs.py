"""Proving that the part of a growing file that was read is still the same, mostly without reading all of it.

Three digests stand for the first ``offset`` bytes: one of their first block, one of the end (the last whole
block and what follows it), and one chained over all whole blocks. The first two are compared at every growth
and cost at most three blocks. The chain costs the whole part, and is for when there is reason to doubt. All
three grow with the file, so nothing is read again to extend them but the end, which is compared anyhow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

BLOCK_BYTES: Final = 64 * 1024

ReadBytes = Callable[[int, int], bytes]
"""From an offset and a number of bytes to those bytes, fewer at the end of the file."""

_NOTHING: Final = sha256().digest()


@dataclass(frozen=True, slots=True)
class Proof:
    """The digests of a file's first ``offset`` bytes."""

    offset: int = 0
    head: bytes = _NOTHING
    tail: bytes = _NOTHING
    chain: bytes = _NOTHING


NO_PROOF: Final = Proof()


class Prover:
    """A proof that grows with what is read."""

    def __init__(self) -> None:
        self._offset = 0
        self._head = bytearray()
        self._chain = _NOTHING
        self._end = bytearray()  # from the start of the last whole block

    @classmethod
    def resume(cls, proof: Proof, read: ReadBytes, *, whole: bool) -> Self | None:
        """Go on from ``proof`` if the file still begins with what it covers, else None.

        With ``whole`` every byte is compared, else only the two ends.
        """
        prover = cls()
        if proof.offset == 0:
            return prover
        head = read(0, min(BLOCK_BYTES, proof.offset))
        start = _end_start(proof.offset)
        end = read(start, proof.offset - start)
        if len(end) != proof.offset - start or sha256(end).digest() != proof.tail:
            return None
        if sha256(head).digest() != proof.head:
            return None
        if whole and _chain(read, proof.offset) != proof.chain:
            return None
        prover._offset, prover._head, prover._chain = proof.offset, bytearray(head), proof.chain
        prover._end = bytearray(end)
        return prover

    @property
    def offset(self) -> int:
        """How many bytes the proof covers."""
        return self._offset

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take the next bytes of the file into the proof."""
        view = memoryview(data)
        while view:
            filled = self._offset % BLOCK_BYTES
            piece = view[: BLOCK_BYTES - filled]
            view = view[len(piece) :]
            if self._offset < BLOCK_BYTES:
                self._head += piece
            self._end += piece
            self._offset += len(piece)
            if self._offset % BLOCK_BYTES == 0:
                self._chain = sha256(self._chain + self._end[-BLOCK_BYTES:]).digest()
                del self._end[:-BLOCK_BYTES]

    def proof(self) -> Proof:
        """The proof of all that was fed."""
        return Proof(self._offset, sha256(self._head).digest(), sha256(self._end).digest(), self._chain)


def _end_start(offset: int) -> int:
    return max(0, offset // BLOCK_BYTES - 1) * BLOCK_BYTES


def _chain(read: ReadBytes, offset: int) -> bytes:
    chain = _NOTHING
    for start in range(0, offset - offset % BLOCK_BYTES, BLOCK_BYTES):
        block = read(start, BLOCK_BYTES)
        if len(block) != BLOCK_BYTES:
            return b""
        chain = sha256(chain + block).digest()
    return chain
