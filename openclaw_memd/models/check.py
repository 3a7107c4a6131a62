"""Trying a model out: does it run, how fast, and does it find the right notes."""

import time
from dataclasses import dataclass

from openclaw_memd.models.calibration import calibration_pairs, fit_calibration
from openclaw_memd.models.reference import least_cosine, references
from openclaw_memd.ports import Calibration, Embedder


@dataclass(frozen=True, slots=True)
class ModelReport:
    """What a trial found.

    ``measured`` is the calibration as measured now, ``calibration`` the one in use. ``found`` and
    ``found_across`` are the shares of questions whose note came first, among all and among those asked in
    another language than the note's. ``reference_cosine`` is how near the model is to the vectors that it
    must give; None where there are none.
    """

    model: str
    dims: int
    load_ms: float
    query_ms: float
    passages_per_s: float
    calibration: Calibration
    measured: Calibration
    found: float
    found_across: float
    reference_cosine: float | None


async def check_embedder(embedder: Embedder) -> ModelReport:
    """Try ``embedder`` out; it loads the model and embeds about a hundred short texts.

    Raises:
        EmbedderError: it cannot embed.
    """
    import numpy as np

    pairs = calibration_pairs()
    started = time.perf_counter()
    await embedder.embed(["ready"], kind="passage")
    loaded = time.perf_counter()
    passages = await embedder.embed([pair.passage for pair in pairs], kind="passage")
    embedded = time.perf_counter()
    queries = np.concatenate([await embedder.embed([pair.query], kind="query") for pair in pairs])
    asked = time.perf_counter()
    right = np.argmax(queries @ passages.T, axis=1) == np.arange(len(pairs))
    across = np.array([pair.languages[0] != pair.languages[1] for pair in pairs])
    status = embedder.status()
    name = status.model or "model"
    expected = references().get(name) if status.provider == "local" else None
    return ModelReport(
        model=name,
        dims=passages.shape[1],
        load_ms=(loaded - started) * 1e3,
        query_ms=(asked - embedded) / len(pairs) * 1e3,
        passages_per_s=len(pairs) / (embedded - loaded),
        calibration=await embedder.calibration(),
        measured=fit_calibration(queries, passages),
        found=float(right.mean()),
        found_across=float(right[across].mean()),
        reference_cosine=await least_cosine(embedder, expected) if expected else None,
    )
