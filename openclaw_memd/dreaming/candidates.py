"""From the rows of the ledger to the candidates of a night. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from openclaw_memd.domain.concept_tags import find_tags
from openclaw_memd.domain.contamination import find_contamination
from openclaw_memd.domain.promotion_score import Signals
from openclaw_memd.domain.recall_signals import sum_signals
from openclaw_memd.domain.short_term import is_session_path
from openclaw_memd.dreaming.types import Candidate
from openclaw_memd.index.ledger.signal_rows import CandidateRow


def find_unfit(rows: Sequence[CandidateRow]) -> frozenset[str]:
    """The keys of those whose text is no memory: nothing, or what a runtime wrapped around one."""
    return frozenset(row.key for row in rows if not row.text.strip() or _is_contaminated(row))


def _is_contaminated(row: CandidateRow) -> bool:
    is_session = all(source.is_session for source in row.sources)
    return find_contamination(row.text, is_session=is_session) is not None


def candidate_of(row: CandidateRow) -> Candidate:
    """A candidate as nights look at it; ``row`` has a source."""
    first, *elsewhere = row.sources
    tags = find_tags(first.path, row.text)
    keys = {source.supersedes_key for source in row.sources}
    return Candidate(
        key=row.key,
        text=row.text,
        path=first.path,
        start_line=first.start_line,
        end_line=first.end_line,
        is_session=is_session_path(first.path),
        provenance=row.provenance,
        signals=_with_phases(row, len(tags)),
        tags=tags,
        projects=tuple(dict.fromkeys(key for source in row.sources for key in source.projects)),
        supersedes_key=next(iter(keys)) if len(keys) == 1 else None,
        noted_on=first.noted_on,
        promoted_at=row.promoted_at,
        rejected_at=row.rejected_at,
        considered_at=row.phases.considered_at,
        elsewhere=tuple(elsewhere),
    )


def _with_phases(row: CandidateRow, tags: int) -> Signals:
    phases = row.phases
    return replace(
        sum_signals(row.signals),
        tags=tags,
        light_hits=phases.light_hits,
        rem_hits=phases.rem_hits,
        last_light_at=phases.last_light_at,
        last_rem_at=phases.last_rem_at,
    )
