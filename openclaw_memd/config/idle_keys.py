"""Keys that are set and do nothing, since the provider beside them has no use for them."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from openclaw_memd.config.corpus_sections import Embedding
from openclaw_memd.config.load import model_sections
from openclaw_memd.config.schema import Config
from openclaw_memd.config.sections import Model

_REMOTE: Final = ("base_url", "api_key_env", "api_key_file")

EMBEDDING_KEYS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"openai": (*_REMOTE, "headers", "dims", "input_types", "batch"), "local": ("threads", "idle_unload_s")}
)
"""The keys of [embedding] that one provider alone uses; ``auto`` may become ``local``."""

MODEL_KEYS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"openai": _REMOTE})
"""The same for [model]."""


def find_idle_keys(config: Config) -> Iterator[str]:
    """A sentence for each key that has another value than its default's and no effect.

    Nothing is said of an embedding that is switched off as a whole: that is meant.
    """
    embedding = config.embedding
    if embedding.provider != "none":
        provider = "local" if embedding.provider == "auto" else embedding.provider
        yield from _unused("embedding", embedding, EMBEDDING_KEYS, provider)
    for key, model in model_sections(config).items():
        if model.provider == "none" and model.model:
            yield f"{key}.model: of no effect while {key}.provider is not set"
        yield from _unused(key, model, MODEL_KEYS, model.provider)


def _unused(
    section: str, values: Embedding | Model, keys: Mapping[str, tuple[str, ...]], provider: str
) -> Iterator[str]:
    defaults = type(values)()
    for user, names in keys.items():
        for name in names:
            if user != provider and getattr(values, name) != getattr(defaults, name):
                yield f"{section}.{name}: of no effect unless {section}.provider = {user}"
    if provider == "openai" and values.api_key_env and values.api_key_file:
        yield f"{section}.api_key_file: of no effect beside {section}.api_key_env"
