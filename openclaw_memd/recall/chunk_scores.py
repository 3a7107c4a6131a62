"""How well each line of a candidate chunk answers a query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import prod
from typing import Final, NamedTuple

from openclaw_memd.domain.matching import AnalysedText, TextMatch
from openclaw_memd.domain.provenance import Tier
from openclaw_memd.domain.scoring import (
    merge_scores,
    score_importance,
    score_project,
    score_recency,
    score_text,
)
from openclaw_memd.index.line_texts import lines_with_text
from openclaw_memd.index.rows import ChunkRow

LINE_SHARE: Final = 2 / 3
"""How much of a passage's vector score is its best line's; the rest is its chunk's."""


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """The calibrated vector scores of a text, 0..1: of the whole and, where they are known, of its lines.

    ``lines`` are those of the lines that have text.
    """

    whole: float
    lines: Sequence[float] | None

    def spread(self, lines: Sequence[str]) -> list[float]:
        """The vector score of each of a chunk's ``lines``; a blank one has no share of its own."""
        places = lines_with_text(lines)
        if self.lines is None or len(self.lines) != len(places):
            return [self.whole] * len(lines)
        scores = [(1 - LINE_SHARE) * self.whole] * len(lines)
        for (place, _), score in zip(places, self.lines, strict=True):
            scores[place] += LINE_SHARE * score
        return scores


@dataclass(frozen=True, slots=True)
class Conditions:
    """What scores depend on besides texts: the day, settings, the caller's projects, the model's weight."""

    today: date
    half_life_days: float
    project_keys: frozenset[str]
    model_weight: float

    def is_over(self, row: ChunkRow) -> bool:
        """Whether a text is superseded or expired."""
        return row.status == "superseded" or (row.expires_on is not None and row.expires_on < self.today)

    def factors(self, row: ChunkRow) -> dict[str, float]:
        """What the merged score is multiplied by, by name."""
        recency = 1.0
        if row.dated and row.observed_on is not None:
            recency = score_recency((self.today - row.observed_on).days, self.half_life_days)
        return {
            "recency": recency,
            "importance": score_importance(row.importance),
            "project": score_project(row.projects, self.project_keys),
        }


class ScoredChunk(NamedTuple):
    """A chunk and what each of its lines has of the query: by words, by meaning, and after all."""

    row: ChunkRow
    text: AnalysedText
    match: TextMatch
    vectors: Sequence[float] | None
    factors: Mapping[str, float]
    texts: Sequence[float]
    scores: Sequence[float]

    def answers(self) -> list[bool]:
        """Which lines answer by themselves: by a word of the query, or by their meaning.

        A chunk that has no word of it but stands under a heading or in a file that has answers with its first
        line: once for a curated entry, which does not hold its heading, and once for a file.
        """
        if self.vectors is not None:
            return [True] * len(self.text.lines)
        worded = self.match.lines
        if not worded and any(self.match.in_context) and _stands_for_its_context(self.row):
            worded = frozenset(place for place, _ in lines_with_text(self.text.lines)[:1])
        return [line in worded for line in range(len(self.text.lines))]


def _stands_for_its_context(row: ChunkRow) -> bool:
    return row.tier is Tier.CURATED or row.ordinal == 0


def score_chunk(
    row: ChunkRow,
    text: AnalysedText,
    match: TextMatch,
    vectors: ChunkVectors | None,
    conditions: Conditions,
) -> ScoredChunk:
    """Merge text and vectors and multiply by the factors, line by line."""
    factors = conditions.factors(row)
    factor = prod(factors.values())
    texts = list(map(score_text, match.shares))
    spread = None if vectors is None else vectors.spread(text.lines)
    merged = texts if spread is None else merge_scores(spread, texts, conditions.model_weight)
    scores = [factor * score for score in merged]
    return ScoredChunk(row, text, match, spread, factors, texts, scores)
