"""What is kept of a line so that near-duplicates of it are known later: hashes, never its words."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final

from openclaw_memd.domain.confusables import fold_words
from openclaw_memd.domain.sayings import read_saying
from openclaw_memd.domain.similarity import (
    NEAR_DUPLICATE_JACCARD,
    ContentWord,
    find_signs,
    jaccard,
    outline,
)
from openclaw_memd.domain.text import Analyzer

_CACHED_WORDS: Final = 8192
_ODD: Final = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio
_ALL_BITS: Final = (1 << 64) - 1
_TENTHS: Final = round(NEAR_DUPLICATE_JACCARD * 10)
_VERSION: Final = b"\x02"

MOST_KEYS: Final = 48
"""So many shingles of a line are keys to it; of a very long one a tenth."""

DECIDES: Final = 1
"""The bit of a term that decides what is said: a number, an identifier, a negation."""

IS_UNIT: Final = 2
"""The bit of a term that is one character of a script without spaces."""

DENIES: Final = 4
"""The bit of a term that is a negation."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """A text without its words.

    ``words`` counts those that were analysed, ``decisive`` is a hash of the decisive ones in their order and
    of the signs, if these count, and ``shingles`` are hashes of the pairs of neighbours, as signed numbers of
    64 bits. ``terms`` are hashes of the content words in their order, of 29 bits and three that tell their
    kind (``DECIDES``, ``IS_UNIT``, ``DENIES``); not every sketch that was kept has them, so they make no
    difference to which are equal.
    """

    words: int
    decisive: bytes
    shingles: frozenset[int]
    terms: tuple[int, ...] = field(default=(), compare=False)

    @property
    def rich_keys(self) -> list[int]:
        """Shingles that a text which holds this one, or a part of it, has some of: all of a usual line."""
        number = len(self.shingles)
        return sorted(self.shingles)[: max(MOST_KEYS, number - -(-number * _TENTHS // 10) + 1)]

    @property
    def keys(self) -> list[int]:
        """A few of the shingles; two near-duplicates have at least one key in common.

        Of sets with a Jaccard index of at least 0.9 each shares nine tenths of its members with the other, so
        the smallest common one is within the first tenth (and one more) of both.
        """
        return sorted(self.shingles)[: self.key_count]

    @property
    def key_count(self) -> int:
        """How many shingles are keys: in any order of all shingles the first so many will do."""
        number = len(self.shingles)
        return number - -(-number * _TENTHS // 10) + 1


def sketch(text: str, analyzer: Analyzer) -> Sketch:
    """The sketch of ``text``."""
    return _sketch(text, find_signs(text), analyzer)


def _sketch(text: str, signs: Sequence[str], analyzer: Analyzer) -> Sketch:
    found = outline(fold_words(text), analyzer)
    hashes = [_hash_word(word) for word in found.words]
    decisive = [_hash_word(word) for word in (*found.decisive, *signs)]
    pairs = pairwise(hashes) if len(hashes) != 1 else [(hashes[0], 0)]
    return Sketch(
        words=len(hashes),
        decisive=blake2b(array("Q", decisive).tobytes(), digest_size=8).digest(),
        shingles=frozenset(_mix(left, right) for left, right in pairs),
        terms=tuple(map(_hash_term, found.content)),
    )


def sketch_line(line: str, analyzer: Analyzer) -> Sketch:
    """The sketch of what a line of Markdown says (see ``read_saying``). Signs do not count in it: it is for
    telling who is behind a line, and nobody should be able to make a line another's by an arrow.
    """
    return _sketch(read_saying(line), (), analyzer)


def near_duplicate_sketches(left: Sketch, right: Sketch) -> bool:
    """Whether the texts of two sketches are near-duplicates (see ``near_duplicate``)."""
    return (
        left.decisive == right.decisive and jaccard(left.shingles, right.shingles) >= NEAR_DUPLICATE_JACCARD
    )


def pack_sketch(found: Sketch) -> bytes:
    """Shingles and terms as bytes: the number of shingles (4), shingles (8 each), terms (4 each), a version.

    The length is odd, so it is never taken for shingles alone.
    """
    shingles = pack_shingles(found)
    terms = array("I", found.terms).tobytes()
    return len(found.shingles).to_bytes(4, "little") + shingles + terms + _VERSION


def unpack_sketch(words: int, decisive: bytes, data: bytes) -> Sketch:
    """What ``pack_sketch`` packed on such a machine, or ``pack_shingles``: then there are no terms."""
    if len(data) % 2 == 0:
        return Sketch(words, decisive, unpack_shingles(data))
    end = 4 + 8 * int.from_bytes(data[:4], "little")
    return Sketch(words, decisive, unpack_shingles(data[4:end]), tuple(array("I", data[end:-1])))


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


def _hash_term(found: ContentWord) -> int:
    """An unsigned number of 32 bits for a content word."""
    kind = DECIDES * found.decides | IS_UNIT * found.is_unit | DENIES * found.denies
    return _hash_word(found.word) & 0xFFFF_FFF8 | kind


def _mix(left: int, right: int) -> int:
    """A signed number of 64 bits for two words in their order."""
    mixed = (left * _ODD + right) & _ALL_BITS
    return mixed - (mixed >> 63 << 64)
