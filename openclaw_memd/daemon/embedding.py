"""The one embedder of the daemon: made from the configuration, its measurements kept in a database."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from openclaw_memd.config import paths
from openclaw_memd.config.schema import Config
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.calibrations import Calibrations
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.models.catalog import CATALOG
from openclaw_memd.models.select import EmbeddingSettings, open_embedder
from openclaw_memd.ports import Calibration, Clock, Embedder, EmbedderStatus, EmbedKind, Rng

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors


def build_embedder(config: Config, env: Mapping[str, str], clock: Clock, rng: Rng) -> "MeasuredEmbedder":
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
    return MeasuredEmbedder(open_embedder(settings, clock=clock, rng=rng), clock)


class MeasuredEmbedder:
    """``inner`` with its calibration measured once and kept, for models that none is shipped for."""

    def __init__(self, inner: Embedder, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        self._store: Calibrations | None = None

    def keep_in(self, store: Calibrations) -> None:
        """Keep measurements in ``store`` from now on."""
        self._store = store

    @property
    def model_id(self) -> str | None:
        """The inner embedder's."""
        return self._inner.model_id

    @property
    def required(self) -> bool:
        """The inner embedder's."""
        return self._inner.required

    def status(self) -> EmbedderStatus:
        """The inner embedder's."""
        return self._inner.status()

    async def calibration(self) -> Calibration:
        """The shipped one, else what was measured before, else a measurement.

        Raises:
            EmbedderError: it must be measured and the model cannot embed now.
        """
        model = self.model_id
        if self._store is None or model is None or self.status().model in CATALOG:
            return await self._inner.calibration()
        try:
            known = await self._store.get(model)
            if known is not None:
                return known
            measured = await self._inner.calibration()
            if (dims := self.status().dims) is not None:
                await self._store.put(model, dims, measured, self._clock.now())
        except (DamagedError, UnavailableError):
            return await self._inner.calibration()
        return measured

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> "Vectors":
        """The inner embedder's vectors. Errors as there."""
        return await self._inner.embed(texts, kind=kind)

    async def aclose(self) -> None:
        """Close the inner embedder."""
        await self._inner.aclose()
