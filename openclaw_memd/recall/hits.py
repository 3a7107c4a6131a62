"""Drafts as callers see them."""

from collections.abc import Iterable
from dataclasses import replace

from openclaw_memd.domain.framing import Excerpt, frame
from openclaw_memd.domain.passages import PASSAGE_CHARS, cut_around
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.index.rows import ChunkRow
from openclaw_memd.recall.drafts import Draft
from openclaw_memd.recall.query import Query, find_match
from openclaw_memd.recall.types import Hit, cite

SCORE_DIGITS = 6


def place_hit(row: ChunkRow, start_line: int, end_line: int, text: str) -> Hit:
    """Lines of a chunk as a hit that nothing was scored by."""
    return Hit(
        path=row.path,
        start_line=start_line,
        end_line=end_line,
        text=text,
        score=0.0,
        vector_score=None,
        text_score=None,
        exact=False,
        weak=False,
        tier=row.tier,
        source=row.source,
        origin=row.origin,
        session_kind=row.session_kind,
        observed_at=row.observed_on,
        importance=row.importance,
        triggers=row.triggers,
        projects=row.projects,
        supersedes_key=row.supersedes_key,
        citation=cite(row.path, start_line, end_line),
    )


def make_hit(draft: Draft, query: Query, analyzer: Analyzer, *, weak: bool, explain: bool) -> Hit:
    """The hit of ``draft``; a line that is too long is cut around the first word of the query in it."""
    row, text = draft.row, draft.text
    if len(text) > PASSAGE_CHARS:
        text = cut_around(text, _place_of_match(text, query, analyzer))
    return replace(
        place_hit(row, draft.start_line, draft.end_line, text),
        score=round(draft.score, SCORE_DIGITS),
        vector_score=_rounded(draft.vector_score),
        text_score=_rounded(draft.text_score),
        exact=draft.exact,
        weak=weak,
        why=_explain(draft) if explain else None,
        best_line=draft.start_line + draft.best,
    )


def frame_hits(hits: Iterable[Hit]) -> str:
    """The hits as one block for a prompt."""
    return frame([_excerpt(hit) for hit in hits])


def _excerpt(hit: Hit) -> Excerpt:
    return Excerpt(hit.citation, hit.text, hit.origin, hit.tier, hit.observed_at, weak=hit.weak)


def _explain(draft: Draft) -> dict[str, float | str]:
    """The score is ``passage``, its best line merged with the neighbours, times all of the factors."""
    why: dict[str, float | str] = {name: round(value, SCORE_DIGITS) for name, value in draft.factors.items()}
    for name, score in (("text", draft.text_score), ("vector", draft.vector_score)):
        if score is not None:
            why[name] = round(score, SCORE_DIGITS)
    if draft.path_rank:
        why["named"] = ("name without suffix", "file name", "path")[draft.path_rank - 1]
    if draft.is_over:
        why["over"] = "superseded" if draft.row.status == "superseded" else "expired"
    return why


def _place_of_match(text: str, query: Query, analyzer: Analyzer) -> int:
    """Where a word of the query is first, or else a part of one; the start when neither is there."""
    place = find_match(text, query.terms, analyzer)
    if place is None:
        place = find_match(text, [part for term in query.terms for part in term.parts], analyzer)
    return place or 0


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, SCORE_DIGITS)
