"""``doctor.check`` and ``doctor.fix``: what they take, what they answer and how they are served."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from openclaw_memd.gateway.results import JobStarted, Result, Written
from openclaw_memd.gateway.schemas import CallParams, WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.jobs import Progress, key_of

if TYPE_CHECKING:
    from openclaw_memd.ops.doctor.fixing import Outcome

FindingId = Annotated[str, Meta(min_length=1, max_length=8192)]


class DoctorCheckParams(CallParams, frozen=True, kw_only=True):
    """Params of ``doctor.check``."""


class DoctorFixParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``doctor.fix``."""

    ids: Annotated[
        Annotated[tuple[FindingId, ...], Meta(max_length=1_000)] | None,
        Meta(description="ids of findings; without, all that can be fixed"),
    ] = None
    dry_run: Annotated[bool, Meta(description="tell the plan only, and change nothing")] = False
    wait: Annotated[bool, Meta(description="answer when it is done")] = True


class DoctorFinding(Result, frozen=True, kw_only=True):
    """One finding."""

    id: Annotated[
        str, Meta(description="a kind of docs/doctor.md, with what it is about where there are several")
    ]
    severity: Literal["info", "warning", "error"]
    detail: Annotated[str, Meta(description="what was found, in a plain sentence")]
    fix: Annotated[str, Meta(description="what to do")]
    fixable: Annotated[bool, Meta(description="whether `doctor.fix` does it")]


class DoctorChecked(Result, frozen=True, kw_only=True):
    """What was found, the worst first."""

    findings: tuple[DoctorFinding, ...]


class DoctorStep(Result, frozen=True, kw_only=True):
    """What is done about one finding."""

    id: str
    action: str


class DoctorFixed(Result, frozen=True, kw_only=True):
    """What was done about one finding."""

    id: str
    detail: str


class DoctorLeft(Result, frozen=True, kw_only=True):
    """A finding that was named, or could not be fixed, and why it is as it was."""

    id: str
    why: str


class DoctorOutcome(Written, frozen=True, kw_only=True):
    """What became of it; with ``dry_run`` nothing is fixed."""

    fixed: tuple[DoctorFixed, ...]
    plan: tuple[DoctorStep, ...]
    left: tuple[DoctorLeft, ...]


async def check(call: Call, params: DoctorCheckParams) -> DoctorChecked:
    """``doctor.check``. Whoever may not see all notes is told in words that name none."""
    agent = call.services.agent(params.agent_id)
    may_name = call.caller is None or agent.missing_authority(call.caller) is None
    findings = await call.services.doctor(params.agent_id).check(may_name=may_name)
    return DoctorChecked(
        findings=tuple(
            DoctorFinding(
                id=found.id,
                severity=found.severity,
                detail=found.detail,
                fix=found.fix,
                fixable=found.is_fixable,
            )
            for found in findings
        )
    )


async def fix(call: Call, params: DoctorFixParams) -> Any:
    """``doctor.fix``."""
    doctor = call.services.doctor(params.agent_id)
    doctor.check_ids(params.ids)
    if params.dry_run:
        return _show(await doctor.plan(params.ids))

    async def work(progress: Progress) -> object:
        return _show(await doctor.fix(params.ids, progress))

    key = key_of(params.agent_id, None if params.ids is None else sorted(params.ids))
    job = call.services.jobs.start("doctor", work, key=key)
    return await job.wait() if params.wait else JobStarted(job_id=job.id)


def _show(outcome: "Outcome") -> DoctorOutcome:
    return msgspec.convert(outcome, DoctorOutcome, from_attributes=True)


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="doctor.check",
        right="R",
        pace="job",
        params=DoctorCheckParams,
        results=(DoctorChecked,),
        handler=check,
        summary="Look at files, databases, models, places and the machine, and tell what to do.",
        example={},
    ),
    Method(
        name="doctor.fix",
        right="A",
        pace="job",
        params=DoctorFixParams,
        results=(DoctorOutcome, JobStarted),
        handler=fix,
        summary="Do what can be done about findings without a person.",
        example={"ids": ["legacy-memory-file"], "dry_run": True},
    ),
)
