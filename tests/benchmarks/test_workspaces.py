import pytest

from benchmarks.cost import Cost
from benchmarks.workspaces import median_pair


def pair(measured_s: float, floor_s: float) -> tuple[Cost, Cost]:
    return Cost(1, measured_s, measured_s, 0), Cost(1, floor_s, floor_s, 0)


@pytest.mark.parametrize(
    ("pairs", "median"),
    [
        ([(6, 1)], (6, 1)),
        ([(6, 2), (5, 1), (8, 2)], (8, 2)),  # neither the least cost nor the least floor
        ([(9, 1), (8, 2), (6, 1), (10, 2)], (10, 2)),
    ],
)
def test_the_pair_with_the_median_ratio_is_taken(
    pairs: list[tuple[float, float]], median: tuple[float, float]
) -> None:
    measured, floor = median_pair([pair(*each) for each in pairs])
    assert (measured.wall_s, floor.wall_s) == median
