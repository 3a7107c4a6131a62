"""The one embedder of the daemon: made from the configuration, its measurements kept in a database."""

from collections.abc import Mapping
from contextlib import suppress

from openclaw_memd.config import paths
from openclaw_memd.config.schema import Config
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.calibrations import Calibrations
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.models.calibration import Measurements
from openclaw_memd.models.select import EmbeddingSettings, open_embedder
from openclaw_memd.ports import Calibration, Clock, Embedder, Rng


def build_embedder(
    config: Config, env: Mapping[str, str], clock: Clock, rng: Rng, measured: Measurements | None = None
) -> Embedder:
    """The configured embedder; nothing is loaded or connected yet."""
    section = config.embedding
    settings = EmbeddingSettings(
        data_dir=paths.data_dir(env, config.paths.data_dir or None),
        provider=section.provider,
        model=section.model,
        base_url=section.base_url,
        api_key_env=section.api_key_env,
        api_key_file=section.api_key_file,
        headers=section.headers,
        dims=section.dims,
        query_type=section.input_types.query,
        passage_type=section.input_types.passage,
        batch=section.batch,
        threads=section.threads,
        idle_unload_s=section.idle_unload_s,
    )
    return open_embedder(settings, clock=clock, rng=rng, measured=measured)


class KeptCalibrations:
    """Measurements kept beside vectors. A database that fails costs measuring again, nothing else."""

    def __init__(self, stored: Calibrations, clock: Clock) -> None:
        self._stored = stored
        self._clock = clock

    async def get(self, model: str) -> Calibration | None:
        """What was measured of ``model``, as far as it can be read."""
        try:
            return await self._stored.get(model)
        except (DamagedError, UnavailableError):
            return None

    async def put(self, model: str, dims: int, calibration: Calibration) -> None:
        """Keep a measurement of ``model``, if that is possible now."""
        with suppress(DamagedError, UnavailableError):
            await self._stored.put(model, dims, calibration, self._clock.now())
