"""The factors of a hit's score, each 0..1 or a multiplier near 1."""

from collections.abc import Collection, Sequence
from math import exp2, log
from typing import Final

BM25_K1: Final = 1.2  # the usual values of Okapi BM25, which FTS5 has too
BM25_B: Final = 0.75

TEXT_HALF: Final = 0.3
"""The share of a perfect match from which more counts less (tuned by ``benchmarks.retrieval``)."""

PASSAGE_WEIGHT: Final = 2 / 3
"""How much of a model's weight its vectors get beside words: the cosines of single lines say less than
those of whole texts, which the weight was measured on (tuned like ``TEXT_HALF``)."""

ALONE_WEIGHT: Final = 0.85
"""How much of it they get where words say little, as between languages (tuned like ``TEXT_HALF``)."""

RECENCY_FLOOR: Final = 0.6
FOREIGN_PROJECT: Final = 0.90  # this and the next are OpenClaw's values
ACTIVE_PROJECT: Final = 1.15


def inverse_frequency(frequency: int, documents: int) -> float:
    """BM25's weight of a term that ``frequency`` of ``documents`` texts hold; positive, rarer is more."""
    frequency = min(frequency, documents)
    return log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def saturate(count: float, length_ratio: float) -> float:
    """BM25's worth of a term that occurs ``count`` times, as a share of what it can be at most.

    ``length_ratio`` is the text's length over the mean length; 0 takes no account of length.
    """
    norm = 1 - BM25_B + BM25_B * length_ratio if length_ratio else 1.0
    return count / (count + BM25_K1 * norm)


def score_text(share: float) -> float:
    """The text score of a BM25 sum that is ``share`` of the largest sum that the query's terms could reach.

    This is OpenClaw's mapping of a rank r to r / (1 + r), with r in units of ``TEXT_HALF`` and scaled so that
    the largest sum gives 1. A term that is missing lowers the share by its weight, so coverage is in it.
    """
    return share * (1 + TEXT_HALF) / (share + TEXT_HALF)


def merge_scores(vectors: Sequence[float], texts: Sequence[float], model_weight: float) -> list[float]:
    """For each line ``w * vector + (1 - w) * text`` with w a share of ``model_weight``.

    A text that is near is not worth less for having few words of the query, so the vector score by itself is
    the least.
    """
    alone, beside = ALONE_WEIGHT * model_weight, PASSAGE_WEIGHT * model_weight
    return [
        max(alone * vector, beside * vector + (1 - beside) * text)
        for vector, text in zip(vectors, texts, strict=True)
    ]


def score_recency(age_days: float, half_life_days: float) -> float:
    """Half for each half-life, never under ``RECENCY_FLOOR``, so that old facts stay in sight."""
    return max(RECENCY_FLOOR, exp2(-max(0.0, age_days) / half_life_days))


def score_importance(importance: int | None) -> float:
    """0.80 for 1 to 1.25 for 10; 1 for none and for 5 (OpenClaw's values)."""
    return 1.0 if importance is None else 0.75 + 0.05 * min(10, max(1, importance))


def score_project(projects: Collection[str], active: Collection[str]) -> float:
    """Up for a text all of whose projects are active, down for one of another project."""
    if not projects or not active:
        return 1.0
    return ACTIVE_PROJECT if all(project in active for project in projects) else FOREIGN_PROJECT
