"""What a night tells of itself, without any text of a memory: that is looked up by key when it is shown."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Self

import msgspec

from openclaw_memd.domain.dream_pages import Phase
from openclaw_memd.domain.promotion_gates import Judged
from openclaw_memd.domain.promotion_score import Score
from openclaw_memd.dreaming.types import Candidate
from openclaw_memd.index.ledger.nights import Cause, Outcome

COMPONENTS = ("frequency", "relevance", "diversity", "recency", "consolidation", "conceptual", "boost")


class Stored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a report as the ledger keeps it."""


class GateValue(Stored, frozen=True, kw_only=True):
    """One gate."""

    gate: str
    value: float
    threshold: float
    passed: bool


class CandidateLine(Stored, frozen=True, kw_only=True):
    """One candidate: its score by its parts, every gate, why it is out, and what was done with it.

    ``action`` is that of consolidation, ``setback`` why it wrote nothing.
    """

    key: str
    path: str
    start_line: int
    end_line: int
    score: float
    components: dict[str, float]
    gates: tuple[GateValue, ...]
    excluded: str | None = None
    action: str | None = None
    setback: str | None = None

    @classmethod
    def of(cls, judged: Judged[Candidate], *, action: str | None = None, setback: str | None = None) -> Self:
        """What is told of a candidate."""
        candidate = judged.candidate
        return cls(
            key=candidate.key,
            path=candidate.path,
            start_line=candidate.start_line,
            end_line=candidate.end_line,
            score=round(judged.score.shown, 6),
            components=components_of(judged.score),
            gates=tuple(
                GateValue(
                    gate=gate.gate.value,
                    value=round(gate.value, 6),
                    threshold=gate.threshold,
                    passed=gate.passed,
                )
                for gate in judged.gates
            ),
            excluded=None if judged.excluded is None else judged.excluded.value,
            action=action,
            setback=setback,
        )


class LightPart(Stored, frozen=True, kw_only=True):
    """What light did."""

    staged: int
    merged: int


class ThemeLine(Stored, frozen=True, kw_only=True):
    """A theme by its numbers; its tag is in the report that people read."""

    count: int
    strength: float


class TruthLine(Stored, frozen=True, kw_only=True):
    """What may last."""

    key: str
    confidence: float


class RemPart(Stored, frozen=True, kw_only=True):
    """What REM did."""

    considered: int
    themes: tuple[ThemeLine, ...]
    truths: tuple[TruthLine, ...]


class Conflict(Stored, frozen=True, kw_only=True):
    """Two places that may say different things of the same matter; both stay."""

    source: str
    other: str


class DeepPart(Stored, frozen=True, kw_only=True):
    """What deep did. ``excluded`` counts candidates by their reason.

    ``due`` and ``expired`` are citations of curated entries whose date has come; ``retired`` counts
    aspirations that were marked as over.
    """

    ranked: int
    promoted: int
    proposed: int = 0
    excluded: dict[str, int] = msgspec.field(default_factory=dict)
    setbacks: dict[str, int] = msgspec.field(default_factory=dict)
    candidates: tuple[CandidateLine, ...] = ()
    preimage_ids: tuple[int, ...] = ()
    due: tuple[str, ...] = ()
    expired: tuple[str, ...] = ()
    retired: int = 0
    conflicts: tuple[Conflict, ...] = ()
    fallback: str | None = None


class NightReport(Stored, frozen=True, kw_only=True):
    """One sweep. ``problems`` are codes of what could not be done beside: pages, diary.

    ``told`` are the keys of what a chat model wrote into the diary about, ``finishes`` the interrupted runs
    whose promotions this one told of.
    """

    run_id: str
    cause: Cause
    local_date: date
    mode: str
    dry_run: bool = False
    started_at: datetime
    ended_at: datetime | None = None
    outcome: Outcome | None = None
    phases: tuple[Phase, ...] = ()
    notes_read: int = 0
    lines_read: int = 0
    light: LightPart | None = None
    rem: RemPart | None = None
    deep: DeepPart | None = None
    diary: str | None = None
    told: tuple[str, ...] = ()
    finishes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def components_of(score: Score) -> dict[str, float]:
    """The parts of a score by name, not weighted."""
    return {name: round(getattr(score, name), 6) for name in COMPONENTS}


def count(values: Mapping[str, str]) -> dict[str, int]:
    """How often each value is there, by value."""
    found: dict[str, int] = {}
    for value in sorted(values.values()):
        found[value] = found.get(value, 0) + 1
    return found
