import numpy as np

from openclaw_memd.index.recent_lines import RecentLines
from tests.index.vectors import unit_vectors


def test_each_line_is_missing_once() -> None:
    recent = RecentLines()
    recent.add(["known"], unit_vectors(1, 4))

    assert recent.missing(["b", "known", "a", "b"]) == ["b", "a"]


def test_lines_are_stacked_in_their_order() -> None:
    recent = RecentLines()
    vectors = unit_vectors(2, 4)
    recent.add(["a", "b"], vectors)

    stacked = recent.stack(["b", "a", "b"], 4)

    np.testing.assert_allclose(stacked, [vectors[1], vectors[0], vectors[1]], atol=1e-6)
    assert recent.stack([], 4).shape == (0, 4)


def test_lines_that_were_used_last_are_kept() -> None:
    recent = RecentLines()
    recent.add(["a", "b", "c"], unit_vectors(3, 4))
    recent.stack(["a"], 4)

    recent.shorten(2)

    assert recent.missing(["a", "b", "c"]) == ["b"]
    recent.shorten(5)
    assert len(recent) == 2


def test_vectors_are_of_norm_1_and_unusable_ones_zero() -> None:
    recent = RecentLines()
    recent.add(["long", "odd"], np.array([[3.0, 4.0], [np.nan, 1.0]], dtype=np.float32))

    np.testing.assert_allclose(recent.stack(["long", "odd"], 2), [[0.6, 0.8], [0.0, 0.0]], atol=1e-6)
