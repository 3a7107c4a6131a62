"""How much work something takes, without a clock on the wall."""

import gc
import math
import time
from collections.abc import Callable
from typing import Final

LOOSE: Final = 3.0  # twice the length takes twice the time, four times where every part meets every other
NOISE_S: Final = 0.05
LEAST_ROUNDS: Final = 3
MOST_ROUNDS: Final = 10  # as long as it seems too much: others may be at work on the same processor


def grows_with_length(work: Callable[[int], object], size: int) -> bool:
    """Whether ``work`` on twice the ``size`` takes about twice the processor time, not four times."""
    if _time(work, 2 * size) <= NOISE_S:
        return True
    once = twice = math.inf
    for number in range(1, MOST_ROUNDS + 1):  # by turns, since what disturbs one disturbs the other too
        once, twice = min(once, _quiet_time(work, size)), min(twice, _quiet_time(work, 2 * size))
        if number >= LEAST_ROUNDS and twice <= LOOSE * once + NOISE_S:
            return True
    return False


def least_time(work: Callable[[int], object], size: int) -> float:
    """The least processor time that ``work`` on ``size`` took, in seconds."""
    return min(_quiet_time(work, size) for _ in range(LEAST_ROUNDS))


def _quiet_time(work: Callable[[int], object], size: int) -> float:
    gc.collect()
    return _time(work, size)


def _time(work: Callable[[int], object], size: int) -> float:
    started = time.thread_time()
    work(size)
    return time.thread_time() - started
