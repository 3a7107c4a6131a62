"""What the sources of candidates say now, and whether that may be promoted; blocks: use a thread."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from openclaw_memd.domain.annotations import NO_ANNOTATIONS, Annotations
from openclaw_memd.domain.commands import is_bare_command
from openclaw_memd.domain.contamination import find_contamination
from openclaw_memd.domain.inert import drop_hiding
from openclaw_memd.domain.lineage import strip_lineage
from openclaw_memd.domain.note_entries import is_blank
from openclaw_memd.domain.promoted_lines import Fact, describe
from openclaw_memd.domain.provenance import Provenance, is_trusted, least_trusted
from openclaw_memd.domain.rehydration import rehydrate, says
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.domain.short_term import may_be_candidate
from openclaw_memd.domain.similarity import near_duplicate
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.unfit import find_unfit
from openclaw_memd.dreaming.sources import ReadSource, Sources
from openclaw_memd.dreaming.types import Candidate, Ranked

_GONE: Final = (Setback.SOURCE_GONE.value, Setback.ORIGIN.value)
"""One place says it no more, or not by somebody who is trusted: another one may."""


@dataclass(frozen=True, slots=True)
class _Live:
    text: str
    start_line: int
    end_line: int
    provenance: Provenance
    annotations: Annotations = NO_ANNOTATIONS


@dataclass(frozen=True, slots=True)
class LiveClaims:
    """Looks candidates up where they come from."""

    sources: Sources
    analyzer: Analyzer

    def look(self, selected: Iterable[Ranked]) -> dict[str, Fact | str]:
        """The fact that each candidate is now, by its key; a reason instead for one that is none."""
        read: dict[str, ReadSource | None] = {}
        return {ranked.candidate.key: self._look(ranked, read) for ranked in selected}

    def _look(self, ranked: Ranked, read: dict[str, ReadSource | None]) -> Fact | str:
        """What the first source says that still says it; what became of the first of all, if none does."""
        found: list[Fact | str] = []
        for candidate in ranked.candidate.places():
            if candidate.path not in read:
                read[candidate.path] = self.sources.find(candidate.path)
            found.append(_look(replace(ranked, candidate=candidate), read[candidate.path], self.analyzer))
            if found[-1] not in _GONE:
                return found[-1]
        return found[0]


def why_unfit(text: str, *, is_session: bool = False) -> str | None:
    """Why a text is no lasting memory; None when it may be one."""
    if is_blank(text):
        return Setback.BLANK.value
    contamination = find_contamination(text, is_session=is_session)
    if contamination is not None:
        return contamination.value
    if is_bare_command(text):
        return Setback.COMMAND.value
    unfit = find_unfit(text)
    return unfit[0][0].value if unfit else None


def _look(ranked: Ranked, source: ReadSource | None, analyzer: Analyzer) -> Fact | str:
    candidate = ranked.candidate
    if candidate.rejected_at is not None:
        return Setback.REJECTED.value
    live = None if source is None else _find(candidate, source, analyzer)
    if live is None:
        return Setback.SOURCE_GONE.value
    behind = [candidate.provenance, live.provenance]
    if not all(_may_be_promoted(one, is_session=candidate.is_session) for one in behind):
        return Setback.ORIGIN.value
    text = drop_hiding(strip_lineage(live.text)).strip()  # of an entry that somebody copied into a note
    unfit = why_unfit(text, is_session=candidate.is_session) or _why_void(live.annotations)
    if unfit is not None:
        return unfit
    return Fact(
        keys=(candidate.key,),
        text=text,
        source=replace(candidate, start_line=live.start_line, end_line=live.end_line).source,
        provenance=least_trusted(behind),
        said=describe(
            live.annotations,
            tags=candidate.tags,
            score=ranked.score.shown,
            projects=candidate.projects,
            key=candidate.supersedes_key,
            noted_on=candidate.noted_on,
        ),
    )


def _why_void(said: Annotations) -> str | None:
    """Why an entry that says this of itself leads to no other; None when it may."""
    if not said.project_valid:
        return Setback.PROJECT.value
    return Setback.SUPERSEDED.value if said.status == "superseded" else None


def _may_be_promoted(provenance: Provenance, *, is_session: bool) -> bool:
    return is_trusted(provenance.origin) and may_be_candidate(provenance, is_session=is_session)


def _find(candidate: Candidate, source: ReadSource, analyzer: Analyzer) -> _Live | None:
    if source.is_session:
        return _find_said(candidate, source, analyzer)
    live = rehydrate(source.parsed, candidate.text, candidate.start_line, candidate.end_line)
    if live is None:
        return None
    text = live.text
    own = source.attribution.of_lines(live.start_line, live.end_line)
    above = [source.attribution.of_lines(line, line) for line in live.context]
    if not all(is_trusted(one.origin) for one in above):
        text = live.body  # what stands above it is from outside, and says nothing of it
    elif above:
        own = replace(own, origin=least_trusted([own, *above]).origin)
    return _Live(text, live.start_line, live.end_line, own, live.annotations)


def _find_said(candidate: Candidate, source: ReadSource, analyzer: Analyzer) -> _Live | None:
    """What was said in these words, else in almost the same: people say it in other words each time."""
    said = source.said(1, len(source.lines))
    found = [one for one in said if says(one.text, candidate.text)]
    found = found or [one for one in said if near_duplicate(one.text, candidate.text, analyzer)]
    near = min(found, key=lambda one: abs(one.source.start_line - candidate.start_line), default=None)
    if near is None:
        return None
    return _Live(near.text, near.source.start_line, near.source.end_line, near.provenance)
