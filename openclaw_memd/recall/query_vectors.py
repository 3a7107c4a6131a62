"""The vectors of queries, made in time or not at all."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.ports import Calibration, Embedder, EmbedderError

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

TIME_SHARE: Final = 0.6
"""How much of the time that a search has left may go into making or comparing vectors."""

_FAILING: Final = frozenset({"degraded", "paused"})

Missing = Literal["off", "late", "failed"]


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A query's ``vector`` [dims], of norm 1, in ``model``, and how to read its cosines."""

    model: str
    vector: "Vectors"
    calibration: Calibration


def time_for_vectors(deadline_at: float | None) -> float:
    """Seconds that vectors may take of a search with this deadline."""
    if deadline_at is None:
        return math.inf
    return max(0.0, deadline_at - trio.current_time()) * TIME_SHARE


async def embed_query(embedder: Embedder, query: str, deadline_at: float | None) -> QueryVector | Missing:
    """The vector of ``query``, or why there is none. ``deadline_at`` is that of the whole search.

    Raises:
        UnavailableError: the provider failed, and it is one that must not be done without.
    """
    if embedder.status().state == "off":
        return "off"
    with trio.move_on_after(time_for_vectors(deadline_at)):
        try:
            return await _embed(embedder, query)
        except EmbedderError as error:
            if embedder.required:
                raise _unavailable() from error
            return "failed"
    if embedder.required and embedder.status().state in _FAILING:  # it is being tried again and again
        raise _unavailable()
    return "late"


def _unavailable() -> UnavailableError:
    return UnavailableError("the embedding provider cannot be used now", reason="embedding")


async def _embed(embedder: Embedder, query: str) -> "QueryVector | Missing":
    calibration = await embedder.calibration()
    model = embedder.model_id
    (vector,) = await embedder.embed([query], kind="query")
    if model is None or embedder.model_id != model:
        return "failed"
    return QueryVector(model, vector, calibration)
