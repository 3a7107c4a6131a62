"""How long to leave a failing embedder alone."""

from typing import Final

FIRST_DELAY_S: Final = 2.0
LONGEST_DELAY_S: Final = 15 * 60.0
BREAKER_S: Final = 60 * 60.0
JITTER: Final = 0.1


def retry_delay_s(failures: int, *, retry_after_s: float | None, permanent: bool, jitter: float) -> float:
    """Seconds until the next attempt after ``failures`` failures in a row (at least 1).

    What the provider asks for is kept to, up to ``LONGEST_DELAY_S``; without it delays double. A permanent
    failure opens the breaker. ``jitter`` in [0, 1) lengthens by up to a tenth.
    """
    if permanent:
        return BREAKER_S
    asked_s = FIRST_DELAY_S * 2.0 ** min(failures - 1, 16) if retry_after_s is None else retry_after_s
    return min(max(asked_s, FIRST_DELAY_S) * (1.0 + JITTER * jitter), LONGEST_DELAY_S)
