"""Lines and texts as hashes: what a ledger keeps of them, and what receipts carry."""

import unicodedata
from collections.abc import Iterable
from hashlib import blake2b, sha256
from typing import Final

HASH_BYTES: Final = 16
BLANK: Final = b""


def normalize_line(line: str) -> str:
    """The line in NFC and without trailing white space, a carriage return among it."""
    bare = line.rstrip()
    return bare if bare.isascii() else unicodedata.normalize("NFC", bare)


def hash_line(line: str) -> bytes:
    """BLAKE2b of the normalised line, 16 bytes; ``BLANK`` for a line of white space alone."""
    bare = normalize_line(line)
    if not bare:
        return BLANK
    return blake2b(bare.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def hash_lines(lines: Iterable[str]) -> list[bytes]:
    """``hash_line`` of each of ``lines`` that is not blank."""
    # In one piece: a file has thousands, and the calls would take longer than the hashes.
    hashes = []
    for line in lines:
        bare = line.rstrip()
        if bare:
            if not bare.isascii():
                bare = unicodedata.normalize("NFC", bare)
            hashes.append(blake2b(bare.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest())
    return hashes


def hash_text(text: str) -> str:
    """SHA-256 of a text without its last line end, in hex: what the receipt of a write carries."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def pack_hashes(hashes: Iterable[bytes]) -> bytes:
    """Hashes of 16 bytes, one after the other."""
    return b"".join(hashes)


def unpack_hashes(data: bytes) -> list[bytes]:
    """What ``pack_hashes`` packed."""
    return [data[start : start + HASH_BYTES] for start in range(0, len(data), HASH_BYTES)]
