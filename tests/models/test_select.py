from pathlib import Path

import pytest

from openclaw_memd.models.select import EmbeddingSettings, open_embedder
from openclaw_memd.ports import Embedder, EmbedderError
from tests.fakes import ConstantRng, TrioClock
from tests.models.gguf_files import gguf_bytes


def opened(settings: EmbeddingSettings) -> Embedder:
    return open_embedder(settings, clock=TrioClock(), rng=ConstantRng())


async def test_none_is_off(tmp_path: Path) -> None:
    embedder = opened(EmbeddingSettings(tmp_path, provider="none"))

    assert (embedder.status().state, embedder.model_id, embedder.required) == ("off", None, False)
    with pytest.raises(EmbedderError, match="switched off"):
        await embedder.embed(["a note"], kind="passage")
    with pytest.raises(EmbedderError, match="switched off"):
        await embedder.calibration()
    await embedder.aclose()


async def test_auto_without_a_model_is_off_and_says_why(tmp_path: Path) -> None:
    embedder = opened(EmbeddingSettings(tmp_path))

    assert embedder.status().state == "off"
    assert "run: " in (embedder.status().reason or "")
    assert not embedder.required


async def test_local_without_a_model_is_degraded_and_search_goes_on(tmp_path: Path) -> None:
    embedder = opened(EmbeddingSettings(tmp_path, provider="local", model="minilm"))

    assert embedder.status().state == "degraded"
    assert not embedder.required


async def test_a_remote_provider_is_required(tmp_path: Path) -> None:
    settings = EmbeddingSettings(tmp_path, provider="openai", base_url="http://127.0.0.1:1/v1", model="m")
    embedder = opened(settings)

    assert embedder.required
    assert embedder.status().provider == "openai"
    with pytest.raises(EmbedderError, match="cannot be reached"):
        await embedder.embed(["a note"], kind="query")
    await embedder.aclose()


async def test_openai_s_own_key_goes_to_openai_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    embedder = opened(EmbeddingSettings(tmp_path, provider="openai"))

    with pytest.raises(EmbedderError, match="OPENAI_API_KEY"):
        await embedder.embed(["a note"], kind="query")
    await embedder.aclose()


async def test_a_model_that_is_installed_is_found(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed")
    (tmp_path / "models").mkdir()
    (tmp_path / "models/minilm.gguf").write_bytes(gguf_bytes())

    embedder = opened(EmbeddingSettings(tmp_path))

    assert embedder.status().state == "idle"
    assert embedder.status().model == "minilm"
    assert embedder.model_id
