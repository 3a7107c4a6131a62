"""Instants as other programs write them down."""

import math
from datetime import UTC, datetime, timedelta
from typing import Final

LEAST_MILLISECONDS: Final = 1e11
"""Smaller numbers are seconds; as milliseconds they would lie before March 1973."""

EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
LATEST_AHEAD: Final = timedelta(minutes=5)
"""How far another machine's clock may be ahead."""


def read_instant(value: object) -> datetime | None:
    """An aware instant from RFC 3339 text or from a number of seconds or milliseconds since 1970.

    Text with no offset is UTC. None when it is neither.
    """
    if isinstance(value, str):
        return _read_text(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = value if abs(value) < LEAST_MILLISECONDS else value / 1000
        return datetime.fromtimestamp(seconds, UTC) if math.isfinite(seconds) else None
    except (OverflowError, OSError, ValueError):
        return None


def clamp_instant(at: datetime | None, now: datetime) -> datetime:
    """``at`` in UTC where it can be true; ``now`` where it is unknown, impossible or yet to come."""
    if at is None or not EARLIEST <= at <= now + LATEST_AHEAD:
        return now
    return min(at, now).astimezone(UTC)


def _read_text(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return None
