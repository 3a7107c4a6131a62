"""Expressions of time in eight languages, as dates: a listed set, and nothing that is guessed.

The list is in ``timewords_*`` and in the documentation. What lies wholly in the future is left out: nobody
has noted it yet.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from re import Match, Pattern
from typing import Final

from openclaw_memd.domain import timespans
from openclaw_memd.domain.dates import iso_date
from openclaw_memd.domain.timespans import DateRange, Resolve
from openclaw_memd.domain.timetable import TimeWords
from openclaw_memd.domain.timewords_cjk import CHINESE, JAPANESE, KOREAN
from openclaw_memd.domain.timewords_germanic import ENGLISH, GERMAN
from openclaw_memd.domain.timewords_romance import PORTUGUESE, SPANISH
from openclaw_memd.domain.timewords_russian import RUSSIAN

LANGUAGES: Final[tuple[TimeWords, ...]] = (
    ENGLISH,
    SPANISH,
    PORTUGUESE,
    GERMAN,
    RUSSIAN,
    CHINESE,
    JAPANESE,
    KOREAN,
)
Rule = Callable[[Match[str]], Resolve]
_Compiled = tuple[TimeWords, Pattern[str], Rule]
EARLIEST_YEAR: Final = 1970
_ISO = re.compile(r"(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])")


@dataclass(frozen=True, slots=True)
class TimeMention:
    """``text[start:end]`` names these days."""

    start: int
    end: int
    range: DateRange


def find_times(text: str, today: date) -> tuple[TimeMention, ...]:
    """What ``text`` names of the past, in its order, as of ``today``; no two overlap, the longest counts.

    A range that reaches beyond ``today`` ends there.
    """
    found = [mention for mention in _find_all(text, today) if mention.range.after <= today]
    found.sort(key=lambda mention: (mention.start - mention.end, mention.start))
    kept: list[TimeMention] = []  # in the order of the text, so that one can overlap with two of them only
    for mention in found:
        place = bisect_left(kept, mention.start, key=_start)
        above, below = kept[max(0, place - 1) : place], kept[place : place + 1]
        if all(one.end <= mention.start for one in above) and all(mention.end <= one.start for one in below):
            kept.insert(place, mention)
    return tuple(kept)


def _start(mention: TimeMention) -> int:
    return mention.start


def without_times(text: str, mentions: Sequence[TimeMention]) -> str:
    """``text`` with a blank in the place of each of its mentions."""
    parts: list[str] = []
    position = 0
    for mention in mentions:
        parts.append(text[position : mention.start])
        position = mention.end
    return " ".join([*parts, text[position:]])


def _find_all(text: str, today: date) -> Iterator[TimeMention]:
    for match in _ISO.finditer(text):
        day = iso_date(match[0])
        if day is not None:
            yield TimeMention(match.start(), match.end(), DateRange(day, day))
    for words, pattern, resolve_match in _RULES:
        for match in pattern.finditer(text):
            try:
                range_ = resolve_match(match)(today)
            except (ValueError, OverflowError):
                continue
            if range_.before.year >= EARLIEST_YEAR:
                last = today if words.goes_on(match[0]) else range_.before
                end = max(range_.after, min(last, today))
                yield TimeMention(match.start(), match.end(), DateRange(range_.after, end))


class _Resolver:
    """From a match of one language's pattern to what it means."""

    def __init__(self, words: TimeWords) -> None:
        self._words = words

    def rules(self) -> Iterator[tuple[Pattern[str], Rule]]:
        words = self._words
        for pattern, resolve in words.fixed.items():
            yield words.compile(pattern), _constant(resolve)
        for template in words.ago:
            yield words.compile(template), self._ago
        for template in words.since:
            yield words.compile(template), self._since
        for template in words.weekday:
            yield words.compile(template), self._weekday
        for template in words.weekday_of_last_week:
            yield words.compile(template), self._weekday_of_last_week
        for template in words.month:
            yield words.compile(template), self._month
        for template in words.date:
            yield words.compile(template), self._date
        for template in words.year:
            yield words.compile(template), lambda match: timespans.whole_year(int(match["year"]))

    def _ago(self, match: Match[str]) -> Resolve:
        few, many = self._words.count(match["n"])
        return timespans.ago(few, many, self._words.unit_of(match["unit"]))

    def _since(self, match: Match[str]) -> Resolve:
        _, many = self._words.count(match["n"])
        return timespans.since(many, self._words.unit_of(match["unit"]))

    def _weekday(self, match: Match[str]) -> Resolve:
        return timespans.weekday(self._words.weekday_of(match["weekday"]))

    def _weekday_of_last_week(self, match: Match[str]) -> Resolve:
        return timespans.weekday_of_week(self._words.weekday_of(match["weekday"]), -1)

    def _month(self, match: Match[str]) -> Resolve:
        return timespans.month(self._words.month_of(match["month"]), _year(match))

    def _date(self, match: Match[str]) -> Resolve:
        return timespans.day_of_month(int(match["day"]), self._words.month_of(match["month"]), _year(match))


def _constant(resolve: Resolve) -> Rule:
    return lambda _match: resolve


def _year(match: Match[str]) -> int | None:
    year = match.groupdict().get("year")
    return None if year is None else int(year)


def _compile(languages: Iterable[TimeWords]) -> tuple[_Compiled, ...]:
    return tuple((words, *rule) for words in languages for rule in _Resolver(words).rules())


_RULES: Final = _compile(LANGUAGES)
