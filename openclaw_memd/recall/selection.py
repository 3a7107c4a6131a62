"""What of the drafts is shown: the threshold, sameness, shares of places, and trust."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from math import ceil
from typing import Final

from openclaw_memd.domain.diversity import Terms, reaches, select_diverse, share_out, similarity
from openclaw_memd.recall.drafts import Draft

ALIKE: Final = 0.5
"""Jaccard similarity of terms from which a passage repeats another."""

NEARLY_SAME: Final = 0.8
"""Jaccard similarity of terms from which two passages are compared word by word."""

SaysSame = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The drafts of some trust tiers that may be shown, in their order.

    ``kept`` pass the threshold or are not held to it. ``weak`` show words of the query, would pass but for
    their age, or would be kept but are over; they come behind all that is kept. ``best_below`` is the highest
    score of what is in neither. ``is_partial``: something was left out whose file cannot be read now.
    """

    kept: tuple[Draft, ...] = ()
    weak: tuple[Draft, ...] = ()
    best_below: float | None = None
    is_partial: bool = False

    def settled(self, drafts: Iterable[Draft], *, is_partial: bool) -> "Ranked":
        """The same with other versions of its drafts, those of ``kept`` first."""
        versions = iter(drafts)
        kept = tuple(islice(versions, len(self.kept)))
        return Ranked(kept, tuple(versions), self.best_below, is_partial)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What limits an answer. ``names_identifier``: an identifier of the query goes before mere likeness."""

    min_score: float
    limit: int
    names_identifier: bool


def rank_drafts(
    drafts: Iterable[Draft], bounds: Bounds, says_same: SaysSame, shown: Sequence[Draft] = ()
) -> Ranked:
    """Order ``drafts``, leave out what says the same as another or as something ``shown``, and choose.

    A file that the query names comes first. When the query names an identifier, drafts without a text score
    come behind those with one. What is superseded or expired comes last.
    """

    def standing(draft: Draft) -> int:
        if draft.path_rank:
            return 3 - draft.path_rank
        return 4 if bounds.names_identifier and draft.text_score is None else 3

    likeness = _Likeness()
    ordered = sorted(
        drafts, key=lambda draft: (standing(draft), -draft.score, draft.row.path, draft.start_line)
    )
    distinct = _drop_same(sorted(ordered, key=lambda draft: draft.is_over), likeness, says_same, shown)
    passing = [draft for draft in distinct if passes(draft, bounds.min_score) and not draft.is_over]
    failing = [draft for draft in distinct if not passes(draft, bounds.min_score) or draft.is_over]
    diverse = [
        draft for _, equals in groupby(passing, standing) for draft in _diversify(list(equals), likeness)
    ]
    kept = [diverse[index] for index in share_out([draft.row.source for draft in diverse], bounds.limit)]
    backed = [draft for draft in failing if _is_backed(draft, bounds.min_score)]
    weak = [
        draft
        for _, equals in groupby(backed, lambda draft: draft.is_over)
        for draft in _diversify(list(equals), likeness)
    ]
    below = [draft.score for draft in failing if not _is_backed(draft, bounds.min_score)]
    return Ranked(tuple(kept), tuple(weak[: bounds.limit - len(kept)]), max(below, default=None))


def passes(draft: Draft, min_score: float) -> bool:
    """Whether a draft is shown as a full answer: no threshold hides what has every word or was named."""
    return draft.score >= min_score or draft.exact or draft.complete


def _is_backed(draft: Draft, min_score: float) -> bool:
    """Whether a draft that does not pass may be shown as a weak one: it has a word, or is near enough."""
    return draft.worded or draft.ageless_score >= min_score


def seat(trusted: Ranked, untrusted: Ranked, limit: int) -> list[Draft]:
    """Fill ``limit`` places.

    Trusted drafts that pass come before anything else gets a place. Of the places then left, untrusted ones
    that pass get at most half as long as weak trusted ones wait. Shown are first those that pass, best first.
    """
    kept = list(trusted.kept[:limit])
    room = limit - len(kept)
    outside = list(untrusted.kept[: room - min(len(trusted.weak), ceil(room / 2))])
    weak = [*trusted.weak[: room - len(outside)], *untrusted.weak][: room - len(outside)]
    return [*_interleave(kept, outside), *weak]


def _interleave(trusted: Sequence[Draft], untrusted: Sequence[Draft]) -> list[Draft]:
    """Both by score, each in its own order."""
    merged: list[Draft] = []
    waiting = list(untrusted)
    for draft in trusted:
        while waiting and waiting[0].score > draft.score and not draft.exact:
            merged.append(waiting.pop(0))
        merged.append(draft)
    return merged + waiting


class _Likeness:
    """How much passages repeat one another. Each pair is compared once, and whole only if lines are alike."""

    def __init__(self) -> None:
        self._terms: dict[int, Terms] = {}
        self._known: dict[tuple[int, int], float] = {}

    def measure(self, left: Draft, right: Draft) -> float:
        """Jaccard similarity of two passages whose best lines are alike; 0 for all others.

        Notes are full of common words, so some likeness is no repetition; nor is one line that two notes
        have, as long as the rest differs.
        """
        alike = self._known.get((id(left), id(right)))
        if alike is None:
            alike = self._compare(left, right)
            self._known[id(left), id(right)] = self._known[id(right), id(left)] = alike
        return alike

    def _compare(self, left: Draft, right: Draft) -> float:
        if not reaches(left.best_terms, right.best_terms, ALIKE):
            return 0.0
        alike = similarity(self._terms_of(left), self._terms_of(right))
        return alike if alike >= ALIKE else 0.0

    def _terms_of(self, draft: Draft) -> Terms:
        terms = self._terms.get(id(draft))
        if terms is None:
            terms = self._terms[id(draft)] = frozenset(" ".join(draft.term_lines).split())
        return terms


def _drop_same(
    drafts: Sequence[Draft], likeness: _Likeness, says_same: SaysSame, shown: Sequence[Draft]
) -> list[Draft]:
    kept: list[Draft] = []
    for draft in drafts:
        if not any(
            likeness.measure(draft, other) >= NEARLY_SAME and says_same(draft.text, other.text)
            for other in (*shown, *kept)
        ):
            kept.append(draft)
    return kept


def _diversify(drafts: Sequence[Draft], likeness: _Likeness) -> list[Draft]:
    scores = [draft.score for draft in drafts]
    chosen = select_diverse(
        scores, lambda one, other: likeness.measure(drafts[one], drafts[other]), len(drafts)
    )
    return [drafts[index] for index in chosen]
