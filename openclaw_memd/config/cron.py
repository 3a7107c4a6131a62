"""Cron expressions: five fields, as crontab(5) has them. Only their syntax for now."""

import re
from dataclasses import dataclass
from typing import Final

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NUMBER: Final = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class _Field:
    """What one field may be; ``names`` stand for the numbers from ``least`` on."""

    name: str
    least: int
    most: int
    names: tuple[str, ...] = ()

    def value(self, text: str) -> int | None:
        """The number that ``text`` stands for; None when it is none of this field's."""
        if text.lower() in self.names:
            return self.least + self.names.index(text.lower())
        number = int(text) if _NUMBER.fullmatch(text) else -1
        return number if self.least <= number <= self.most else None


_FIELDS: Final = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of week", 0, 7, _DAYS),  # 0 and 7 are both Sunday
)


def find_cron_fault(expression: str) -> str | None:
    """What is wrong with a cron expression, as the end of a sentence; None when it is one.

    Each field is ``*`` or a list of values and ranges, both with an optional step; months and days of the
    week have English names of three letters.
    """
    parts = expression.split()
    if len(parts) != len(_FIELDS):
        return f"{len(parts)} fields, where a cron expression has {len(_FIELDS)}"
    for field, part in zip(_FIELDS, parts, strict=True):
        if not all(_is_item(field, item) for item in part.split(",")):
            return (
                f"the {field.name} is none of {field.least}-{field.most}, a range, a step or a list of them"
            )
    return None


def _is_item(field: _Field, item: str) -> bool:
    span, slash, step = item.partition("/")
    if slash and not (_NUMBER.fullmatch(step) and 1 <= int(step) <= field.most):
        return False
    if span == "*":
        return True
    first, dash, last = span.partition("-")
    low = field.value(first)
    if low is None or not dash:
        return low is not None and not slash  # a step needs something to step through
    high = field.value(last)
    return high is not None and low <= high
