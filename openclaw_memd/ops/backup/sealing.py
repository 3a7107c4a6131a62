"""A gzip file whose last bytes seal it: no byte of it can be changed, lost or added unnoticed.

The seal is an empty gzip member, so that ``tar xzf`` and ``gzip -t`` read the file like any other. Its extra
field (RFC 1952, 2.3.1.1) has SHA-256 of all bytes before it and their number.
"""

import hashlib
import struct
import zlib
from typing import BinaryIO, Final

from openclaw_memd.ops.backup.manifest import ArchiveError

_LEVEL: Final = 6
_GZIP: Final = 31  # zlib: the largest window, in a gzip frame
_HEAD: Final = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff" + struct.pack("<H", 44) + b"MD" + struct.pack("<H", 40)
_TAIL: Final = b"\x03\x00" + bytes(8)  # an empty block, checksum and length of nothing
SEAL_BYTES: Final = len(_HEAD) + 40 + len(_TAIL)
PIECE_BYTES: Final = 256 * 1024


class SealedWriter:
    """Compresses what is written to it into ``file``; ``close`` seals it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._hash = hashlib.sha256()
        self._size = 0

    def write(self, data: bytes) -> None:
        """Add ``data``."""
        self._put(self._deflate.compress(data))

    def close(self) -> None:
        """End the compressed data and seal it. The file stays open."""
        self._put(self._deflate.flush())
        self._file.write(_HEAD + self._hash.digest() + struct.pack("<Q", self._size) + _TAIL)

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._hash.update(data)
        self._size += len(data)


class SealedReader:
    """Reads back what was written, after all bytes of the file were compared with its seal.

    Memory is bounded whatever the file holds.
    """

    def __init__(self, file: BinaryIO) -> None:
        """Read ``file`` through, from its start.

        Raises:
            ArchiveError: it is not as it was sealed.
            OSError: it cannot be read.
        """
        self._file = file
        self._left = _check_seal(file)
        file.seek(0)
        self._inflate = zlib.decompressobj(_GZIP)
        self._ready = b""

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes; fewer only at the end. Errors as when it was opened."""
        while len(self._ready) < size and not self._inflate.eof:
            self._ready += self._next()
        data, self._ready = self._ready[:size], self._ready[size:]
        return data

    def _next(self) -> bytes:
        data = self._inflate.unconsumed_tail
        if not data:
            data = self._file.read(min(PIECE_BYTES, self._left))
            self._left -= len(data)
            if not data:
                raise ArchiveError("it ends too early")
        try:
            found = self._inflate.decompress(data, PIECE_BYTES)
        except zlib.error:
            raise ArchiveError("it cannot be decompressed") from None
        if self._inflate.eof and (self._inflate.unused_data or self._left):
            raise ArchiveError("there is something behind its end")
        return found


def _check_seal(file: BinaryIO) -> int:
    """The number of bytes before the seal."""
    size = file.seek(0, 2) - SEAL_BYTES
    file.seek(max(size, 0))
    seal = file.read(SEAL_BYTES)
    body = seal[len(_HEAD) : -len(_TAIL)]
    if size < 0 or not seal.startswith(_HEAD) or not seal.endswith(_TAIL):
        raise ArchiveError("it is no archive of memd, or its end is missing")
    file.seek(0)
    found = hashlib.sha256()
    left = size
    while left and (data := file.read(min(left, PIECE_BYTES))):
        found.update(data)
        left -= len(data)
    if body != found.digest() + struct.pack("<Q", size):
        raise ArchiveError("it is damaged: its bytes are not those that were sealed")
    return size
