"""Keeping an answer from saying the same thing twice, or from one place only."""

from collections.abc import Callable, Hashable, Sequence
from math import ceil
from typing import Final

MMR_LAMBDA: Final = 0.7  # the share of relevance against novelty: OpenClaw's value

Terms = frozenset[str]


def similarity(left: Terms, right: Terms) -> float:
    """Jaccard similarity of two sets of terms; two empty sets are alike."""
    common = len(left & right)
    union = len(left) + len(right) - common
    return common / union if union else 1.0


def reaches(left: Terms, right: Terms, least: float) -> bool:
    """Whether the similarity of two sets is at least ``least``: mostly their sizes tell that it is not."""
    fewer, more = sorted((len(left), len(right)))
    return fewer >= least * more and similarity(left, right) >= least


def select_diverse(
    relevance: Sequence[float], likeness: Callable[[int, int], float], limit: int
) -> list[int]:
    """Which ``limit`` texts to show, by maximal marginal relevance, in the order of choice.

    ``relevance`` and ``likeness`` (of two texts, by position) are 0..1. Equal values go by position.
    """
    waiting = list(range(len(relevance)))
    repeats = [0.0] * len(relevance)
    worth = [MMR_LAMBDA * one for one in relevance]
    chosen: list[int] = []
    while waiting and len(chosen) < limit:
        best = max(waiting, key=worth.__getitem__)
        waiting.remove(best)
        chosen.append(best)
        for one in waiting:
            alike = likeness(one, best)
            if alike > repeats[one]:
                repeats[one] = alike
                worth[one] = MMR_LAMBDA * relevance[one] - (1 - MMR_LAMBDA) * alike
    return chosen


def share_out(groups: Sequence[Hashable], limit: int) -> list[int]:
    """Which ``limit`` of ranked items to take so that no group takes more than its share of the places.

    A share is ``limit`` by the number of groups, rounded up. Places that the other groups leave go to the
    next best of any. Positions ascend.
    """
    share = ceil(limit / max(1, len(set(groups))))
    counts: dict[Hashable, int] = {}
    first: list[int] = []
    rest: list[int] = []
    for position, group in enumerate(groups):
        counts[group] = counts.get(group, 0) + 1
        (first if counts[group] <= share else rest).append(position)
    return sorted((first + rest)[:limit])
