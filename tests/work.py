"""How much work something takes, without a clock on the wall."""

import gc
import math
import time
from collections.abc import Callable
from typing import Final

LONGER: Final = 4
LOOSE: Final = 2.0 * LONGER  # where every part meets every other it takes sixteen times as long, else four
NOISE_S: Final = 0.05
ROUNDS: Final = 3
MOST_ROUNDS: Final = 10  # as long as it seems too much: others may be at work on the same processor


def grows_with_length(work: Callable[[int], object], size: int) -> bool:
    """Whether ``work`` on ``size`` takes about four times the processor time of a quarter of it, no more."""
    long = _quiet_time(work, size)
    if long <= NOISE_S:
        return True  # too little to tell
    short = math.inf
    for _ in range(MOST_ROUNDS):  # by turns, since what disturbs one disturbs the other too
        short = min(short, least_time(work, size // LONGER))
        if long <= LOOSE * short:
            return True
        long = min(long, _quiet_time(work, size))
    return False


def least_time(work: Callable[[int], object], size: int) -> float:
    """The least processor time that ``work`` on ``size`` took, in seconds."""
    return min(_quiet_time(work, size) for _ in range(ROUNDS))


def _quiet_time(work: Callable[[int], object], size: int) -> float:
    gc.collect()
    started = time.thread_time()
    work(size)
    return time.thread_time() - started
