"""The bodies of OpenAI's embeddings API, as its many re-implementations speak it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

_LEAST_NORM = 1e-6


class BadAnswerError(Exception):
    """The body does not hold the vectors that were asked for."""


class _Item(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Body(msgspec.Struct):
    data: list[_Item]


def encode_request(
    texts: Sequence[str], *, model: str, host: str, dims: int | None, input_type: str | None
) -> bytes:
    """The body of a request; what is None is left out."""
    body: dict[str, object] = {"model": model, "input": list(texts)}
    if dims is not None:
        # Voyage has its own name for it and refuses the other.
        body["output_dimension" if host.endswith("voyageai.com") else "dimensions"] = dims
    if input_type is not None:
        body["input_type"] = input_type
    return msgspec.json.encode(body)


def read_vectors(body: bytes, count: int, *, zeros_allowed: bool) -> "Vectors":
    """The ``count`` vectors in ``body``, float32, each of norm 1, in the order of the request.

    A vector without a length stays zero if that is allowed.

    Raises:
        BadAnswerError: it holds something else.
    """
    import numpy as np

    try:
        items = msgspec.json.decode(body, type=_Body).data
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadAnswerError("the body has another shape") from None
    if len(items) != count:
        raise BadAnswerError(f"{len(items)} vectors for {count} texts")
    places = [item.index for item in items]
    if sorted(place for place in places if place is not None) == list(range(count)):
        items.sort(key=lambda item: item.index or 0)
    dims = len(items[0].embedding)
    if not dims or any(len(item.embedding) != dims for item in items):
        raise BadAnswerError("vectors of different lengths")
    vectors = np.array([item.embedding for item in items], np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise BadAnswerError("a vector that is not finite")
    empty = norms < _LEAST_NORM
    if empty.any() and not zeros_allowed:
        raise BadAnswerError("a vector without length")
    return np.where(empty, 0.0, vectors / np.where(empty, 1.0, norms)).astype(np.float32)
