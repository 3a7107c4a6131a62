"""The first phase of a night: which of the newest candidates are looked at more closely. Pure.

The limits are OpenClaw's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Generic, TypeVar

from openclaw_memd.domain.promotion_gates import Claim, why_ineligible
from openclaw_memd.domain.promotion_score import Signals
from openclaw_memd.domain.similarity import Outline, jaccard, near_duplicate, outline
from openclaw_memd.domain.text import Analyzer

LIGHT_LOOKBACK_DAYS: Final = 2
LIGHT_LIMIT: Final = 100
TOLD_JACCARD: Final = 0.35
"""What the last entries of the diary have told, or so much of it, goes behind what they have not."""

C = TypeVar("C", bound=Claim)
DayOf = Callable[[datetime], date]
"""The local day of an instant."""


@dataclass(frozen=True, slots=True)
class Staged(Generic[C]):
    """A candidate that light chose; ``merged`` are near-duplicates from the same place."""

    candidate: C
    merged: tuple[C, ...] = ()

    @property
    def recalls(self) -> int:
        """How often one of them was recalled, at most."""
        return max(one.signals.recalls for one in (self.candidate, *self.merged))


def choose_light(
    candidates: Sequence[C], now: datetime, day_of: DayOf, analyzer: Analyzer, *, told: Sequence[str] = ()
) -> tuple[Staged[C], ...]:
    """What was of use in the last two days and is new since light last chose it, the newest first.

    ``told`` are the last entries of the diary.
    """
    fresh = [
        one
        for one in candidates
        if why_ineligible(one) is None
        and was_of_use(one.signals, now, day_of, LIGHT_LOOKBACK_DAYS)
        and _is_fresh(one.signals)
    ]
    fresh.sort(key=_newest)
    staged = merge_duplicates(fresh, analyzer)
    stories = [outline(text, analyzer) for text in told]
    staged.sort(key=lambda one: _was_told(one.candidate.text, told, stories, analyzer))  # stable
    return tuple(staged[:LIGHT_LIMIT])


def was_of_use(signals: Signals, now: datetime, day_of: DayOf, days: int) -> bool:
    """Whether a candidate was of use in the last ``days``; what only notes say is judged by their days."""
    since = now - timedelta(days=days)
    first = day_of(since)
    if any(day >= first for day in signals.days):
        return True
    only_noted = signals.recalls + signals.grounded == 0
    return not only_noted and signals.last_at is not None and signals.last_at >= since


def merge_duplicates(candidates: Sequence[C], analyzer: Analyzer) -> list[Staged[C]]:
    """``candidates`` in their order, each with later ones from the same place that say the same."""
    groups: list[list[C]] = []
    by_path: dict[str, list[list[C]]] = {}
    for one in candidates:
        same_place = by_path.setdefault(one.path, [])
        group = next((each for each in same_place if near_duplicate(each[0].text, one.text, analyzer)), None)
        if group is None:
            group = []
            same_place.append(group)
            groups.append(group)
        group.append(one)
    return [Staged(first, tuple(rest)) for first, *rest in groups]


def _is_fresh(signals: Signals) -> bool:
    if signals.light_hits == 0 or signals.last_light_at is None:
        return True
    return signals.last_at is not None and signals.last_at > signals.last_light_at


def _newest(candidate: Claim) -> tuple[float, int, str, str]:
    last_at = candidate.signals.last_at
    stamp = 0.0 if last_at is None else last_at.timestamp()
    return -stamp, -candidate.signals.recalls, candidate.path, candidate.key


def _was_told(text: str, told: Sequence[str], stories: Sequence[Outline], analyzer: Analyzer) -> bool:
    if any(text in story for story in told):
        return True
    words = frozenset(outline(text, analyzer).words)
    return any(words and jaccard(words, frozenset(story.words)) >= TOLD_JACCARD for story in stories)
