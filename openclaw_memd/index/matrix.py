"""Vectors of one model in memory, searched by matrix product."""

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from openclaw_memd.index.sign_bits import SignBits
from openclaw_memd.index.vector_blobs import rank

EXACT_ROWS: Final = 100_000
GROWTH: Final = 1.5
ENOUGH_NEWS: Final = 0.02  # of the best: with sign bits the last block may add so many
COPY_COST: Final = (
    8  # to copy a scattered row and multiply it takes about as long as multiplying so many in place
)
SPARE_CANDIDATES: Final = (
    16  # float32 sums may swap near-equal rows; the exact cosines decide among some more
)

Vectors = NDArray[np.float32]
Rows = NDArray[np.intp]
Scores = NDArray[np.float32]


class Matrix:
    """Rows of norm 1 under text hashes. Memory: rows x dims x 4 bytes, at most half as much in reserve.

    Up to ``exact_rows`` rows a search compares them all; above, sign bits choose the rows to compare. Two
    threads must not use it at once.
    """

    def __init__(self, dims: int, *, capacity: int = 1_024, exact_rows: int = EXACT_ROWS) -> None:
        self._vectors: Vectors = np.empty((max(1, capacity), dims), dtype=np.float32)
        self._hashes: list[bytes] = []
        self._row_of: dict[bytes, int] = {}
        self._exact_rows = exact_rows
        self._bits: SignBits | None = None

    def __len__(self) -> int:
        return len(self._hashes)

    def __contains__(self, text_hash: bytes) -> bool:
        return text_hash in self._row_of

    @property
    def dims(self) -> int:
        """Length of every vector."""
        return int(self._vectors.shape[1])

    def add(self, hashes: Sequence[bytes], vectors: Vectors) -> None:
        """Append ``vectors`` [len(hashes), dims]; hashes that are there already keep their row."""
        fresh = {h: i for i, h in enumerate(hashes) if h not in self._row_of}
        start, end = len(self), len(self) + len(fresh)
        if end > len(self._vectors):
            self._grow(max(end, int(len(self._vectors) * GROWTH)))
        self._vectors[start:end] = vectors[list(fresh.values())]
        self._hashes.extend(fresh)
        self._row_of.update(zip(fresh, range(start, end), strict=True))
        if self._bits is not None:
            self._bits.set(start, self._vectors[start:end])
        elif end > self._exact_rows:
            self._bits = SignBits(self._vectors[:end], len(self._vectors))

    def remove(self, text_hash: bytes) -> None:
        """Take one row out, if it is there; the last row moves into its place."""
        row = self._row_of.pop(text_hash, None)
        if row is None:
            return
        last = len(self) - 1
        moved = self._hashes.pop()
        if row != last:
            self._hashes[row] = moved
            self._row_of[moved] = row
            self._vectors[row] = self._vectors[last]
            if self._bits is not None:
                self._bits.move(last, row)

    def top(
        self, query: Vectors, k: int, *, among: Collection[bytes] | None = None
    ) -> list[tuple[bytes, float]]:
        """The ``k`` rows (of ``among``, if given) nearest to ``query`` (norm 1) with cosines, best first."""
        if k <= 0 or not self._hashes:
            return []
        if among is None:
            rows = self._nearest(query, k + SPARE_CANDIDATES)
        elif len(among) * COPY_COST < len(self):
            chosen = np.array([self._row_of[h] for h in among if h in self._row_of], dtype=np.intp)
            rows = chosen[_largest(self._vectors[chosen] @ query, k + SPARE_CANDIDATES)]
        else:
            rows = self._nearest_of_many(query, k + SPARE_CANDIDATES, among)
        return rank(query, [self._hashes[row] for row in rows], self._vectors[rows], k)

    def _nearest(self, query: Vectors, count: int) -> Rows:
        if self._bits is not None and len(self) > self._exact_rows:
            rows = self._nearest_by_bits(query, count, self._bits)
            if rows is not None:
                return rows
        return _largest(self._score_all(query), count)

    def _nearest_of_many(self, query: Vectors, count: int, among: Collection[bytes]) -> Rows:
        """Look among ever more of the best rows for enough that are wanted."""
        scores = self._score_all(query)
        looked_at = 2 * count * len(self) // len(among)
        while True:
            rows = _largest(scores, looked_at)
            wanted = np.array([row for row in rows.tolist() if self._hashes[row] in among], dtype=np.intp)
            if len(wanted) >= count or looked_at >= len(self):
                return wanted[_largest(scores[wanted], count)]
            looked_at *= 4

    def _score_all(self, query: Vectors) -> Scores:
        scores: Scores = self._vectors[: len(self)] @ query
        return scores

    def _nearest_by_bits(self, query: Vectors, count: int, bits: SignBits) -> Rows | None:
        """Compare blocks by rising Hamming distance until one as large as all before adds next to nothing.

        None when that takes so many rows that it is cheaper to compare all.
        """
        best = np.empty(0, dtype=np.intp)
        best_scores: Scores = np.empty(0, dtype=np.float32)
        compared = 0
        for block in bits.nearest_blocks(query, len(self)):
            compared += len(block)
            if compared * COPY_COST > len(self):
                return None
            rows = np.concatenate([best, block])
            scores = np.concatenate([best_scores, self._vectors[block] @ query])
            kept = _largest(scores, count)
            news = int((kept >= len(best)).sum())
            best, best_scores = rows[kept], scores[kept]
            if news <= ENOUGH_NEWS * len(kept):
                break
        return best

    def _grow(self, capacity: int) -> None:
        vectors: Vectors = np.empty((capacity, self.dims), dtype=np.float32)
        vectors[: len(self)] = self._vectors[: len(self)]
        self._vectors = vectors
        if self._bits is not None:
            self._bits.grow(capacity)


def _largest(scores: Scores, count: int) -> Rows:
    """Where the ``count`` largest scores are, in no order."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - count)[len(scores) - count :]
