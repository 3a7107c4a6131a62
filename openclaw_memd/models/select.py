"""From settings to an embedder."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.models.absent import AbsentEmbedder
from openclaw_memd.models.cached import CachedEmbedder
from openclaw_memd.models.calibration import Measurements
from openclaw_memd.models.host import ModelHost
from openclaw_memd.models.local import LocalEmbedder
from openclaw_memd.models.locate import locate_model
from openclaw_memd.models.remote import DEFAULT_BASE_URL, DEFAULT_MODEL, RemoteEmbedder, RemoteSettings
from openclaw_memd.ports import Clock, Embedder, Rng


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """What the section ``[embedding]`` says; empty strings and zeros mean that it says nothing."""

    data_dir: Path
    provider: Literal["auto", "local", "openai", "none"] = "auto"
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    api_key_file: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    dims: int = 0
    query_type: str = ""
    passage_type: str = ""
    batch: int = 0
    threads: int = 1
    idle_unload_s: float = 600.0


def open_embedder(
    settings: EmbeddingSettings,
    *,
    clock: Clock,
    rng: Rng,
    measured: Measurements | None = None,
    mask: Callable[[str], str] = mask_secrets,
) -> Embedder:
    """The embedder that ``settings`` name. Nothing is loaded or connected; a few megabytes may be read.

    ``auto`` is a local model, or none: what is installed later is taken up without a restart.
    """
    match settings.provider:
        case "none":
            return AbsentEmbedder("embedding is switched off by the setting [embedding] provider")
        case "openai":
            return CachedEmbedder(
                RemoteEmbedder(_remote(settings), mask=mask, clock=clock, rng=rng, measured=measured)
            )
        case "auto" | "local":
            return CachedEmbedder(
                LocalEmbedder(
                    ModelHost(
                        lambda: locate_model(settings.data_dir, settings.model or None),
                        threads=settings.threads,
                        idle_unload_s=settings.idle_unload_s,
                        when_missing="degraded" if settings.provider == "local" else "off",
                    ),
                    measured=measured,
                )
            )


def _remote(settings: EmbeddingSettings) -> RemoteSettings:
    return RemoteSettings(
        base_url=settings.base_url or DEFAULT_BASE_URL,
        model=settings.model or DEFAULT_MODEL,
        api_key_env=settings.api_key_env or _usual_key(settings),
        api_key_file=settings.api_key_file or None,
        headers=settings.headers,
        dims=settings.dims or None,
        query_type=settings.query_type or None,
        passage_type=settings.passage_type or None,
        batch=settings.batch or None,
    )


def _usual_key(settings: EmbeddingSettings) -> str | None:
    """OpenAI's own variable for OpenAI's own address; it is nobody else's to see."""
    return None if settings.base_url or settings.api_key_file else "OPENAI_API_KEY"
