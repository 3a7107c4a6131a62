"""What the ledger keeps of claims that were of use, as values."""

from dataclasses import dataclass
from datetime import date, datetime

from openclaw_memd.domain.provenance import Provenance
from openclaw_memd.domain.recall_signals import Signal


@dataclass(frozen=True, slots=True)
class SourceRow:
    """Where a claim stands, lines counted from 1; ``noted_on`` is the day that it is from."""

    path: str
    start_line: int
    end_line: int
    is_session: bool
    noted_on: date | None = None
    supersedes_key: str | None = None
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MovedRow:
    """A place of the candidate ``key`` that was at ``path`` and is ``source`` now."""

    key: str
    path: str
    source: SourceRow


@dataclass(frozen=True, slots=True)
class Sighting:
    """One claim as it was met: what it says, where, who is behind it, and what it was of use for.

    ``key`` is that of the claim and its trust. ``text`` is as much of it as is kept.
    """

    key: str
    text: str
    provenance: Provenance
    source: SourceRow
    signal: Signal


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """How often phases chose a candidate, and when last; ``considered_at`` is when REM looked at it."""

    light_hits: int = 0
    rem_hits: int = 0
    last_light_at: datetime | None = None
    last_rem_at: datetime | None = None
    considered_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A candidate with everything that is known of it; ``sources`` begin with the one to name."""

    key: str
    text: str
    provenance: Provenance
    sources: tuple[SourceRow, ...]
    signals: tuple[Signal, ...]
    phases: PhaseRow = PhaseRow()
    promoted_at: datetime | None = None
    rejected_at: datetime | None = None
