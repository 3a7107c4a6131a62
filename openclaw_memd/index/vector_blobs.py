"""Vectors as bytes and back, which of them may be stored, and the one way in which two are compared."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_FLOAT32: Final = np.dtype("<f4")
LEAST_NORM: Final = 1e-6
NORM_TOLERANCE: Final = 1e-2

Vectors = NDArray[np.float32]


def normalise(vectors: Vectors) -> tuple[Vectors, NDArray[np.bool_]]:
    """``vectors`` [n, dims] with every row of norm 1, and which rows are usable: finite and not nearly zero.

    Rows that are not usable come back as zeros.
    """
    wide = np.asarray(vectors, dtype=np.float64)
    usable = np.logical_and.reduce(np.isfinite(wide), axis=1)
    wide = np.where(usable[:, None], wide, 0.0)
    norms = np.sqrt((wide * wide).sum(axis=1))
    usable &= norms > LEAST_NORM
    scaled = np.where(usable[:, None], wide / np.where(usable, norms, 1.0)[:, None], 0.0)
    return scaled.astype(np.float32), usable


def to_blobs(vectors: Vectors) -> list[bytes]:
    """One blob of little-endian float32 for each row."""
    return [row.tobytes() for row in np.ascontiguousarray(vectors, dtype=_FLOAT32)]


def from_blobs(rows: Sequence[tuple[Any, ...]], dims: int) -> tuple[list[bytes], Vectors]:
    """Hashes and vectors [n, dims] of ``rows`` (hash, blob, ...), damaged vectors left out."""
    sized = [(row[0], row[1]) for row in rows if len(row[1]) == _FLOAT32.itemsize * dims]
    vectors = np.frombuffer(b"".join(blob for _, blob in sized), dtype=_FLOAT32).reshape(len(sized), dims)
    with np.errstate(all="ignore"):
        whole = np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1.0) < NORM_TOLERANCE
    kept = [key for (key, _), good in zip(sized, whole.tolist(), strict=True) if good]
    return kept, vectors if len(kept) == len(sized) else vectors[whole]


def check_query(query: Vectors, dims: int) -> Vectors:
    """``query`` as one float32 vector of norm 1.

    Raises:
        ValueError: it has another length than ``dims``, is not finite, or is nearly zero.
    """
    if query.shape != (dims,):
        raise ValueError(f"a query vector of shape {query.shape} for a model of {dims} dimensions")
    scaled, usable = normalise(query[None, :])
    if not usable[0]:
        raise ValueError("a query vector that is zero or not finite")
    row: Vectors = scaled[0]
    return row


def rank(query: Vectors, hashes: Iterable[bytes], vectors: Vectors, k: int) -> list[tuple[bytes, float]]:
    """The ``k`` nearest with their cosines, nearest first, equal ones by hash.

    Products are summed row by row in float64: a cosine depends on its two vectors only, not on where a row
    lies in a matrix or on who computed the candidates.
    """
    cosines = (vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    scored = zip(hashes, np.clip(cosines, -1.0, 1.0).tolist(), strict=True)
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:k]
