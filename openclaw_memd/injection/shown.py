"""Curated entries as callers see them: as hits, and as excerpts for a prompt."""

from openclaw_memd.curated.entries import CuratedEntry
from openclaw_memd.domain.framing import Excerpt
from openclaw_memd.domain.provenance import Source, Tier
from openclaw_memd.injection.triggers import TriggerHit
from openclaw_memd.recall.types import Hit

SCORE_DIGITS = 6


def excerpt_of(entry: CuratedEntry) -> Excerpt:
    """The entry with its source and date."""
    return Excerpt(entry.citation, entry.entry.text, entry.provenance.origin, Tier.CURATED, entry.observed_on)


def hit_of(found: TriggerHit) -> Hit:
    """The entry that a message brought up, in the shape of a search's hits; its text is whole."""
    entry, annotations = found.entry, found.entry.entry.annotations
    return Hit(
        path=entry.file,
        start_line=entry.entry.start_line,
        end_line=entry.entry.end_line,
        text=entry.entry.text,
        score=round(found.score, SCORE_DIGITS),
        vector_score=None,
        text_score=round(found.relevance, SCORE_DIGITS),
        exact=False,
        weak=False,
        tier=Tier.CURATED,
        source=Source.MEMORY,
        origin=entry.provenance.origin,
        session_kind=entry.provenance.session_kind,
        observed_at=entry.observed_on,
        importance=annotations.importance,
        triggers=annotations.triggers,
        projects=annotations.projects,
        supersedes_key=annotations.key,
        citation=entry.citation,
    )
