"""``dream.backfill`` and ``dream.rollback``: what they take, what they answer and how they are served."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from openclaw_memd.domain.inert import shorten
from openclaw_memd.gateway.results import JobStarted, Result, Written
from openclaw_memd.gateway.schemas import NotePath, WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.jobs import Progress, key_of

if TYPE_CHECKING:
    from openclaw_memd.dreaming.backfill import Backfilled

SHOWN_CHARS = 280

Count = Annotated[int, Meta(ge=0)]


class BackfillParams(WriteParams, frozen=True, kw_only=True, rename={"first": "from", "last": "to"}):
    """Params of ``dream.backfill``."""

    source: Annotated[Literal["notes", "sessions"], Meta(description="what to look through")]
    path: Annotated[
        NotePath | None, Meta(description="one note or session, or a folder of them; default: all")
    ] = None
    first: Annotated[date | None, Meta(description="only what is of this day or later")] = None
    last: Annotated[date | None, Meta(description="only what is of this day or earlier")] = None
    stage: Annotated[
        bool, Meta(description="make what may last candidates as well, and not only write the diary")
    ] = False
    dry_run: Annotated[bool, Meta(description="tell what would be found, and write nothing")] = True
    wait: Annotated[bool, Meta(description="answer when it is done")] = True


class RollbackParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``dream.rollback``."""

    what: Annotated[
        Literal["diary", "staged", "all"],
        Meta(description="entries of the diary, candidates, or both; what was of use otherwise stays"),
    ]
    wait: Annotated[bool, Meta(description="answer when it is done")] = True


class BackfillSample(Result, frozen=True, kw_only=True):
    """One claim; ``text`` is null where a job is told of that nobody waited for."""

    path: str
    line: Annotated[int, Meta(ge=1)]
    text: str | None = None


class BackfillDayReport(Result, frozen=True, kw_only=True):
    """One day."""

    day: date
    candidates: Annotated[int, Meta(ge=0, description="claims that are new")]
    known: Annotated[int, Meta(ge=0, description="claims that were brought, promoted or rejected before")]
    sample: Annotated[tuple[BackfillSample, ...], Meta(description="three of the new ones at most")] = ()


class BackfillResult(Written, frozen=True, kw_only=True):
    """What was found, and what was made of it."""

    source: str
    dry_run: bool
    stage: bool
    read: Annotated[int, Meta(ge=0, description="notes, or parts of sessions, that were looked at")]
    days: tuple[BackfillDayReport, ...]
    candidates: Annotated[int, Meta(ge=0, description="claims that may be staged and were not before")]
    known: Annotated[int, Meta(ge=0, description="claims that were brought, promoted or rejected before")]
    staged: Annotated[int, Meta(ge=0, description="of the new claims those that are candidates now")]
    no_room: Annotated[int, Meta(ge=0, description="of the new claims those that found no place")]
    entries: Annotated[int, Meta(ge=0, description="entries of the diary that were, or would be, written")]
    left_out: Annotated[
        dict[str, int],
        Meta(description="claims by the gate that they could never pass, and files and sessions by reason"),
    ]
    next_from: Annotated[date | None, Meta(description="there is more: the day to go on from")] = None
    problems: Annotated[tuple[str, ...], Meta(description="pages that could not be written, and why")] = ()


class RollbackResult(Written, frozen=True, kw_only=True):
    """What was taken back."""

    what: str
    entries: Annotated[int, Meta(ge=0, description="entries of the diary that are gone")]
    candidates: Annotated[int, Meta(ge=0, description="candidates that are gone")]
    problems: tuple[str, ...] = ()


async def backfill(call: Call, params: BackfillParams) -> Any:
    """``dream.backfill``."""
    from openclaw_memd.dreaming.old_sources import Scope

    scope = Scope(params.source, params.path, params.first, params.last)
    scope.check()
    agent = call.services.agent(params.agent_id)
    looking = agent.backfill

    async def work(progress: Progress) -> object:
        done = await looking.run(scope, stage=params.stage, dry_run=params.dry_run, progress=progress)
        return _show(done)

    wish = key_of(scope, params.stage, params.dry_run)
    job = call.services.jobs.start("dream", work, key=f"{agent.dreams.key} backfill {wish}")
    if not params.wait:
        return JobStarted(job_id=job.id)
    done = await job.wait()  # a job is remembered, so texts, which may be forgotten, are no part of it
    assert isinstance(done, BackfillResult)
    places = [(one.path, one.line) for day in done.days for one in day.sample]
    texts = await looking.texts(places)
    days = [
        msgspec.structs.replace(day, sample=tuple(_with_text(one, texts) for one in day.sample))
        for day in done.days
    ]
    return msgspec.structs.replace(done, days=tuple(days))


async def rollback(call: Call, params: RollbackParams) -> Any:
    """``dream.rollback``."""
    agent = call.services.agent(params.agent_id)
    looking = agent.backfill

    async def work(progress: Progress) -> object:
        done = await looking.rollback(params.what, progress)
        return msgspec.convert(done, RollbackResult, from_attributes=True)

    key = f"{agent.dreams.key} rollback {params.what}"
    job = call.services.jobs.start("dream", work, key=key)
    return await job.wait() if params.wait else JobStarted(job_id=job.id)


def _show(done: "Backfilled") -> BackfillResult:
    days = tuple(
        BackfillDayReport(
            day=day.day,
            candidates=day.candidates,
            known=day.known,
            sample=tuple(BackfillSample(path=path, line=line) for path, line in day.samples),
        )
        for day in done.days
    )
    facts = {name: getattr(done, name) for name in BackfillResult.__struct_fields__ if hasattr(done, name)}
    return BackfillResult(**{**facts, "days": days})


def _with_text(sample: BackfillSample, texts: Mapping[tuple[str, int], str]) -> BackfillSample:
    text = texts.get((sample.path, sample.line))
    shown = None if text is None else shorten(text, SHOWN_CHARS)
    return msgspec.structs.replace(sample, text=shown)


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="dream.backfill",
        right="A",
        pace="job",
        params=BackfillParams,
        results=(BackfillResult, JobStarted),
        handler=backfill,
        summary="Look through old notes or sessions for what may last: shown in the diary, staged if asked.",
        example={"source": "notes", "from": "2026-01-01", "stage": True, "dry_run": False},
    ),
    Method(
        name="dream.rollback",
        right="A",
        pace="job",
        params=RollbackParams,
        results=(RollbackResult, JobStarted),
        handler=rollback,
        summary="Take back what such looks wrote into the diary, or staged.",
        example={"what": "all"},
    ),
)
