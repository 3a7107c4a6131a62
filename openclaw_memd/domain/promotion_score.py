"""How much a candidate deserves a place in MEMORY.md. Pure.

The formula, its weights and constants are OpenClaw's. The sum is compared with the least score as it is, and
shown between 0 and 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

FREQUENCY: Final = 0.24
RELEVANCE: Final = 0.30
DIVERSITY: Final = 0.15
RECENCY: Final = 0.15
CONSOLIDATION: Final = 0.10
CONCEPTUAL: Final = 0.06
LIGHT_BOOST: Final = 0.06
REM_BOOST: Final = 0.09

_SATURATING_SIGNALS: Final = 10
_SATURATING_QUERIES: Final = 5
_SATURATING_TAGS: Final = 6
_SATURATING_GROUNDED: Final = 3
_SATURATING_DAYS: Final = 5
_SATURATING_SPAN_DAYS: Final = 7
_SATURATING_PHASES: Final = 6
_BOOST_HALF_LIFE_DAYS: Final = 14.0
_ONE_DAY: Final = 0.2
_SPACING_SHARE: Final = 0.55
_SPAN_SHARE: Final = 0.45
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of one candidate: how often it was of use, and to what.

    ``total_score`` is the sum of the scores (0 to 1) of its signals, ``queries`` the number of different
    questions that people asked, ``days`` those on which it was recalled, ``tags`` the number of its concepts.
    """

    recalls: int = 0
    dailies: int = 0
    grounded: int = 0
    total_score: float = 0.0
    queries: int = 0
    days: Sequence[date] = ()
    tags: int = 0
    last_at: datetime | None = None
    light_hits: int = 0
    rem_hits: int = 0
    last_light_at: datetime | None = None
    last_rem_at: datetime | None = None

    @property
    def count(self) -> int:
        """All signals together."""
        return self.recalls + self.dailies + self.grounded


@dataclass(frozen=True, slots=True)
class Score:
    """A score by its parts, each between 0 and 1 and not weighted yet; ``boost`` is added as it is."""

    frequency: float
    relevance: float
    diversity: float
    recency: float
    consolidation: float
    conceptual: float
    boost: float

    @property
    def total(self) -> float:
        """The sum that gates are about; it may be over 1."""
        return (
            FREQUENCY * self.frequency
            + RELEVANCE * self.relevance
            + DIVERSITY * self.diversity
            + RECENCY * self.recency
            + CONSOLIDATION * self.consolidation
            + CONCEPTUAL * self.conceptual
            + self.boost
        )

    @property
    def shown(self) -> float:
        """The sum between 0 and 1."""
        return _clamp(self.total)


def score_signals(signals: Signals, now: datetime, *, half_life_days: float = 14.0) -> Score:
    """The score of a candidate at ``now``."""
    count = signals.count
    return Score(
        frequency=_saturate(count, _SATURATING_SIGNALS),
        relevance=_clamp(signals.total_score / max(1, count)),
        diversity=_clamp(signals.queries / _SATURATING_QUERIES),
        recency=_decay(signals.last_at, now, half_life_days, missing=1.0),
        consolidation=max(_spread(signals.days), _clamp(signals.grounded / _SATURATING_GROUNDED)),
        conceptual=_clamp(signals.tags / _SATURATING_TAGS),
        boost=_clamp(
            _phase(LIGHT_BOOST, signals.light_hits, signals.last_light_at, now)
            + _phase(REM_BOOST, signals.rem_hits, signals.last_rem_at, now)
        ),
    )


def _phase(share: float, hits: int, last_at: datetime | None, now: datetime) -> float:
    return (
        share * _saturate(hits, _SATURATING_PHASES) * _decay(last_at, now, _BOOST_HALF_LIFE_DAYS, missing=0.0)
    )


def _spread(days: Sequence[date]) -> float:
    """How far recalls are spread: one day says little, several over a week say most."""
    distinct = sorted(set(days))
    if len(distinct) < 2:
        return _ONE_DAY * len(distinct)
    span_days = (distinct[-1] - distinct[0]).days
    spacing = _clamp(math.log(len(distinct)) / math.log(_SATURATING_DAYS))
    return _clamp(_SPACING_SHARE * spacing + _SPAN_SHARE * _clamp(span_days / _SATURATING_SPAN_DAYS))


def _saturate(count: int, most: int) -> float:
    return _clamp(math.log1p(max(0, count)) / math.log1p(most))


def _decay(last_at: datetime | None, now: datetime, half_life_days: float, *, missing: float) -> float:
    if last_at is None:
        return missing
    age_days = max(0.0, (now - last_at) / _DAY)
    return math.exp(-math.log(2) * age_days / half_life_days)


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))
