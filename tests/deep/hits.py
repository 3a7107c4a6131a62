"""Hits as a search would give them."""

from datetime import date

from openclaw_memd.domain.provenance import Origin, SessionKind, Source, Tier
from openclaw_memd.recall.types import Hit, SearchAnswer, cite


def make_hit(
    text: str,
    *,
    path: str = "memory/2026-01-11.md",
    start_line: int = 3,
    score: float = 0.5,
    origin: Origin = Origin.AGENT,
    weak: bool = False,
    exact: bool = False,
    importance: int | None = None,
) -> Hit:
    """A hit of a note with this text."""
    end_line = start_line + text.count("\n")
    return Hit(
        path=path,
        start_line=start_line,
        end_line=end_line,
        text=text,
        score=score,
        vector_score=None,
        text_score=score,
        exact=exact,
        weak=weak,
        tier=Tier.EPISODIC,
        source=Source.MEMORY,
        origin=origin,
        session_kind=SessionKind.UNKNOWN,
        observed_at=date(2026, 1, 11),
        importance=importance,
        triggers=(),
        projects=(),
        supersedes_key=None,
        citation=cite(path, start_line, end_line),
    )


def answer_of(*hits: Hit) -> SearchAnswer:
    """What a search answers with these hits."""
    return SearchAnswer(hits, context="", mode="keyword", freshness="fresh", pending=0, took_ms=1.0)
