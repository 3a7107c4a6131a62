"""The catalog's models, run by llama.cpp in the real embedding process."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import trio

from openclaw_memd.models.catalog import CATALOG
from openclaw_memd.models.check import check_embedder
from openclaw_memd.models.host import ModelHost
from openclaw_memd.models.install import InstallError, install_model
from openclaw_memd.models.local import LocalEmbedder
from openclaw_memd.models.locate import locate_model
from openclaw_memd.models.reference import LEAST_COSINE
from openclaw_memd.ports import EmbedderError
from tests.contracts import ODD_TEXTS
from tests.daemons import daemon_env, run_memd
from tests.models.gguf_files import gguf_bytes

pytestmark = pytest.mark.model


def local(models_dir: Path, name: str, **options: float) -> LocalEmbedder:
    return LocalEmbedder(ModelHost(lambda: locate_model(models_dir, name), **options))  # type: ignore[arg-type]


def children_bytes() -> int:
    """The memory of this process's children."""
    command = ["ps", "-o", "rss=,comm=", "--ppid", str(os.getpid())]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return sum(int(line.split()[0]) * 1024 for line in lines if line.split()[1] != "ps")


@pytest.fixture
async def minilm(models_dir: Path) -> AsyncIterator[LocalEmbedder]:
    embedder = local(models_dir, "minilm")
    await embedder.embed(["ready"], kind="passage")
    yield embedder
    await embedder.aclose()


async def test_odd_text_gives_a_vector(minilm: LocalEmbedder) -> None:
    passages = await minilm.embed(ODD_TEXTS, kind="passage")
    queries = np.concatenate([await minilm.embed([text], kind="query") for text in ODD_TEXTS])

    np.testing.assert_allclose(np.linalg.norm(passages, axis=1), 1.0, atol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(queries, axis=1), 1.0, atol=1e-3)


@pytest.mark.parametrize("name", CATALOG)
async def test_a_model_gives_its_vectors_and_its_shipped_calibration(models_dir: Path, name: str) -> None:
    embedder = local(models_dir, name)
    report = await check_embedder(embedder)
    await embedder.aclose()

    assert report.dims == CATALOG[name].dims
    assert report.reference_cosine is not None
    assert report.reference_cosine >= LEAST_COSINE
    assert report.measured.floor == pytest.approx(report.calibration.floor, abs=0.01)
    assert report.measured.ceiling == pytest.approx(report.calibration.ceiling, abs=0.01)
    assert report.measured.weight == pytest.approx(report.calibration.weight, abs=0.03)
    assert report.found_across >= (0.6 if name == "multilingual-e5-small" else 0.0)


@pytest.mark.slow
async def test_text_over_the_model_s_length_is_cut_and_does_not_kill_it(minilm: LocalEmbedder) -> None:
    long = "the deployment of the gateway needs a restart " * 400

    vectors = await minilm.embed([long, long + "and more", "x" * 50_000, "short"], kind="passage")

    assert np.isfinite(vectors).all()
    assert float(vectors[0] @ vectors[1]) > 0.999
    assert minilm.status().state == "ready"


async def test_alone_or_together_a_text_has_the_same_vector(minilm: LocalEmbedder) -> None:
    texts = [f"note {number} " + "about ships " * number for number in range(20)]

    together = await minilm.embed(texts, kind="passage")
    alone = np.concatenate([await minilm.embed([text], kind="query") for text in texts])

    assert np.sum(together * alone, axis=1).min() > 0.999


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes the memory back")
async def test_a_long_passage_leaves_no_memory_behind(models_dir: Path) -> None:
    embedder = local(models_dir, "multilingual-e5-small")
    await embedder.embed(["short"], kind="passage")
    before_bytes = children_bytes()
    await embedder.embed(["the gateway needs a restart " * 200], kind="passage")
    after_bytes = children_bytes()
    await embedder.aclose()

    assert after_bytes - before_bytes < 100_000_000  # the logits alone would be 500 million


async def test_an_idle_process_ends_and_comes_back(models_dir: Path) -> None:
    embedder = local(models_dir, "minilm", idle_unload_s=0.2)
    before = await embedder.embed(["a note"], kind="passage")
    with trio.fail_after(60):
        while embedder.status().state != "idle":  # noqa: ASYNC110 - another process makes it true
            await trio.sleep(0.02)

    np.testing.assert_array_equal(await embedder.embed(["a note"], kind="passage"), before)
    await embedder.aclose()


async def test_a_file_that_llama_cpp_cannot_load_is_told(models_dir: Path, tmp_path: Path) -> None:
    path = tmp_path / "hollow.gguf"
    path.write_bytes(gguf_bytes())
    embedder = LocalEmbedder(ModelHost(lambda: locate_model(tmp_path, str(path))))

    with pytest.raises(EmbedderError, match="memd model list"):
        await embedder.embed(["a note"], kind="passage")

    assert embedder.status().state == "degraded"
    await embedder.aclose()


def test_a_file_that_llama_cpp_cannot_load_is_not_installed(models_dir: Path, tmp_path: Path) -> None:
    path = tmp_path / "hollow.gguf"
    path.write_bytes(gguf_bytes())

    with pytest.raises(InstallError, match="does not run here"):
        install_model(tmp_path, str(path), progress=lambda _step, _done, _total: None)

    assert not (tmp_path / "models/hollow.gguf").exists()


def test_a_model_from_a_file_is_tried_out(models_dir: Path, tmp_path: Path) -> None:
    installed = install_model(
        tmp_path,
        str(models_dir / "models/minilm.gguf"),
        name="mine",
        progress=lambda _step, _done, _total: None,
    )

    assert installed.checked


def test_a_model_under_the_name_of_another_does_not_pass_its_test(models_dir: Path, tmp_path: Path) -> None:
    env = daemon_env(tmp_path)
    place = Path(env["MEMD_PATHS__DATA_DIR"]) / "models" / "multilingual-e5-small.gguf"
    place.parent.mkdir(parents=True)
    place.write_bytes((models_dir / "models" / "minilm.gguf").read_bytes())

    done = run_memd("model", "test", "multilingual-e5-small", env=env)

    assert done.returncode == 1
    assert "does not give the vectors" in done.stderr
