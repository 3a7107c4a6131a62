import numpy as np
import pytest

from openclaw_memd.ports import Calibration


def test_scores_of_many_cosines_are_those_of_each() -> None:
    calibration = Calibration(floor=0.7, ceiling=0.9, weight=0.5)
    cosines = np.array([-1.0, 0.7, 0.75, 0.9, 1.0], dtype=np.float32)

    scores = calibration.score_all(cosines)

    assert scores == pytest.approx([calibration.score(float(cosine)) for cosine in cosines], abs=1e-6)
    assert scores[0] == 0.0
    assert scores[-1] == 1.0
