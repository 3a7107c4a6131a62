"""``memory.history``, ``memory.diff``, ``memory.undo``: params, answers and how they are served."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from openclaw_memd.domain.curated_files import CuratedFile
from openclaw_memd.gateway.results import Result, Written
from openclaw_memd.gateway.schemas import CallParams, WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method

PreimageId = Annotated[int, Meta(ge=1, le=2**53, description="as memory.history lists it")]


class HistoryParams(CallParams, frozen=True, kw_only=True):
    """Params of ``memory.history``."""

    file: Annotated[CuratedFile | None, Meta(description="default: both")] = None
    limit: Annotated[int, Meta(ge=1, le=200, description="pre-images at most")] = 200
    after: Annotated[PreimageId | None, Meta(description="only those listed after this one")] = None


class DiffParams(CallParams, frozen=True, kw_only=True):
    """Params of ``memory.diff``."""

    id: PreimageId


class UndoParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``memory.undo``."""

    id: PreimageId


class PreimageReport(Result, frozen=True, kw_only=True):
    """One rewrite of a curated file."""

    id: int
    file: str
    at: datetime
    cause: Annotated[str, Meta(description="what it was for, such as remember, undo or late")]
    added: Annotated[int, Meta(ge=0, description="lines that it brought")]
    removed: Annotated[int, Meta(ge=0, description="lines that it took away")]
    forgotten: Annotated[int, Meta(ge=0, description="lines that forget took out of what is kept")] = 0


class HistoryResult(Result, frozen=True, kw_only=True):
    """The rewrites, the newest first."""

    preimages: tuple[PreimageReport, ...]


class DiffResult(Result, frozen=True, kw_only=True):
    """What one rewrite changed."""

    diff: Annotated[str, Meta(description="unified diff; line ends and byte order marks are not shown")]


class UndoResult(Written, frozen=True, kw_only=True):
    """The file as it is now. ``preimage_id`` undoes the undo."""

    file: str
    hash: Annotated[str, Meta(description="SHA-256 of the file in hex")]
    preimage_id: Annotated[int | None, Meta(description="null: the file was so already")]


async def list_history(call: Call, params: HistoryParams) -> HistoryResult:
    """``memory.history``."""
    history = call.services.agent(params.agent_id).history
    rows = await history.list(params.file, before_id=params.after, limit=params.limit)
    return HistoryResult(
        preimages=tuple(msgspec.convert(row, PreimageReport, from_attributes=True) for row in rows)
    )


async def diff(call: Call, params: DiffParams) -> DiffResult:
    """``memory.diff``."""
    return DiffResult(diff=await call.services.agent(params.agent_id).history.diff(params.id))


async def undo(call: Call, params: UndoParams) -> UndoResult:
    """``memory.undo``."""
    undone = await call.services.agent(params.agent_id).undo(params.id, call.deadline_at)
    return UndoResult(file=undone.file, hash=undone.hash, preimage_id=undone.preimage_id)


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="memory.history",
        right="A",
        pace="read",
        params=HistoryParams,
        results=(HistoryResult,),
        handler=list_history,
        summary="The rewrites of the curated files that can be undone.",
        example={"file": "MEMORY.md"},
    ),
    Method(
        name="memory.diff",
        right="A",
        pace="read",
        params=DiffParams,
        results=(DiffResult,),
        handler=diff,
        summary="What one rewrite of a curated file changed.",
        example={"id": 12},
    ),
    Method(
        name="memory.undo",
        right="A",
        pace="write",
        params=UndoParams,
        results=(UndoResult,),
        handler=undo,
        summary="Make a curated file what it was before one rewrite, byte for byte.",
        example={"id": 12},
    ),
)
