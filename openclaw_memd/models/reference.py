"""Vectors that the catalog's models must give, made by other software than llama.cpp.

Those of multilingual-e5-small come from the engine in its own package; those of all-MiniLM-L6-v2 from a
double-precision forward pass over the original weights. A conversion or a build that is wrong shows here.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from openclaw_memd.ports import Embedder, EmbedKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_COSINE = 0.999


class Reference(msgspec.Struct, frozen=True):
    """A text and its vector of norm 1, as little-endian float32."""

    kind: EmbedKind
    text: str
    vector: bytes

    def row(self) -> "NDArray[np.float32]":
        """The vector."""
        import numpy as np

        return np.frombuffer(self.vector, "<f4")


@cache
def references() -> Mapping[str, tuple[Reference, ...]]:
    """The shipped references by model name."""
    data = files("openclaw_memd.models").joinpath("reference.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, tuple[Reference, ...]])


async def least_cosine(embedder: Embedder, expected: tuple[Reference, ...]) -> float:
    """The lowest cosine between what ``embedder`` gives and what is expected; -1 for other dimensions.

    Raises:
        EmbedderError: it cannot embed now.
    """
    lowest = 1.0
    for reference in expected:
        vectors = await embedder.embed([reference.text], kind=reference.kind)
        row = reference.row()
        lowest = min(lowest, float(vectors[0] @ row) if vectors.shape[1] == row.size else -1.0)
    return lowest
