"""``dream.run`` and the calls that tell of dreaming: how they are served."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from openclaw_memd.domain.claims import CLAIM_CHARS
from openclaw_memd.domain.dream_pages import PHASES, Phase
from openclaw_memd.domain.inert import shorten
from openclaw_memd.domain.promotion_gates import Judged
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.dreaming.dreams import Dreams
from openclaw_memd.dreaming.reports import CandidateLine, NightReport
from openclaw_memd.dreaming.types import Candidate
from openclaw_memd.errors import NotFoundError, TooLargeError
from openclaw_memd.gateway.dream_results import (
    CandidateReport,
    DiaryReport,
    DreamCandidates,
    DreamCandidatesParams,
    DreamDiary,
    DreamDiaryParams,
    DreamExplained,
    DreamExplainParams,
    DreamReport,
    DreamReportParams,
    DreamRunParams,
    DreamStatus,
    DreamStatusParams,
)
from openclaw_memd.gateway.results import JobStarted
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.jobs import Progress

SHOWN_CANDIDATES: Final = 100
"""Of so many candidates, the best, a report shows each."""

SHOWN_CHARS: Final = 280
"""Longer texts are cut where there are many of them."""


async def run(call: Call, params: DreamRunParams) -> Any:
    """``dream.run``."""
    dreams = call.services.agent(params.agent_id).dreams
    phases: tuple[Phase, ...] = PHASES if params.phase == "all" else (params.phase,)

    async def work(progress: Progress) -> object:
        return await (dreams.preview() if params.dry_run else dreams.run(phases, progress))

    wish = "preview" if params.dry_run else params.phase
    job = call.services.jobs.start("dream", work, key=f"{dreams.key} {wish}")
    if not params.wait:
        return JobStarted(job_id=job.id)
    done = await job.wait()  # a job is remembered, so texts, which may be forgotten, are no part of it
    assert isinstance(done, NightReport)
    return await _show_report(dreams, done)


async def report_status(call: Call, params: DreamStatusParams) -> DreamStatus:
    """``dream.status``."""
    return await call.services.agent(params.agent_id).dream_status()


async def report(call: Call, params: DreamReportParams) -> DreamReport:
    """``dream.report``."""
    dreams = call.services.agent(params.agent_id).dreams
    found = await dreams.report(params.run_id)
    if found is None and params.run_id is None:
        raise NotFoundError("no night has a report yet")
    if found is None:
        raise NotFoundError("no run of this id has a report", field="run_id")
    return await _show_report(dreams, found)


async def list_candidates(call: Call, params: DreamCandidatesParams) -> DreamCandidates:
    """``dream.candidates``."""
    judged = await call.services.agent(params.agent_id).dreams.candidates()
    shown = (_show(one, SHOWN_CHARS) for one in judged[: params.limit])
    return DreamCandidates(candidates=tuple(shown), total=len(judged))


async def explain(call: Call, params: DreamExplainParams) -> DreamExplained:
    """``dream.explain``."""
    limit = call.limits.query_bytes
    if len(params.query.encode()) > limit:
        raise TooLargeError(f"query has more than {limit} bytes", reason="query_bytes", field="query")
    found = await call.services.agent(params.agent_id).dreams.explain(params.query)
    if found.judged is None and found.citation is None:
        raise NotFoundError("nothing that was of use says this", field="query")
    return DreamExplained(
        candidates=() if found.judged is None else (_show(found.judged, setback=found.setback),),
        citation=found.citation,
        reason=_why(found.judged, found.citation, found.setback),
    )


async def read_diary(call: Call, params: DreamDiaryParams) -> DreamDiary:
    """``dream.diary``."""
    entries = await call.services.agent(params.agent_id).dreams.diary(params.limit)
    return DreamDiary(
        entries=tuple(
            DiaryReport(
                when=one.when,
                text=one.text,
                run_id=None if one.is_backfill else one.run_id,
                backfill=one.is_backfill,
            )
            for one in entries
        )
    )


def _why(judged: Judged[Candidate] | None, citation: str | None, setback: str | None) -> str:
    if citation is not None:
        return f"{citation} says so."
    assert judged is not None
    if judged.excluded is not None:
        return judged.excluded.description
    if setback is None:
        return "It passes every gate: the next night takes it up."
    known = next((one.description for one in Setback if one == setback), f"It is no memory ({setback}).")
    return f"It passes every gate, but would not be written. {known}"


async def _show_report(dreams: Dreams, found: NightReport) -> DreamReport:
    facts = msgspec.to_builtins(found)
    if found.deep is not None:
        texts = await dreams.texts()
        shown = [_with_text(line, texts) for line in found.deep.candidates[:SHOWN_CANDIDATES]]
        facts["deep"] = {"excluded": {}, "setbacks": {}, **facts["deep"], "candidates": shown}
    return msgspec.convert(facts, DreamReport)


def _with_text(line: CandidateLine, texts: Mapping[str, str]) -> dict[str, Any]:
    text = texts.get(line.key)
    return {**msgspec.to_builtins(line), "text": None if text is None else shorten(text, SHOWN_CHARS)}


def _show(
    judged: Judged[Candidate], most_chars: int = CLAIM_CHARS, *, setback: str | None = None
) -> CandidateReport:
    line, candidate = CandidateLine.of(judged, setback=setback), judged.candidate
    facts = {**msgspec.to_builtins(line), "text": shorten(candidate.text, most_chars)}
    return msgspec.convert({**facts, "origin": candidate.provenance.origin.value}, CandidateReport)


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="dream.run",
        right="A",
        pace="job",
        params=DreamRunParams,
        results=(DreamReport, JobStarted),
        handler=run,
        summary="Dream now: read what is new, and bring what kept being of use into the curated files.",
        example={"dry_run": True, "wait": True},
    ),
    Method(
        name="dream.status",
        right="R",
        pace="read",
        params=DreamStatusParams,
        results=(DreamStatus,),
        handler=report_status,
        summary="When the last night was and when the next one comes.",
        example={},
    ),
    Method(
        name="dream.report",
        right="A",
        pace="read",
        params=DreamReportParams,
        results=(DreamReport,),
        handler=report,
        summary="What a night did, with every candidate, every gate and every reason.",
        example={},
    ),
    Method(
        name="dream.candidates",
        right="A",
        pace="read",
        params=DreamCandidatesParams,
        results=(DreamCandidates,),
        handler=list_candidates,
        summary="What may be promoted, as it would be judged now.",
        example={"limit": 20},
    ),
    Method(
        name="dream.explain",
        right="A",
        pace="read",
        params=DreamExplainParams,
        results=(DreamExplained,),
        handler=explain,
        summary="Why something is in a curated file, or is not.",
        example={"query": "gateway port"},
    ),
    Method(
        name="dream.diary",
        right="A",
        pace="read",
        params=DreamDiaryParams,
        results=(DreamDiary,),
        handler=read_diary,
        summary="The diary in DREAMS.md.",
        example={"limit": 3},
    ),
)
