"""Times of many calls."""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Times:
    """Percentiles of some durations, in milliseconds."""

    p50_ms: float
    p95_ms: float
    p99_ms: float

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Self:
        """From at least two durations."""
        cuts = statistics.quantiles((value * 1000 for value in seconds), n=100, method="inclusive")
        return cls(cuts[49], cuts[94], cuts[98])


def timed_s(work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> float:
    """The seconds that a call of ``work`` takes."""
    started = time.perf_counter()
    work(*args, **kwargs)
    return time.perf_counter() - started


def interleave(
    first: Callable[[T], object], second: Callable[[T], object], values: Iterable[T]
) -> tuple[Times, Times]:
    """Times of two ways to do the same, in turn: what else the machine does disturbs both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    for value in values:
        times[0].append(timed_s(first, value))
        times[1].append(timed_s(second, value))
    return Times.of(times[0]), Times.of(times[1])
