"""Measurements of embedding models in the daemon's own database."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from openclaw_memd.daemon.embedding import KeptCalibrations
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.calibrations import Calibrations
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.models.calibration import Measurements
from tests.fakes import HashEmbedder, TrioClock

AT = datetime(2026, 1, 11, tzinfo=UTC)


async def test_what_was_measured_is_known_after_a_restart(tmp_path: Path) -> None:
    found = []
    embedders = [HashEmbedder(), HashEmbedder()]
    for embedder in embedders:
        store = open_vectors(tmp_path / "vectors.db", AT).store
        measured = Measurements()
        measured.keep_in(KeptCalibrations(Calibrations(store), TrioClock()))
        found.append(await measured.of(embedder))
        await store.aclose()

    assert found[0] == found[1]
    assert [bool(embedder.calls) for embedder in embedders] == [True, False]


@pytest.mark.parametrize("error", [DamagedError("pages"), UnavailableError("the disk is full")], ids=repr)
async def test_a_database_that_fails_costs_measuring_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def fail(*_: object) -> None:
        raise error

    store = open_vectors(tmp_path / "vectors.db", AT).store
    for method in ("read", "write"):
        monkeypatch.setattr(store, method, fail)
    measured = Measurements()
    measured.keep_in(KeptCalibrations(Calibrations(store), TrioClock()))

    assert (await measured.of(HashEmbedder())).weight > 0
    await store.aclose()
