"""How much work something takes, without a clock on the wall."""

import gc
import time
from collections.abc import Callable
from typing import Final

LOOSE: Final = 3.0  # twice the length takes twice the time, four times where every part meets every other
NOISE_S: Final = 0.05


def grows_with_length(work: Callable[[int], object], size: int) -> bool:
    """Whether ``work`` on twice the ``size`` takes about twice the processor time, not four times."""
    if _time(work, 2 * size) <= NOISE_S:
        return True
    return least_time(work, 2 * size) <= LOOSE * least_time(work, size) + NOISE_S


def least_time(work: Callable[[int], object], size: int) -> float:
    """The least processor time that ``work`` on ``size`` took, in seconds."""
    spent = []
    for _ in range(3):
        gc.collect()
        spent.append(_time(work, size))
    return min(spent)


def _time(work: Callable[[int], object], size: int) -> float:
    started = time.thread_time()
    work(size)
    return time.thread_time() - started
