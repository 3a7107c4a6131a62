"""The real clock and randomness behind the ports."""

import random
import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds from an arbitrary origin that never goes back."""
        return time.monotonic()


class SystemRng:
    """The interpreter's generator: jitter needs no secrecy."""

    def random(self) -> float:
        """A float in [0, 1)."""
        return random.random()
