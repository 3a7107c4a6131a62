"""Spans of the calendar: the dates that an expression means on a given day."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, assert_never

Unit = Literal["day", "week", "month", "year"]
DAYS_OF_SLACK: Final = 4
"""Of so many days that somebody counts back, one may be wrong."""

_MONTHS = 12


@dataclass(frozen=True, slots=True)
class DateRange:
    """The days from ``after`` to ``before``, both inclusive."""

    after: date
    before: date


Resolve = Callable[[date], DateRange]
"""The range that is meant on a day.

Raises:
    ValueError, OverflowError: the calendar has no such days.
"""


def days(first: int, last: int | None = None) -> Resolve:
    """From the ``first`` to the ``last`` day, counted from today, which is 0."""
    end = first if last is None else last
    return lambda today: DateRange(today + timedelta(first), today + timedelta(end))


def calendar(unit: Unit, shift: int) -> Resolve:
    """The whole day, week (from Monday), month or year that is ``shift`` of them away."""
    return lambda today: _whole(unit, shift, today)


def ago(fewest: int, most: int, unit: Unit) -> Resolve:
    """From ``most`` to ``fewest`` units back; who counts many days counts roughly."""
    if unit == "day":
        slack = most // DAYS_OF_SLACK if fewest == most else 0
        return days(-most - slack, -fewest + slack)
    return lambda today: DateRange(_whole(unit, -most, today).after, _whole(unit, -fewest, today).before)


def since(count: int, unit: Unit) -> Resolve:
    """From ``count`` units back until today, such as the last three weeks."""
    match unit:
        case "day":
            return days(-count, 0)
        case "week":
            return days(-7 * count, 0)
        case "month" | "year":
            months = count * (_MONTHS if unit == "year" else 1)
            return lambda today: DateRange(_back_months(today, months), today)
        case _:
            assert_never(unit)


def weekday(number: int) -> Resolve:
    """The last such day (0 is Monday) before today."""
    return lambda today: days(-((today.weekday() - number - 1) % 7 + 1))(today)


def weekday_of_week(number: int, shift: int) -> Resolve:
    """That day of the week that is ``shift`` weeks away."""

    def resolve(today: date) -> DateRange:
        day = _whole("week", shift, today).after + timedelta(number)
        return DateRange(day, day)

    return resolve


def weekend() -> Resolve:
    """The last Saturday and Sunday that are both over."""

    def resolve(today: date) -> DateRange:
        sunday = weekday(6)(today).after
        return DateRange(sunday - timedelta(1), sunday)

    return resolve


def month(number: int, year: int | None) -> Resolve:
    """That month; without a year the last one that has begun."""

    def resolve(today: date) -> DateRange:
        chosen = year or (today.year if number <= today.month else today.year - 1)
        first = date(chosen, number, 1)
        return _whole("month", 0, first)

    return resolve


def day_of_month(day: int, number: int, year: int | None) -> Resolve:
    """That date; without a year the last one that has come."""

    def resolve(today: date) -> DateRange:
        if year is not None:
            found = date(year, number, day)
            return DateRange(found, found)
        has_come = (number, day) <= (today.month, today.day)
        found = date(today.year if has_come else today.year - 1, number, day)
        return DateRange(found, found)

    return resolve


def whole_year(year: int) -> Resolve:
    """That year."""
    return lambda _today: DateRange(date(year, 1, 1), date(year, _MONTHS, 31))


def _whole(unit: Unit, shift: int, today: date) -> DateRange:
    match unit:
        case "day":
            return days(shift)(today)
        case "week":
            monday = today - timedelta(today.weekday()) + timedelta(weeks=shift)
            return DateRange(monday, monday + timedelta(6))
        case "month":
            months = today.year * _MONTHS + today.month - 1 + shift
            return DateRange(_first(months), _first(months + 1) - timedelta(1))
        case "year":
            return whole_year(today.year + shift)(today)
        case _:
            assert_never(unit)


def _first(months: int) -> date:
    return date(months // _MONTHS, months % _MONTHS + 1, 1)


def _back_months(today: date, count: int) -> date:
    """The same day so many months back, or the last of its month."""
    first = _first(today.year * _MONTHS + today.month - 1 - count)
    last = _whole("month", 0, first).before
    return min(last, first + timedelta(today.day - 1))
