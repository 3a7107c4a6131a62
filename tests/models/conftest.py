"""Real models for the tests marked ``model``, installed once and kept."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest
from trio.testing import MockClock

from openclaw_memd.models.catalog import CATALOG
from openclaw_memd.models.install import InstallError, install_model


@pytest.fixture
def clock() -> MockClock:
    # Not zero: the loopback needs a moment of real time to carry what was sent.
    return MockClock(autojump_threshold=0.02)


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """A data folder with the catalog's models, in ``MEMD_TEST_MODELS`` or ``.cache/models``."""
    for package in ("llama_cpp", "gguf"):
        if find_spec(package) is None:
            do_without(f"{package} is not installed (the extra `local`)")
    folder = Path(os.environ.get("MEMD_TEST_MODELS") or Path(__file__).parents[2] / ".cache" / "models")
    for name in CATALOG:
        try:
            install_model(folder, name, progress=lambda _step, _done, _total: None)
        except InstallError as error:
            do_without(f"{name} could not be installed: {error}")
    return folder


def do_without(reason: str) -> NoReturn:
    """Skip and say so, except where ``MEMD_REQUIRE_MODEL`` says that these tests must run."""
    if os.environ.get("MEMD_REQUIRE_MODEL"):
        pytest.fail(reason)
    pytest.skip(f"no real model was tested: {reason}")
