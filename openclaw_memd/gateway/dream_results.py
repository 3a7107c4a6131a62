"""What the calls about dreaming take, and what they answer."""

from datetime import date
from typing import Annotated, Literal

from msgspec import Meta

from openclaw_memd.gateway.results import Result, Written
from openclaw_memd.gateway.schemas import CallParams, WriteParams

Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]


class DreamRunParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``dream.run``."""

    phase: Annotated[Literal["light", "rem", "deep", "all"], Meta(description="one phase, or all three")] = (
        "all"
    )
    dry_run: Annotated[bool, Meta(description="tell what would be promoted now, and write nothing")] = False
    wait: Annotated[bool, Meta(description="answer when it is done")] = False


class DreamStatusParams(CallParams, frozen=True, kw_only=True):
    """Params of ``dream.status``."""


class DreamReportParams(CallParams, frozen=True, kw_only=True):
    """Params of ``dream.report``."""

    run_id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=128)] | None, Meta(description="default: the last")
    ] = None


class DreamCandidatesParams(CallParams, frozen=True, kw_only=True):
    """Params of ``dream.candidates``."""

    limit: Annotated[int, Meta(ge=1, le=200, description="candidates at most")] = 50


class DreamExplainParams(CallParams, frozen=True, kw_only=True):
    """Params of ``dream.explain``."""

    query: Annotated[str, Meta(min_length=1, description="a key, a path, or words of what it says")]


class DreamDiaryParams(CallParams, frozen=True, kw_only=True):
    """Params of ``dream.diary``."""

    limit: Annotated[int, Meta(ge=1, le=200, description="entries at most")] = 10


class GateReport(Result, frozen=True, kw_only=True):
    """One gate of promotion."""

    gate: str
    value: float
    threshold: float
    passed: bool


class CandidateReport(Result, frozen=True, kw_only=True):
    """One candidate; ``text`` is null when it is not known any more."""

    key: str
    text: str | None
    path: str
    start_line: int
    end_line: int
    score: Share
    components: Annotated[dict[str, float], Meta(description="parts of the score, not weighted; and boost")]
    gates: tuple[GateReport, ...]
    origin: str | None = None
    excluded: Annotated[str | None, Meta(description="the first reason for which it is out")] = None
    action: Annotated[str | None, Meta(description="added, merged, superseded, reconciled or proposed")] = (
        None
    )
    setback: Annotated[str | None, Meta(description="why it was chosen and not written")] = None


class LightReport(Result, frozen=True, kw_only=True):
    """What light did."""

    staged: Count
    merged: Count


class ThemeReport(Result, frozen=True, kw_only=True):
    """What many candidates have in common."""

    count: Count
    strength: Share


class TruthReport(Result, frozen=True, kw_only=True):
    """What may last."""

    key: str
    confidence: Share


class RemReport(Result, frozen=True, kw_only=True):
    """What REM did."""

    considered: Count
    themes: tuple[ThemeReport, ...]
    truths: tuple[TruthReport, ...]


class ConflictReport(Result, frozen=True, kw_only=True):
    """Two places that may contradict one another; both stay."""

    source: str
    other: str


class DeepReport(Result, frozen=True, kw_only=True):
    """What deep did, or would do."""

    ranked: Annotated[int, Meta(ge=0, description="candidates that were judged")]
    promoted: Count
    proposed: Count = 0
    excluded: Annotated[dict[str, int], Meta(description="candidates by the first reason they are out for")]
    setbacks: Annotated[dict[str, int], Meta(description="chosen ones that were not written, by reason")]
    candidates: tuple[CandidateReport, ...]
    preimage_ids: Annotated[tuple[int, ...], Meta(description="for memory.diff and memory.undo")] = ()
    due: Annotated[tuple[str, ...], Meta(description="curated entries whose review date has come")] = ()
    expired: Annotated[tuple[str, ...], Meta(description="curated entries that expired")] = ()
    retired: Annotated[int, Meta(ge=0, description="aspirations that expired, now marked superseded")] = 0
    conflicts: tuple[ConflictReport, ...] = ()
    fallback: Annotated[str | None, Meta(description="why a chat model's plan was not followed")] = None


class DreamReport(Written, frozen=True, kw_only=True):
    """One night."""

    run_id: Annotated[str, Meta(description="for dream.undo; empty for a dry run")]
    cause: str
    local_date: date
    mode: str
    dry_run: bool = False
    started_at: str
    ended_at: str | None = None
    outcome: str | None = None
    phases: tuple[str, ...] = ()
    notes_read: Count = 0
    lines_read: Annotated[int, Meta(ge=0, description="lines of sessions")] = 0
    light: LightReport | None = None
    rem: RemReport | None = None
    deep: DeepReport | None = None
    diary: Annotated[str | None, Meta(description="how an entry was written: model or rule")] = None
    problems: Annotated[tuple[str, ...], Meta(description="pages that could not be written, and why")] = ()


class PhaseState(Result, frozen=True, kw_only=True):
    """One phase by the schedule."""

    phase: str
    last_date: Annotated[date | None, Meta(description="the last local date that it was done for")]


class DreamStatus(Result, frozen=True, kw_only=True):
    """Where dreaming stands."""

    mode: str
    zone: str
    running: bool
    last_run_id: str | None
    last_run_at: str | None
    last_outcome: str | None
    next_run_at: str | None
    phases: tuple[PhaseState, ...]
    short_term: Annotated[int, Meta(ge=0, description="candidates that wait")]
    promoted: Annotated[int, Meta(ge=0, description="claims that were promoted")]


class DreamCandidates(Result, frozen=True, kw_only=True):
    """The candidates as they would be judged now, the best first; ``total`` counts all."""

    candidates: tuple[CandidateReport, ...]
    total: Count


class DreamExplained(Result, frozen=True, kw_only=True):
    """The best match, if anything that was of use is one."""

    candidates: Annotated[tuple[CandidateReport, ...], Meta(description="one at most")]
    citation: Annotated[str | None, Meta(description="where a curated file says the same")]
    reason: Annotated[str, Meta(description="why it is in a curated file, or is not, in one sentence")]


class DiaryReport(Result, frozen=True, kw_only=True):
    """One entry of the diary; ``run_id`` is null for one of OpenClaw's, and for a backfill."""

    when: str
    text: str
    run_id: str | None
    backfill: Annotated[bool, Meta(description="it tells of an old note or session, and of no night")] = False


class DreamDiary(Result, frozen=True, kw_only=True):
    """The diary, the newest entry first."""

    entries: tuple[DiaryReport, ...]
