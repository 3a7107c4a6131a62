"""From checked params to the daemon's services and back to the contract's shapes."""

from typing import Any

import msgspec

from openclaw_memd.errors import NotFoundError, TooLargeError
from openclaw_memd.gateway.results import (
    GetResult,
    JobCancelled,
    JobList,
    JobReport,
    JobStarted,
    SearchResult,
)
from openclaw_memd.gateway.schemas import (
    GetParams,
    JobCancelParams,
    JobListParams,
    RebuildParams,
    SearchParams,
    StatusParams,
    SyncParams,
)
from openclaw_memd.gateway.status_results import StatusReport
from openclaw_memd.gateway.table import Call
from openclaw_memd.jobs import Job, Progress
from openclaw_memd.recall.types import GetRequest, SearchRequest


async def report_status(call: Call, params: StatusParams) -> StatusReport:
    """``status``; who may not see all memory is told no names of what is left out."""
    report = await call.services.status(params.deep)
    if call.caller is None or call.services.agent(params.agent_id).view(call.caller).sees_all_memory:
        return report
    agents = (msgspec.structs.replace(one, skipped=(), excluded=()) for one in report.agents)
    return msgspec.structs.replace(report, agents=tuple(agents), jobs=(), warnings=())


async def sync(call: Call, params: SyncParams) -> Any:
    """``index.sync``."""
    agent = call.services.agent(params.agent_id)
    if params.wait:
        return await agent.sync(params.force)

    async def work(_report_progress: Progress) -> object:
        return await agent.sync(params.force)

    key = f"{params.agent_id} forced" if params.force else params.agent_id
    return JobStarted(job_id=call.services.jobs.start("sync", work, key=key).id)


async def rebuild(call: Call, params: RebuildParams) -> Any:
    """``index.rebuild``."""
    job = call.services.agent(params.agent_id).start_rebuild()
    return await job.wait() if params.wait else JobStarted(job_id=job.id)


async def list_jobs(call: Call, params: JobListParams) -> JobList:
    """``job.list``."""
    jobs = call.services.jobs.all()
    if params.after is not None:
        jobs = _after(jobs, params.after)
    return JobList(jobs=tuple(show_job(job) for job in jobs[: params.limit]))


def _after(jobs: list[Job], job_id: str) -> list[Job]:
    for index, job in enumerate(jobs):
        if job.id == job_id:
            return jobs[index + 1 :]
    raise NotFoundError("no such job", field="after")


async def cancel_job(call: Call, params: JobCancelParams) -> JobCancelled:
    """``job.cancel``."""
    return JobCancelled(cancelled=call.services.jobs.cancel(params.id))


async def search(call: Call, params: SearchParams) -> SearchResult:
    """``recall.search``."""
    limit = call.limits.query_bytes
    if len(params.query.encode()) > limit:
        raise TooLargeError(f"query has more than {limit} bytes", reason="query_bytes", field="query")
    agent = call.services.agent(params.agent_id)
    defaults = agent.search_defaults
    answer = await agent.search(
        SearchRequest(
            query=params.query,
            corpus=params.corpus,
            max_results=defaults.max_results if params.max_results is None else params.max_results,
            min_score=defaults.min_score if params.min_score is None else params.min_score,
            after=params.after,
            before=params.before,
            explain=params.explain,
            project_keys=await agent.active_projects(call.caller),
            deadline_at=call.deadline_at,
            view=agent.view(call.caller),
        )
    )
    call.count("memd_searches_total", answer.mode, answer.empty_reason or "")
    agent.hear(call.caller, {hit.origin for hit in answer.hits})
    if not params.explain:  # who looks at how a search works has no question
        agent.signals.hear(call.caller, params.query, answer.hits)
    return msgspec.convert(msgspec.to_builtins(answer), SearchResult)


async def get(call: Call, params: GetParams) -> GetResult:
    """``recall.get``."""
    agent = call.services.agent(params.agent_id)
    request = GetRequest(
        path=params.path,
        from_line=params.from_line,
        lines=params.lines,
        max_chars=params.max_chars,
        from_char=params.from_char,
        max_bytes=call.limits.result_bytes,
        view=agent.view(call.caller),
    )
    answer = await agent.get(request)
    if answer.origin is not None:
        agent.hear(call.caller, {answer.origin})
        agent.signals.hear_get(call.caller, answer)
    return msgspec.convert(answer, GetResult, from_attributes=True)


def show_job(job: Job) -> JobReport:
    """A job as callers see it."""
    return JobReport(
        id=job.id,
        kind=job.kind,
        state=job.state,
        done=job.done,
        total=job.total,
        result=job.result,
        error=None if job.failure is None else str(job.failure),
    )
