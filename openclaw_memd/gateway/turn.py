"""``inject.turn``: what it takes, what it answers and how it is served."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from openclaw_memd.gateway.intent_shapes import IntentReport, ReminderDue
from openclaw_memd.gateway.results import Hit, Result
from openclaw_memd.gateway.schemas import CallParams, Identifier
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.turn.drafts import TurnRequest

FileHash = Annotated[str, Meta(max_length=128)]


class TurnParams(CallParams, frozen=True, kw_only=True):
    """Params of ``inject.turn``."""

    text: Annotated[str, Meta(description="the message; of a long one the end is looked at")]
    turn_id: Annotated[
        Identifier,
        Meta(description="the same again within 24 hours gives the same answer and consumes nothing"),
    ]
    known: Annotated[
        dict[str, FileHash],
        Meta(
            max_length=64,
            description="hashes of the files that the session has, as inject.bootstrap gave them",
        ),
    ] = msgspec.field(default_factory=dict)


class TriggerFound(Result, frozen=True, kw_only=True):
    """An entry of a curated file that the message brings up."""

    hit: Hit
    trigger_score: Annotated[float, Meta(description="0 to 1")]
    phrase: Annotated[str, Meta(description="the trigger phrase that matched best")]
    arm: Annotated[Literal["lexical", "vector"], Meta(description="by its words or by its meaning")]


class IntentFired(Result, frozen=True, kw_only=True):
    """An intent that the message fired; the token gives it back (``intent.release``)."""

    intent: IntentReport
    token: str


class FileRefreshed(Result, frozen=True, kw_only=True):
    """A file of the session's start that is another by now, as it is to be shown."""

    file: str
    text: str
    hash: str


class Escalate(Result, frozen=True, kw_only=True):
    """Whether ``recall.deep`` is worth its time for this message."""

    run: bool
    reason: Annotated[str, Meta(description="a code of the list of reasons")]


class TurnResult(Result, frozen=True, kw_only=True):
    """Result of ``inject.turn``."""

    context: Annotated[
        str, Meta(description="what goes beside the message into the prompt, framed; may be empty")
    ]
    triggers: tuple[TriggerFound, ...]
    intents: tuple[IntentFired, ...]
    reminders: tuple[ReminderDue, ...]
    project_block: Annotated[
        str, Meta(description="what is remembered of the project; it is part of context")
    ]
    refreshed: Annotated[
        tuple[FileRefreshed, ...], Meta(description="not part of context: takes a file's place")
    ]
    escalate: Escalate
    took_ms: float
    degraded: Annotated[
        tuple[str, ...],
        Meta(description="parts that failed or were late: codes of the list of reasons"),
    ] = ()


async def answer_turn(call: Call, params: TurnParams) -> TurnResult:
    """``inject.turn``."""
    agent = call.services.agent(params.agent_id)
    request = TurnRequest(
        caller=call.caller,
        view=agent.view(call.caller),
        text=params.text,
        turn_id=params.turn_id,
        known=params.known,
        deadline_at=call.deadline_at,
    )
    reply = await agent.turns.answer(request)
    if reply.when_lost is not None:
        call.delivery.when_lost.append(reply.when_lost)
    answer = msgspec.convert(reply.answer, TurnResult)
    _count(call, answer)
    return answer


def _count(call: Call, answer: TurnResult) -> None:
    for what in ("triggers", "intents", "reminders", "refreshed"):
        call.count("memd_injected_total", what, by=len(getattr(answer, what)))
    call.count("memd_injected_total", "project", by=bool(answer.project_block))
    call.count("memd_escalations_total", "yes" if answer.escalate.run else "no", answer.escalate.reason)
    for part in answer.degraded:
        call.count("memd_turns_degraded_total", part)


LATE = TurnResult(
    context="",
    triggers=(),
    intents=(),
    reminders=(),
    project_block="",
    refreshed=(),
    escalate=Escalate(run=False, reason="deadline"),
    took_ms=0.0,
    degraded=("deadline",),
)

METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="inject.turn",
        right="R",
        pace="turn",
        params=TurnParams,
        results=(TurnResult,),
        handler=answer_turn,
        summary="What a message brings along: memories, intents, changed files; and whether to look deeper.",
        example={"text": "we talk about the flight booking", "turn_id": "t1"},
        when_late=LATE,
    ),
)
