"""The embedding model that is installed on this machine, if one is."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from openclaw_memd.clock import SystemClock, SystemRng
from openclaw_memd.config import paths
from openclaw_memd.models.locate import MissingModelError, locate_model
from openclaw_memd.models.select import EmbeddingSettings, open_embedder

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors


@dataclass(frozen=True, slots=True)
class Model:
    """A local model: where it is installed, and the identity that its vectors are stored under."""

    name: str
    id: str
    data_dir: Path

    @property
    def env(self) -> dict[str, str]:
        """What makes a daemon use it."""
        return {"MEMD_PATHS__DATA_DIR": str(self.data_dir), "MEMD_EMBEDDING__PROVIDER": "local"}

    def embed_queries(self, questions: Sequence[str]) -> "Vectors":
        """Vectors [len(questions), dims], made by the model."""

        import numpy as np

        async def embed() -> "Vectors":
            settings = EmbeddingSettings(self.data_dir, provider="local")
            embedder = open_embedder(settings, clock=SystemClock(), rng=SystemRng())
            try:
                await embedder.embed(["passages wait for the model, queries do not"], kind="passage")
                # One at a time: a call for a query has little time, however many there are in it.
                return np.concatenate([await embedder.embed([one], kind="query") for one in questions])
            finally:
                await embedder.aclose()

        return trio.run(embed)


@dataclass(frozen=True, slots=True)
class NoModel:
    """Nothing is installed; ``reason`` says what to do."""

    reason: str


def find_model() -> Model | NoModel:
    """The model that a daemon with this environment would load."""
    data_dir = paths.data_dir(os.environ, os.environ.get("MEMD_PATHS__DATA_DIR"))
    try:
        found = locate_model(data_dir, None)
    except MissingModelError as error:
        return NoModel(str(error))
    return Model(found.name, found.model_id, data_dir)
