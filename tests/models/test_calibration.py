import numpy as np
import pytest

from openclaw_memd.models.calibration import (
    FULL_WEIGHT,
    calibration_pairs,
    fit_calibration,
    measure_calibration,
)
from tests.fakes import HashEmbedder


def test_the_pairs_are_in_many_languages_and_say_different_things() -> None:
    pairs = calibration_pairs()

    assert len(pairs) >= 40
    assert len({language for pair in pairs for language in pair.languages}) >= 8
    assert sum(pair.languages[0] != pair.languages[1] for pair in pairs) >= 4
    assert len({pair.query for pair in pairs}) == len({pair.passage for pair in pairs}) == len(pairs)


def test_a_perfect_model_gets_the_full_weight() -> None:
    rows = np.eye(10, dtype=np.float32)

    calibration = fit_calibration(rows, rows)

    assert (calibration.floor, calibration.ceiling, calibration.weight) == (0.0, 1.0, FULL_WEIGHT)


def test_a_model_that_says_the_same_of_everything_has_no_spread_but_a_calibration() -> None:
    rows = np.tile(np.array([[1.0, 0.0]], np.float32), (10, 1))

    calibration = fit_calibration(rows, rows)

    assert calibration.floor < calibration.ceiling
    assert calibration.weight < 0.2 * FULL_WEIGHT


def test_a_model_that_finds_the_wrong_notes_weighs_little() -> None:
    rows = np.eye(10, dtype=np.float32)

    calibration = fit_calibration(rows, np.roll(rows, 1, axis=0))

    assert calibration.weight < 0.2 * FULL_WEIGHT
    assert calibration.floor < calibration.ceiling


def test_the_squeezed_cosines_of_some_models_are_stretched() -> None:
    rng = np.random.default_rng(7)
    common = np.full(64, 2.0)
    topics = rng.normal(size=(40, 64))
    queries = common + topics + 0.3 * rng.normal(size=(40, 64))
    passages = common + topics + 0.3 * rng.normal(size=(40, 64))
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    passages /= np.linalg.norm(passages, axis=1, keepdims=True)

    calibration = fit_calibration(queries.astype(np.float32), passages.astype(np.float32))

    assert calibration.floor > 0.7
    assert calibration.score(calibration.floor) == 0.0
    assert calibration.score(calibration.ceiling) == pytest.approx(1.0)


async def test_measuring_is_deterministic_and_asks_for_both_kinds() -> None:
    embedder = HashEmbedder()

    assert await measure_calibration(embedder) == await measure_calibration(embedder)
    assert {kind for kind, _ in embedder.calls} == {"query", "passage"}
