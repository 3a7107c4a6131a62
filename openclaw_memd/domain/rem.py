"""The second phase of a night: what many candidates are about, and which may last. Pure.

Themes are tags that many have, in any of their forms; what may last is what kept being of use. Both are
judged by numbers alone, so they are the same in every language. The constants are OpenClaw's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, Protocol, TypeVar

from openclaw_memd.domain.light import DayOf, merge_duplicates, was_of_use
from openclaw_memd.domain.promotion_gates import Claim, why_ineligible
from openclaw_memd.domain.promotion_score import Signals
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.themes import find_common

REM_LOOKBACK_DAYS: Final = 7
REM_LIMIT: Final = 10
LEAST_STRENGTH: Final = 0.75
LEAST_COUNT: Final = 2
"""What one memory alone is about is no theme, however few there are."""

MOST_TRUTHS: Final = 3
LEAST_CONFIDENCE: Final = 0.45
SHOWN_EVIDENCE: Final = 3

_AVERAGE: Final = 0.45
_RECALLS: Final = 0.25
_DAYS: Final = 0.20
_TAGS: Final = 0.10
_SATURATING_RECALLS: Final = 6
_SATURATING_DAYS: Final = 3
_SATURATING_TAGS: Final = 6


class Tagged(Claim, Protocol):
    """A candidate that REM can look at."""

    @property
    def tags(self) -> tuple[str, ...]:
        """What it is about."""
        ...

    @property
    def considered_at(self) -> datetime | None:
        """When REM last looked at it."""
        ...


T = TypeVar("T", bound=Tagged)


@dataclass(frozen=True, slots=True)
class Theme(Generic[T]):
    """What many candidates are about. ``strength`` is 0 to 1, ``count`` how many they are."""

    tag: str
    count: int
    strength: float
    evidence: tuple[T, ...]


@dataclass(frozen=True, slots=True)
class Truth(Generic[T]):
    """What may last; ``confidence`` is 0 to 1."""

    candidate: T
    confidence: float


@dataclass(frozen=True, slots=True)
class Reflection(Generic[T]):
    """What REM found. ``considered`` were looked at, so that they are not preferred again."""

    themes: tuple[Theme[T], ...]
    truths: tuple[Truth[T], ...]
    considered: tuple[T, ...]


def reflect(candidates: Sequence[T], now: datetime, day_of: DayOf, analyzer: Analyzer) -> Reflection[T]:
    """Look at what was of use in the last week: at what light chose since the last time, else at all."""
    entries = [
        one
        for one in candidates
        if why_ineligible(one) is None and was_of_use(one.signals, now, day_of, REM_LOOKBACK_DAYS)
    ]
    staged = [one for one in entries if _waits(one)]
    entries = staged or entries
    return Reflection(_find_themes(entries, analyzer), _find_truths(entries, analyzer), tuple(staged))


def confidence(signals: Signals) -> float:
    """How likely a candidate is to last, 0 to 1."""
    average = min(1.0, max(0.0, signals.total_score / max(1, signals.count)))
    recalls = min(1.0, math.log1p(signals.recalls) / math.log1p(_SATURATING_RECALLS))
    days = min(1.0, len(set(signals.days)) / _SATURATING_DAYS)
    tags = min(1.0, signals.tags / _SATURATING_TAGS)
    return _AVERAGE * average + _RECALLS * recalls + _DAYS * days + _TAGS * tags


def _waits(candidate: Tagged) -> bool:
    signals = candidate.signals
    if signals.light_hits == 0 or signals.last_light_at is None:
        return False
    looks = [at for at in (signals.last_rem_at, candidate.considered_at) if at is not None]
    return not looks or signals.last_light_at > max(looks)


def _find_themes(entries: Sequence[T], analyzer: Analyzer) -> tuple[Theme[T], ...]:
    themes = [
        Theme(
            one.name,
            len(one.having),
            min(1.0, 2 * len(one.having) / len(entries)),
            tuple(entries[number] for number in one.having[:SHOWN_EVIDENCE]),
        )
        for one in find_common([entry.tags for entry in entries], analyzer)
    ]
    strong = [theme for theme in themes if theme.strength >= LEAST_STRENGTH and theme.count >= LEAST_COUNT]
    strong.sort(key=lambda theme: (-theme.strength, -theme.count, theme.tag))
    return tuple(strong[:REM_LIMIT])


def _find_truths(entries: Sequence[T], analyzer: Analyzer) -> tuple[Truth[T], ...]:
    judged = [Truth(one, confidence(one.signals)) for one in entries]
    judged.sort(key=lambda truth: (-truth.confidence, truth.candidate.text, truth.candidate.key))
    likely = [truth for truth in judged if truth.confidence >= LEAST_CONFIDENCE]
    by_key = {truth.candidate.key: truth for truth in likely}
    merged = merge_duplicates([truth.candidate for truth in likely], analyzer)
    return tuple(by_key[one.candidate.key] for one in merged[:MOST_TRUTHS])
