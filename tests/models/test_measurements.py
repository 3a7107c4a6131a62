"""Calibrations are measured once for a model, whoever asks, and outlive the process where they are kept."""

from functools import partial

import pytest
import trio

from openclaw_memd.models.calibration import Measurements
from openclaw_memd.ports import Calibration, EmbedderError
from tests.fakes import HashEmbedder

KNOWN = Calibration(0.1, 0.9, 0.5)


class Shelf:
    def __init__(self, **kept: Calibration) -> None:
        self.kept = {name.replace("_", "-"): calibration for name, calibration in kept.items()}

    async def get(self, model: str) -> Calibration | None:
        await trio.lowlevel.checkpoint()
        return self.kept.get(model)

    async def put(self, model: str, dims: int, calibration: Calibration) -> None:
        await trio.lowlevel.checkpoint()
        assert dims == 32
        self.kept[model] = calibration


async def test_a_model_is_measured_once_however_many_ask_at_once() -> None:
    embedder, measured = HashEmbedder(), Measurements()
    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(partial(measured.of, embedder))
    calls = len(embedder.calls)

    await measured.of(embedder)

    assert calls == len(embedder.calls)
    assert len(embedder.embedded_texts) == 48


async def test_what_is_kept_is_not_measured_again() -> None:
    embedder, measured = HashEmbedder(), Measurements()
    measured.keep_in(Shelf(hash_1=KNOWN))

    assert await measured.of(embedder) == KNOWN
    assert embedder.calls == []


async def test_what_is_measured_is_kept() -> None:
    shelf, measured = Shelf(), Measurements()
    measured.keep_in(shelf)

    found = await measured.of(HashEmbedder())

    assert shelf.kept == {"hash-1": found}


async def test_another_model_is_measured_by_itself() -> None:
    embedder, measured = HashEmbedder(), Measurements()
    first = await measured.of(embedder)
    embedder.model_id = "hash-2"

    assert await measured.of(embedder) != first


async def test_a_failure_is_not_remembered() -> None:
    embedder, measured = HashEmbedder(), Measurements()
    embedder.faults.append(EmbedderError("down"))
    with pytest.raises(EmbedderError):
        await measured.of(embedder)

    assert (await measured.of(embedder)).weight > 0


async def test_a_measurement_of_two_models_is_none() -> None:
    embedder, measured = HashEmbedder(), Measurements()
    shelf = Shelf()
    measured.keep_in(shelf)

    async def change() -> None:
        embedder.model_id = "hash-2"
        await trio.lowlevel.checkpoint()

    embedder.before_answer = change
    with pytest.raises(EmbedderError, match="changed"):
        await measured.of(embedder)

    assert shelf.kept == {}
