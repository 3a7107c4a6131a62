"""``import.preview``, ``import.apply`` and ``import.undo``: how they are served."""

from typing import Any

import msgspec

from openclaw_memd.gateway.import_results import (
    ImportApplyParams,
    ImportParams,
    ImportPreviewResult,
    ImportResult,
    ImportUndoParams,
    ImportUndoResult,
    show_applied,
    show_preview,
    show_receipt,
    show_undone,
)
from openclaw_memd.gateway.results import JobStarted
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.jobs import Progress, key_of


async def preview(call: Call, params: ImportParams) -> ImportPreviewResult:
    """``import.preview``."""
    imports = call.services.agent(params.agent_id).imports
    found = await imports.preview(
        params.source, params.from_path, replace=params.replace, agent=params.agent_id
    )
    receipts = tuple(show_receipt(row) for row in await imports.receipts())
    return ImportPreviewResult(**msgspec.structs.asdict(show_preview(found)), imports=receipts)


async def apply(call: Call, params: ImportApplyParams) -> Any:
    """``import.apply``."""
    imports = call.services.agent(params.agent_id).imports

    async def work(progress: Progress) -> object:
        done = await imports.apply(
            params.source,
            params.from_path,
            replace=params.replace,
            agent=params.agent_id,
            progress=progress,
        )
        return show_applied(done)

    key = key_of(params.agent_id, params.source, params.from_path, params.replace)
    job = call.services.jobs.start("import", work, key=key)
    return await job.wait() if params.wait else JobStarted(job_id=job.id)


async def undo(call: Call, params: ImportUndoParams) -> Any:
    """``import.undo``."""
    imports = call.services.agent(params.agent_id).imports

    async def work(progress: Progress) -> object:
        return show_undone(await imports.undo(params.id, progress))

    return await call.services.jobs.start("import", work, key=key_of(params.agent_id, params.id)).wait()


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="import.preview",
        right="A",
        pace="job",
        params=ImportParams,
        results=(ImportPreviewResult,),
        handler=preview,
        summary="What another assistant remembers, and what an import of it would do. Writes nothing.",
        example={"source": "claude-code"},
    ),
    Method(
        name="import.apply",
        right="A",
        pace="job",
        params=ImportApplyParams,
        results=(ImportResult, JobStarted),
        handler=apply,
        summary="Copy what another assistant remembers below memory/imports; nobody vouches for it there.",
        example={"source": "path", "from": "~/old-notes"},
    ),
    Method(
        name="import.undo",
        right="A",
        pace="job",
        params=ImportUndoParams,
        results=(ImportUndoResult,),
        handler=undo,
        summary="Make every place what it was before an import, where nobody changed it since.",
        example={"id": "20260111-120000-9f86d0"},
    ),
)
