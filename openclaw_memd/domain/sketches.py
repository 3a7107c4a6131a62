"""What is kept of a line so that near-duplicates of it are known later: hashes, never its words."""

import re
from array import array
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final

from openclaw_memd.domain.similarity import NEAR_DUPLICATE_JACCARD, jaccard, outline
from openclaw_memd.domain.text import Analyzer

_MARKERS: Final = re.compile(r"(?:\s|>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s))*")
_CACHED_WORDS: Final = 8192
_ODD: Final = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio
_ALL_BITS: Final = (1 << 64) - 1
_TENTHS: Final = round(NEAR_DUPLICATE_JACCARD * 10)


@dataclass(frozen=True, slots=True)
class Sketch:
    """A text without its words.

    ``words`` counts those that were analysed, ``decisive`` is a hash of the decisive ones in their order and
    ``shingles`` are hashes of the pairs of neighbours, as signed numbers of 64 bits.
    """

    words: int
    decisive: bytes
    shingles: frozenset[int]

    @property
    def keys(self) -> list[int]:
        """A few of the shingles; two near-duplicates have at least one key in common.

        Of sets with a Jaccard index of at least 0.9 each shares nine tenths of its members with the other, so
        the smallest common one is within the first tenth (and one more) of both.
        """
        number = len(self.shingles)
        return sorted(self.shingles)[: number - -(-number * _TENTHS // 10) + 1]


def sketch(text: str, analyzer: Analyzer) -> Sketch:
    """The sketch of ``text``."""
    found = outline(text, analyzer)
    hashes = [_hash_word(word) for word in found.words]
    decisive = [_hash_word(word) for word in found.decisive]
    pairs = pairwise(hashes) if len(hashes) != 1 else [(hashes[0], 0)]
    return Sketch(
        words=len(hashes),
        decisive=blake2b(array("Q", decisive).tobytes(), digest_size=8).digest(),
        shingles=frozenset(_mix(left, right) for left, right in pairs),
    )


def sketch_line(line: str, analyzer: Analyzer) -> Sketch:
    """The sketch of a line of Markdown without its markers."""
    return sketch(strip_markers(line), analyzer)


def strip_markers(line: str) -> str:
    """A line of Markdown without what it begins with as a list item, a quotation or a heading: editors number
    lists anew by themselves.
    """
    found = _MARKERS.match(line)
    return line if found is None else line[found.end() :]


def near_duplicate_sketches(left: Sketch, right: Sketch) -> bool:
    """Whether the texts of two sketches are near-duplicates (see ``near_duplicate``)."""
    return (
        left.decisive == right.decisive and jaccard(left.shingles, right.shingles) >= NEAR_DUPLICATE_JACCARD
    )


def pack_shingles(found: Sketch) -> bytes:
    """The shingles as bytes, eight each, in ascending order."""
    return array("q", sorted(found.shingles)).tobytes()


def unpack_shingles(data: bytes) -> frozenset[int]:
    """The shingles that ``pack_shingles`` packed on a machine of the same byte order."""
    return frozenset(array("q", data))


@lru_cache(maxsize=_CACHED_WORDS)
def _hash_word(word: str) -> int:
    """An unsigned number of 64 bits, which is not 0 but by chance."""
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _mix(left: int, right: int) -> int:
    """A signed number of 64 bits for two words in their order."""
    mixed = (left * _ODD + right) & _ALL_BITS
    return mixed - (mixed >> 63 << 64)
