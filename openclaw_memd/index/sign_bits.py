"""A bit a dimension: a cheap first look at large matrices."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

FIRST_BLOCK_SHARE: Final = 64  # the first block is a 64th of all rows
BUILD_ROWS: Final = 2_048

Vectors = NDArray[np.float32]
Words = NDArray[np.uint64]


class SignBits:
    """Signs of vectors about a centre, compared by Hamming distance.

    The centre is the mean of the vectors at hand when the bits are made: embedding models put all text into
    a narrow cone, where signs about zero hardly differ.
    """

    def __init__(self, vectors: Vectors, capacity: int) -> None:
        self._centre: Vectors = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
        self._padding = -(-vectors.shape[1] // 64) * 64 - vectors.shape[1]
        self._words: Words = np.empty((capacity, (vectors.shape[1] + self._padding) // 64), dtype=np.uint64)
        for start in range(0, len(vectors), BUILD_ROWS):
            self.set(start, vectors[start : start + BUILD_ROWS])

    def grow(self, capacity: int) -> None:
        """Make room for ``capacity`` rows."""
        words: Words = np.empty((capacity, self._words.shape[1]), dtype=np.uint64)
        words[: len(self._words)] = self._words
        self._words = words

    def set(self, start: int, vectors: Vectors) -> None:
        """Put the signs of ``vectors`` into the rows from ``start``."""
        self._words[start : start + len(vectors)] = self._signs(vectors)

    def move(self, source: int, target: int) -> None:
        """Copy one row over another."""
        self._words[target] = self._words[source]

    def nearest_blocks(self, query: Vectors, rows: int) -> Iterator[NDArray[np.intp]]:
        """The first ``rows`` rows by rising Hamming distance, in blocks as large as all before or larger."""
        differing = np.bitwise_count(self._words[:rows] ^ self._signs(query[None, :])[0])
        distances = differing.sum(axis=1, dtype=np.uint16)
        upto = np.cumsum(np.bincount(distances))
        seen, low = 0, 0
        while seen < rows:
            wanted = min(rows, max(rows // FIRST_BLOCK_SHARE + 1, 2 * seen))
            high = int(np.searchsorted(upto, wanted))
            yield np.flatnonzero((distances >= low) & (distances <= high))
            seen, low = int(upto[high]), high + 1

    def _signs(self, vectors: Vectors) -> Words:
        signs = vectors > self._centre
        if self._padding:
            signs = np.pad(signs, ((0, 0), (0, self._padding)))
        return np.packbits(signs, axis=1).view(np.uint64)
