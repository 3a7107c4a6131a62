"""How to read a model's cosines, measured on pairs of text that ship with memd.

Models spread their cosines differently: for one, 0.8 is the same thing said twice, for another it is
nothing in common. Each pair is a question and a note that answers it, in eleven languages and across them;
every other combination of a question and a note is unrelated.

- ``floor`` is the median cosine of the unrelated combinations,
- ``ceiling`` is the 90th percentile of the pairs' cosines,
- ``weight`` is 0.7, OpenClaw's share of the vector score, times the mean reciprocal rank of the right note
  among all notes: a model that finds the wrong notes gets less of a say.
"""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol

import msgspec
import trio

from openclaw_memd.ports import Calibration, Embedder, EmbedderError

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

FULL_WEIGHT = 0.7
_CEILING_PERCENTILE = 90
_LEAST_SPREAD = 0.01
_QUERIES_AT_ONCE = 8


class Pair(msgspec.Struct, frozen=True):
    """A question and the note that answers it, each with its language."""

    languages: tuple[str, str]
    query: str
    passage: str


@cache
def calibration_pairs() -> tuple[Pair, ...]:
    """The shipped pairs."""
    data = files("openclaw_memd.models").joinpath("calibration.json").read_bytes()
    return msgspec.json.decode(data, type=tuple[Pair, ...])


def fit_calibration(queries: "Vectors", passages: "Vectors") -> Calibration:
    """The calibration from the vectors of the pairs, row by row.

    A model that cannot tell them apart gets a ceiling just above its floor and next to no weight.
    """
    import numpy as np

    cosines = np.asarray(queries @ passages.T, dtype=np.float64)
    pairs = np.diagonal(cosines)
    unrelated = cosines[~np.eye(len(cosines), dtype=bool)]
    floor = float(np.median(unrelated))
    ceiling = max(float(np.percentile(pairs, _CEILING_PERCENTILE)), floor + _LEAST_SPREAD)
    nearer = np.sum(cosines > pairs[:, None], axis=1)
    as_near = np.sum(cosines == pairs[:, None], axis=1) - 1
    ranks = 1 + nearer + as_near / 2
    weight = FULL_WEIGHT * float(np.mean(1.0 / ranks))
    return Calibration(round(floor, 4), round(ceiling, 4), round(weight, 4))


async def measure_calibration(embedder: Embedder) -> Calibration:
    """Embed the pairs with ``embedder`` and fit.

    Raises:
        EmbedderError: it cannot embed now.
    """
    import numpy as np

    pairs = calibration_pairs()
    passages = await embedder.embed([pair.passage for pair in pairs], kind="passage")
    parts = [  # few at a time, so that somebody's query does not wait for all
        await embedder.embed([pair.query for pair in pairs[start : start + _QUERIES_AT_ONCE]], kind="query")
        for start in range(0, len(pairs), _QUERIES_AT_ONCE)
    ]
    return fit_calibration(np.concatenate(parts), passages)


class Kept(Protocol):
    """Where measurements outlive the process. It never fails: what it cannot read or write is not there."""

    async def get(self, model: str) -> Calibration | None:
        """What was measured of ``model``, if it was."""
        ...

    async def put(self, model: str, dims: int, calibration: Calibration) -> None:
        """Keep a measurement of ``model``."""
        ...


class Measurements:
    """What was measured of models, each once."""

    def __init__(self) -> None:
        self._known: dict[str, Calibration] = {}
        self._kept: Kept | None = None
        self._turn = trio.Lock()

    def keep_in(self, kept: Kept) -> None:
        """Look there before measuring, and keep what is measured from now on there."""
        self._kept = kept

    async def of(self, embedder: Embedder) -> Calibration:
        """The calibration of ``embedder``'s model; measured by embedding about a hundred short texts.

        Raises:
            EmbedderError: it must be measured and cannot be now.
        """
        model = embedder.model_id
        if model in self._known:
            return self._known[model]
        async with self._turn:
            if model in self._known:
                return self._known[model]
            if model is not None and self._kept is not None:
                found = await self._kept.get(model)
                if found is not None:
                    self._known[model] = found
                    return found
            measured = await measure_calibration(embedder)
            now, dims = embedder.model_id, embedder.status().dims
            if now is None or model not in {None, now}:
                raise EmbedderError("the embedding model changed while it was measured", retry_after_s=0.0)
            self._known[now] = measured
            if self._kept is not None and dims is not None:
                await self._kept.put(now, dims, measured)
            return measured
