"""What the tests of vectors share: generated vectors and their hashes."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openclaw_memd.index.database import DERIVED_PAGE_BYTES

Vectors = NDArray[np.float32]


def key(name: object) -> bytes:
    """A text hash."""
    return hashlib.sha256(str(name).encode()).digest()


def keys(count: int, prefix: str = "text") -> list[bytes]:
    return [key(f"{prefix} {number}") for number in range(count)]


def unit_vectors(count: int, dims: int, *, seed: int = 1) -> Vectors:
    """Random directions."""
    vectors = np.random.default_rng(seed).normal(size=(count, dims))
    return _scaled(vectors)


def clustered_vectors(count: int, dims: int, *, clusters: int, offset: float, seed: int = 1) -> Vectors:
    """Noisy copies of topics, all shifted by ``offset`` in one direction, as text models' vectors are."""
    rng = np.random.default_rng(seed)
    topics = unit_vectors(clusters, dims, seed=seed + 1)
    noise = rng.normal(size=(count, dims)).astype(np.float32) / (2 * np.sqrt(dims))
    vectors = (
        topics[rng.integers(clusters, size=count)] + noise + offset * unit_vectors(1, dims, seed=seed + 2)
    )
    return _scaled(vectors)


def _scaled(vectors: NDArray[np.floating[Any]]) -> Vectors:
    scaled: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def exact_top(vectors: Vectors, hashes: list[bytes], query: Vectors, k: int) -> list[bytes]:
    """The plain way to say what is nearest."""
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    return [hashes[row] for row in np.argsort(-cosines)[:k]]


def overwrite_pages(path: Path) -> None:
    """Damage a closed database from its fifth page on, so that it still opens."""
    with path.open("r+b") as file:
        file.seek(4 * DERIVED_PAGE_BYTES)
        file.write(b"\x5a" * (path.stat().st_size - 4 * DERIVED_PAGE_BYTES))


def set_aside(folder: Path) -> list[str]:
    """Names of the databases that were put aside."""
    return sorted(path.name for path in folder.glob("*.damaged-*"))
