"""Which archives of a schedule are kept. Pure."""

from collections.abc import Callable, Iterable
from datetime import date, datetime


def choose_kept(
    due_times: Iterable[datetime], day_of: Callable[[datetime], date], *, daily: int, weekly: int
) -> frozenset[datetime]:
    """Of archives by their due times those to keep; ``day_of`` gives the local date.

    The last of each of the newest ``daily`` days that have one, the last of each of the newest ``weekly``
    weeks (ISO 8601) that have one, and the newest of all whatever the numbers are.
    """
    newest_first = sorted(due_times, reverse=True)
    kept = set(newest_first[:1])
    days: set[date] = set()
    weeks: set[tuple[int, int]] = set()
    for due_at in newest_first:
        day = day_of(due_at)
        week = day.isocalendar()[:2]
        if day not in days and len(days) < daily:
            kept.add(due_at)
        if week not in weeks and len(weeks) < weekly:
            kept.add(due_at)
        days.add(day)
        weeks.add(week)
    return frozenset(kept)
