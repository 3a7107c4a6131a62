"""Instants as the ledger stores them: text that sorts by time."""

from datetime import UTC, datetime


def to_stamp(at: datetime) -> str:
    """The aware ``at`` in UTC to the microsecond, always of the same length."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def from_stamp(stamp: str) -> datetime:
    """The aware instant."""
    return datetime.fromisoformat(stamp)
