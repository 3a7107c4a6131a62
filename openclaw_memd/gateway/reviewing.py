"""``dream.review``, ``accept``, ``edit``, ``reject``, ``undo``: params, answers and how they are served."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from openclaw_memd.dreaming.proposals import Proposal
from openclaw_memd.gateway.results import Result, Written
from openclaw_memd.gateway.schemas import CallParams, WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method

ProposalId = Annotated[str, Meta(min_length=1, max_length=128, description="as dream.review lists it")]
ProposalIds = Annotated[tuple[ProposalId, ...], Meta(min_length=1, max_length=1000)]

_OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}
_ID = "t0f3a5b7c9d1e2f4a6b8c0d2e"


class ReviewParams(CallParams, frozen=True, kw_only=True):
    """Params of ``dream.review``."""


class AcceptParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``dream.accept``."""

    ids: ProposalIds


class EditParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``dream.edit``."""

    id: ProposalId
    text: Annotated[str, Meta(description="what the entry is to say, in one line")]


class RejectParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``dream.reject``."""

    ids: ProposalIds


class DreamUndoParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``dream.undo``."""

    run_id: Annotated[str, Meta(min_length=1, max_length=128)] | None = None


class ProposalReport(Result, frozen=True, kw_only=True):
    """What a night would write."""

    id: str
    run_id: str
    proposed_at: datetime
    operation: Annotated[str, Meta(description="added or superseded")]
    text: Annotated[str, Meta(description="what the entry would say")]
    lines: Annotated[str, Meta(description="the lines as they would be written")]
    file: str
    sources: Annotated[tuple[str, ...], Meta(description="where it stands")]
    replaces: Annotated[tuple[str, ...], Meta(description="what the entries say that it would replace")]
    score: float
    edited: Annotated[bool, Meta(description="the owner gave the text")] = False


class ReviewResult(Result, frozen=True, kw_only=True):
    """What waits for the owner, oldest first."""

    proposals: tuple[ProposalReport, ...]


class AcceptResult(Written, frozen=True, kw_only=True):
    """What became of proposals; one with a reason goes on waiting."""

    accepted: Annotated[dict[str, str], Meta(description="what was done: added, merged or superseded")]
    rejected: Annotated[dict[str, str], Meta(description="why it was not written now")]
    preimage_ids: Annotated[tuple[int, ...], Meta(description="for memory.undo")]


class EditResult(Written, frozen=True, kw_only=True):
    """The proposal as it is now."""

    proposal: ProposalReport


class RejectResult(Written, frozen=True, kw_only=True):
    """How many were rejected."""

    rejected: int


class DreamUndoResult(Written, frozen=True, kw_only=True):
    """What was taken back."""

    run_id: str
    files: Annotated[tuple[str, ...], Meta(description="those that were rewritten")]
    undone: Annotated[int, Meta(ge=0, description="entries that are not there any more")]


async def review(call: Call, params: ReviewParams) -> ReviewResult:
    """``dream.review``."""
    found = await call.services.agent(params.agent_id).reviewing.waiting()
    return ReviewResult(proposals=tuple(map(_report, found)))


async def accept(call: Call, params: AcceptParams) -> AcceptResult:
    """``dream.accept``."""
    agent = call.services.agent(params.agent_id)
    done = await agent.reviewing.accept(params.ids)
    await agent.show(done.files, call.deadline_at)
    return AcceptResult(
        accepted=dict(done.accepted), rejected=dict(done.rejected), preimage_ids=done.preimage_ids
    )


async def edit(call: Call, params: EditParams) -> EditResult:
    """``dream.edit``."""
    reviewing = call.services.agent(params.agent_id).reviewing
    return EditResult(proposal=_report(await reviewing.edit(call.caller, params.id, params.text)))


async def reject(call: Call, params: RejectParams) -> RejectResult:
    """``dream.reject``."""
    return RejectResult(rejected=await call.services.agent(params.agent_id).reviewing.reject(params.ids))


async def undo(call: Call, params: DreamUndoParams) -> DreamUndoResult:
    """``dream.undo``."""
    agent = call.services.agent(params.agent_id)
    undone = await agent.reviewing.undo(params.run_id)
    await agent.show(undone.files, call.deadline_at)
    return DreamUndoResult(run_id=undone.run_id, files=undone.files, undone=undone.undone)


def _report(proposal: Proposal) -> ProposalReport:
    content = proposal.content
    return ProposalReport(
        id=proposal.id,
        run_id=proposal.run_id,
        proposed_at=proposal.proposed_at,
        operation=content.action,
        text=content.text,
        lines=content.lines,
        file=content.file,
        sources=content.sources,
        replaces=content.replaces,
        score=content.score,
        edited=content.edited,
    )


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="dream.review",
        right="A",
        pace="read",
        params=ReviewParams,
        results=(ReviewResult,),
        handler=review,
        summary="What a night would write into the curated files, in the mode propose.",
        example={},
    ),
    Method(
        name="dream.accept",
        right="O",
        pace="write",
        params=AcceptParams,
        results=(AcceptResult,),
        handler=accept,
        summary="Write proposals into the curated files.",
        example={"ids": [_ID], "context": _OWNER},
    ),
    Method(
        name="dream.edit",
        right="O",
        pace="write",
        params=EditParams,
        results=(EditResult,),
        handler=edit,
        summary="Give a proposal other words; it goes on waiting.",
        example={"id": _ID, "text": "The gateway listens on port 9400.", "context": _OWNER},
    ),
    Method(
        name="dream.reject",
        right="O",
        pace="write",
        params=RejectParams,
        results=(RejectResult,),
        handler=reject,
        summary="Keep proposals out of the curated files, and whatever says the same.",
        example={"ids": [_ID], "context": _OWNER},
    ),
    Method(
        name="dream.undo",
        right="A",
        pace="write",
        params=DreamUndoParams,
        results=(DreamUndoResult,),
        handler=undo,
        summary="Take back what the last run, or one run, wrote into the curated files; it stays out.",
        example={},
    ),
)
