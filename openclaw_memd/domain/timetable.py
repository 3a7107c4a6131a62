"""The words with which a language names times, and the patterns made of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from re import Pattern

from openclaw_memd.domain.timespans import Resolve, Unit

_PLACEHOLDER = re.compile(r"\{(n|unit|weekday|month|day|year)\}")
_DAY = r"0?[1-9]|[12]\d|3[01]"
_YEAR = r"(?:19|20)\d\d"


@dataclass(frozen=True, slots=True)
class TimeWords:
    """One language's list.

    ``fixed`` phrases mean one thing each. In the templates ``{n}``, ``{unit}``, ``{weekday}``, ``{month}``,
    ``{day}`` and ``{year}`` stand for one of the words below or for digits. ``numbers`` have the fewest and
    the most that a word means. What stands before or after an expression that means "from then on" is one of
    ``onward_before`` or ``onward_after``. ``spaced`` languages match whole words only.
    """

    language: str
    fixed: Mapping[str, Resolve]
    numbers: Mapping[str, tuple[int, int]]
    units: Mapping[str, Unit]
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    ago: tuple[str, ...]
    since: tuple[str, ...]
    weekday: tuple[str, ...]
    weekday_of_last_week: tuple[str, ...]
    month: tuple[str, ...]
    date: tuple[str, ...]
    year: tuple[str, ...]
    onward_before: str
    onward_after: str = ""
    spaced: bool = True

    def compile(self, template: str) -> Pattern[str]:
        """The pattern of a template, for any case."""
        pattern = _PLACEHOLDER.sub(lambda found: self._group(found[1]), template)
        gap = " " if self.spaced else " ?"
        pattern = rf"(?:(?:{self.onward_before}){gap})?(?:{pattern})"
        if self.onward_after:
            pattern += rf"(?: ?(?:{self.onward_after}))?"
        pattern = pattern.replace(" ?", r"\s{0,4}").replace(" ", r"\s{1,4}")
        if self.spaced:
            pattern = rf"(?<!\w)(?:{pattern})(?!\w)"
        return re.compile(pattern, re.IGNORECASE)

    def goes_on(self, expression: str) -> bool:
        """Whether what a pattern found means from then on until today."""
        boundary = r"(?!\w)" if self.spaced else ""
        if re.match(rf"(?:{self.onward_before}){boundary}", expression, re.IGNORECASE):
            return True
        return bool(self.onward_after) and bool(
            re.search(rf"(?:{self.onward_after})\Z", expression, re.IGNORECASE)
        )

    def count(self, word: str) -> tuple[int, int]:
        """The fewest and the most that a number means."""
        if word.isdecimal():
            return int(word), int(word)
        squeezed = " ".join(word.split())
        return next(count for name, count in self.numbers.items() if _is(name, squeezed))

    def unit_of(self, word: str) -> Unit:
        """What is counted."""
        return next(unit for pattern, unit in self.units.items() if _is(pattern, word))

    def weekday_of(self, word: str) -> int:
        """0 for Monday."""
        return next(number for number, pattern in enumerate(self.weekdays) if _is(pattern, word))

    def month_of(self, word: str) -> int:
        """1 for January; a number is itself."""
        if word.isdecimal():
            return int(word)
        return next(number for number, pattern in enumerate(self.months, start=1) if _is(pattern, word))

    def _group(self, name: str) -> str:
        choices = {
            "n": "|".join([r"\d{1,4}", *sorted(self.numbers, key=len, reverse=True)]),
            "unit": "|".join(self.units),
            "weekday": "|".join(self.weekdays),
            "month": "|".join(self.months),
            "day": _DAY,
            "year": _YEAR,
        }
        return f"(?P<{name}>{choices[name]})"


def _is(pattern: str, word: str) -> bool:
    """Whether ``pattern`` found ``word``. Compared as it was found: folding knows fewer letters as equal."""
    return re.fullmatch(pattern, word, re.IGNORECASE) is not None
