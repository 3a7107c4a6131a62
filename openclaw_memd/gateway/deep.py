"""``recall.deep``: what it takes, what it answers and how it is served."""

from typing import Annotated, Literal

import msgspec
import trio
from msgspec import Meta

from openclaw_memd.deep.types import DeepRequest
from openclaw_memd.domain.recall_query import Turn
from openclaw_memd.gateway.results import Hit, Result
from openclaw_memd.gateway.schemas import CallParams, Shape
from openclaw_memd.gateway.table import AnyMethod, Call, Method


class RecentTurn(Shape, frozen=True, kw_only=True):
    """Something that was said before the message."""

    role: Literal["user", "assistant"]
    text: str


class DeepParams(CallParams, frozen=True, kw_only=True):
    """Params of ``recall.deep``."""

    text: Annotated[str, Meta(description="the message; of a long one the last 4 KiB are looked at")]
    recent: Annotated[
        tuple[RecentTurn, ...], Meta(max_length=256, description="turns before it, oldest first")
    ] = ()
    query_mode: Annotated[
        Literal["message", "recent", "full"],
        Meta(description="which of those a model is shown: none, the last few shortened, or all that fit"),
    ] = "recent"
    timeout_ms: Annotated[
        Annotated[int, Meta(ge=1, le=120_000)] | None,
        Meta(description="time for the answer, at most [escalation] timeout_ms"),
    ] = None


class DeepStep(Result, frozen=True, kw_only=True):
    """One thing that was done."""

    action: Annotated[
        Literal["search", "days", "get", "answer"],
        Meta(description="a search, a list of what was noted in some days, a file read, the model's answer"),
    ]
    query: Annotated[str, Meta(description="the words, or the path")]
    found: Annotated[int, Meta(description="hits, lines, or 1 for an answer")]
    after: str | None = None
    before: str | None = None


class DeepResult(Result, frozen=True, kw_only=True):
    """Result of ``recall.deep``."""

    outcome: Annotated[
        Literal["ok", "none", "skipped", "timeout", "unavailable"],
        Meta(description="timeout and unavailable come with the evidence that there is"),
    ]
    reason: Annotated[str | None, Meta(description="a code of the list of reasons; null for a whole answer")]
    summary: Annotated[
        str,
        Meta(description="one line of 220 characters at most, escaped; a model's words or the best line"),
    ]
    context: Annotated[str, Meta(description="one block for a prompt, framed; may be empty")]
    hits: Annotated[tuple[Hit, ...], Meta(description="the evidence, best first")]
    steps: tuple[DeepStep, ...]
    took_ms: float


async def recall_deep(call: Call, params: DeepParams) -> DeepResult:
    """``recall.deep``; who is handed text from outside has heard it, as with a search."""
    agent = call.services.agent(params.agent_id)
    deadline_at = call.deadline_at
    if params.timeout_ms is not None:
        deadline_at = min(deadline_at, trio.current_time() + params.timeout_ms / 1000)
    answer = await agent.deep.recall(
        DeepRequest(
            text=params.text,
            deadline_at=deadline_at,
            recent=tuple(Turn(turn.role, turn.text) for turn in params.recent),
            query_mode=params.query_mode,
            caller=call.caller,
            view=agent.view(call.caller),
            project_keys=await agent.active_projects(call.caller),
        )
    )
    call.count("memd_deep_recalls_total", answer.outcome, answer.reason or "")
    agent.hear(call.caller, answer.origins)
    agent.signals.hear(call.caller, params.text, answer.hits)
    return msgspec.convert(msgspec.to_builtins(answer), DeepResult)


LATE = DeepResult(
    outcome="timeout", reason="deadline", summary="", context="", hits=(), steps=(), took_ms=0.0
)

METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="recall.deep",
        right="R",
        pace="deep",
        params=DeepParams,
        results=(DeepResult,),
        handler=recall_deep,
        summary="Look for what bears on a message that asks about the past; it checks whether it may.",
        example={"text": "what did we decide about the port last week?"},
        when_late=LATE,
    ),
)
