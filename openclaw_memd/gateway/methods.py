"""Every method that this version has: the table that dispatches also documents."""

from functools import cache
from typing import Any

from openclaw_memd.gateway import (
    attaching,
    backfilling,
    backup,
    bootstrap,
    curated,
    deep,
    doctor,
    dreaming,
    events,
    forgetting,
    handlers,
    history,
    importing,
    intents,
    notes,
    reviewing,
    sessions,
    tools,
    trusting,
    turn,
)
from openclaw_memd.gateway.openrpc import describe_methods
from openclaw_memd.gateway.results import (
    GetResult,
    JobCancelled,
    JobList,
    JobStarted,
    SearchResult,
    SyncReport,
)
from openclaw_memd.gateway.schemas import (
    DiscoverParams,
    GetParams,
    JobCancelParams,
    JobListParams,
    RebuildParams,
    SearchParams,
    StatusParams,
    SyncParams,
)
from openclaw_memd.gateway.status_results import StatusReport
from openclaw_memd.gateway.table import AnyMethod, Call, Method


async def discover(_call: Call, _params: DiscoverParams) -> dict[str, Any]:
    """``rpc.discover``."""
    return describe_all()


async def describe_tools(call: Call, params: tools.ToolsParams) -> tools.ToolsDescribed:
    """``tools.describe``."""
    return tools.describe_tools(call, params, {method.name for method in METHODS})


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="rpc.discover",
        right="R",
        pace="read",
        params=DiscoverParams,
        results=(dict,),
        handler=discover,
        summary="Every method with its params and results, as an OpenRPC document.",
        example={},
    ),
    Method(
        name="tools.describe",
        right="R",
        pace="read",
        params=tools.ToolsParams,
        results=(tools.ToolsDescribed,),
        handler=describe_tools,
        summary="Tool schemas and prompt sections that make a runtime a good host.",
        example={"format": "mcp"},
    ),
    Method(
        name="status",
        right="R",
        pace="read",
        params=StatusParams,
        results=(StatusReport,),
        handler=handlers.report_status,
        summary="The state of the daemon, its indexes and its jobs.",
        example={},
    ),
    Method(
        name="index.sync",
        right="R",
        pace="sync",
        params=SyncParams,
        results=(SyncReport, JobStarted),
        handler=handlers.sync,
        summary="Index what changed on disk; a read after it sees every write made before it.",
        example={},
    ),
    Method(
        name="index.rebuild",
        right="A",
        pace="job",
        params=RebuildParams,
        results=(SyncReport, JobStarted),
        handler=handlers.rebuild,
        summary="Build a new index; the old one answers until the new one takes its place.",
        example={"wait": True},
    ),
    Method(
        name="job.list",
        right="A",
        pace="read",
        params=JobListParams,
        results=(JobList,),
        handler=handlers.list_jobs,
        summary="Jobs that run, and the last that ended.",
        example={},
    ),
    Method(
        name="job.cancel",
        right="A",
        pace="write",
        params=JobCancelParams,
        results=(JobCancelled,),
        handler=handlers.cancel_job,
        summary="End a job.",
        example={"id": "9f86d081884c"},
    ),
    Method(
        name="recall.search",
        right="R",
        pace="read",
        params=SearchParams,
        results=(SearchResult,),
        handler=handlers.search,
        summary="Find passages by words and by meaning.",
        example={"query": "gateway port", "max_results": 3},
    ),
    Method(
        name="recall.get",
        right="R",
        pace="read",
        params=GetParams,
        results=(GetResult,),
        handler=handlers.get,
        summary="Read lines of a file that a search can find, as many as an answer may hold.",
        example={"path": "memory/2026-01-11.md", "from": 3, "lines": 20},
    ),
    *notes.METHODS,
    *sessions.METHODS,
    *trusting.METHODS,
    *attaching.METHODS,
    *events.METHODS,
    *history.METHODS,
    *curated.METHODS,
    *bootstrap.METHODS,
    *turn.METHODS,
    *deep.METHODS,
    *dreaming.METHODS,
    *reviewing.METHODS,
    *backfilling.METHODS,
    *intents.METHODS,
    *forgetting.METHODS,
    *importing.METHODS,
    *doctor.METHODS,
    *backup.METHODS,
)


@cache
def describe_all() -> dict[str, Any]:
    """The OpenRPC document of ``METHODS``."""
    return describe_methods(METHODS)
