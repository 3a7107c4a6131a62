"""``intent.*``: what they take, what they answer and how they are served."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.intents import Scope, SenderScope, Status
from openclaw_memd.errors import DeniedError
from openclaw_memd.gateway.results import Result, Written
from openclaw_memd.gateway.schemas import CallParams, Channel, Identifier, Sender, WriteParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.intents.shown import show_due, show_intent
from openclaw_memd.intents.wishes import Wish

ScopeName = Literal["conversation", "channel", "anywhere"]
SenderScopeName = Literal["sender", "anyone"]
StatusName = Literal["pending", "armed", "fired", "done", "cancelled", "expired"]
Instant = Annotated[datetime, Meta(tz=True)]
IntentId = Annotated[str, Meta(min_length=1, max_length=200)]
Tokens = Annotated[
    tuple[Identifier, ...],
    Meta(max_length=256, description="tokens of fires and reminders that were handed out"),
]


class IntentCreateParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``intent.create``: with ``keywords`` an event, with ``at`` or ``cron`` a reminder."""

    description: Annotated[str, Meta(description="what to be told, at most 500 characters in one line")]
    keywords: Annotated[
        tuple[str, ...], Meta(description="each fires when all of its words are in a message; 24 at most")
    ] = ()
    scope: Annotated[ScopeName, Meta(description="where it holds")] = "conversation"
    sender_scope: Annotated[SenderScopeName, Meta(description="whose messages it holds for")] = "sender"
    semantic: Annotated[bool, Meta(description="match the description by meaning too")] = False
    expires_at: Annotated[Instant | None, Meta(description="default: [intents] expiry_days")] = None
    max_fires: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None, Meta(description="default: [intents] max_fires")
    ] = None
    cooldown_s: Annotated[
        Annotated[int, Meta(ge=0, le=31_536_000)] | None, Meta(description="default: [intents] cooldown_s")
    ] = None
    at: Annotated[Instant | None, Meta(description="remind once at this instant")] = None
    cron: Annotated[
        Annotated[str, Meta(max_length=256)] | None,
        Meta(description="remind whenever this cron expression says"),
    ] = None
    zone: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | None,
        Meta(description="IANA name of the zone of cron; default: [time] zone"),
    ] = None


class IntentListParams(CallParams, frozen=True, kw_only=True):
    """Params of ``intent.list``."""

    status: Annotated[StatusName | None, Meta(description="only those in this state")] = None
    limit: Annotated[int, Meta(ge=1, le=200, description="intents at most")] = 200
    after: Annotated[IntentId | None, Meta(description="only those made after this one")] = None


class IntentGetParams(CallParams, frozen=True, kw_only=True):
    """Params of ``intent.get``."""

    id: IntentId


class IntentEndParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``intent.cancel`` and ``intent.done``."""

    id: IntentId


class IntentMatchParams(CallParams, frozen=True, kw_only=True):
    """Params of ``intent.match``."""

    text: Annotated[str, Meta(description="a message; of a long one the end")]


class IntentDueParams(CallParams, frozen=True, kw_only=True):
    """Params of ``intent.due``."""


class IntentTokensParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``intent.confirm`` and ``intent.release``."""

    tokens: Tokens


class IntentReport(Result, frozen=True, kw_only=True):
    """An intent."""

    id: str
    kind: Literal["event", "reminder", "follow_up"]
    description: str
    keywords: tuple[str, ...]
    scope: ScopeName
    sender_scope: SenderScopeName
    channel: Annotated[Channel | None, Meta(description="where it was made and holds; null: anywhere")]
    sender: Annotated[Sender | None, Meta(description="whose messages it holds for; null: anyone's")]
    creator: Annotated[Sender, Meta(description="who made it")]
    status: StatusName
    created_at: datetime
    expires_at: datetime | None
    max_fires: Annotated[int | None, Meta(description="null: without limit")]
    fire_count: int
    cooldown_s: int
    last_fired_at: datetime | None
    semantic: bool = False
    at: datetime | None = None
    cron: str | None = None
    zone: str | None = None
    due_at: Annotated[datetime | None, Meta(description="when it comes next")] = None


class IntentAnswer(Written, frozen=True, kw_only=True):
    """One intent."""

    intent: IntentReport


class IntentEnded(Written, frozen=True, kw_only=True):
    """An intent that was to be ended; ``changed`` is false when it was over before."""

    intent: IntentReport
    changed: bool


class IntentList(Result, frozen=True, kw_only=True):
    """Intents, oldest first."""

    intents: tuple[IntentReport, ...]


class IntentMatched(Result, frozen=True, kw_only=True):
    """An event that the message would fire."""

    intent: IntentReport
    why: Annotated[str, Meta(description="the keyword that is in the message, or `semantic`")]


class IntentBlocked(IntentMatched, frozen=True, kw_only=True):
    """An event that the message is about and would not fire."""

    reason: Annotated[str, Meta(description="a code of the list of reasons")]
    until: Annotated[datetime | None, Meta(description="when its cooldown is over")] = None


class IntentMatches(Result, frozen=True, kw_only=True):
    """Result of ``intent.match``: what the message would fire; ``blocked`` is for the owner's eyes only."""

    matches: tuple[IntentMatched, ...]
    blocked: tuple[IntentBlocked, ...] = ()


class ReminderDue(Result, frozen=True, kw_only=True):
    """A reminder or follow-up that is due, until its token is confirmed."""

    intent: IntentReport
    due_at: datetime
    token: str


class IntentsDue(Result, frozen=True, kw_only=True):
    """Result of ``intent.due``."""

    reminders: tuple[ReminderDue, ...]


class IntentsConfirmed(Written, frozen=True, kw_only=True):
    """Result of ``intent.confirm``."""

    confirmed: Annotated[int, Meta(description="occurrences that were due")]


class IntentsReleased(Written, frozen=True, kw_only=True):
    """Result of ``intent.release``."""

    released: Annotated[int, Meta(description="fires of the last ten minutes that count no more")]


async def create_intent(call: Call, params: IntentCreateParams) -> IntentAnswer:
    """``intent.create``."""
    wish = Wish(
        description=params.description,
        keywords=params.keywords,
        scope=Scope(params.scope),
        sender_scope=SenderScope(params.sender_scope),
        semantic=params.semantic,
        expires_at=params.expires_at,
        max_fires=params.max_fires,
        cooldown_s=params.cooldown_s,
        at=params.at,
        cron=params.cron,
        zone=params.zone,
    )
    intent = await call.services.agent(params.agent_id).intents.create(_caller(call), wish)
    return IntentAnswer(intent=_report(show_intent(intent)))


async def list_intents(call: Call, params: IntentListParams) -> IntentList:
    """``intent.list``."""
    statuses = tuple(Status) if params.status is None else (Status(params.status),)
    intents = call.services.agent(params.agent_id).intents
    found = await intents.list(params.agent_id, statuses, limit=params.limit, after=params.after)
    return IntentList(intents=tuple(_report(show_intent(intent)) for intent in found))


async def get_intent(call: Call, params: IntentGetParams) -> IntentAnswer:
    """``intent.get``."""
    intent = await call.services.agent(params.agent_id).intents.get(params.agent_id, params.id)
    return IntentAnswer(intent=_report(show_intent(intent)))


async def cancel_intent(call: Call, params: IntentEndParams) -> IntentEnded:
    """``intent.cancel``."""
    intents = call.services.agent(params.agent_id).intents
    intent, changed = await intents.cancel(params.agent_id, params.id)
    return IntentEnded(intent=_report(show_intent(intent)), changed=changed)


async def finish_intent(call: Call, params: IntentEndParams) -> IntentEnded:
    """``intent.done``."""
    intents = call.services.agent(params.agent_id).intents
    intent, changed = await intents.finish(params.agent_id, params.id)
    return IntentEnded(intent=_report(show_intent(intent)), changed=changed)


async def match_intents(call: Call, params: IntentMatchParams) -> IntentMatches:
    """``intent.match``: a look that consumes nothing."""
    agent = call.services.agent(params.agent_id)
    found = await agent.explaining.explain(call.caller, params.agent_id, params.text)
    may_see_all = call.caller is None or agent.missing_authority(call.caller) is None
    return IntentMatches(
        matches=tuple(
            IntentMatched(intent=_report(show_intent(one.intent)), why=one.why)
            for one in found
            if one.block is None
        ),
        blocked=tuple(
            IntentBlocked(
                intent=_report(show_intent(one.intent)), why=one.why, reason=one.block.value, until=one.until
            )
            for one in found
            if one.block is not None and may_see_all
        ),
    )


async def list_due(call: Call, params: IntentDueParams) -> IntentsDue:
    """``intent.due``."""
    due = await call.services.agent(params.agent_id).reminders.due(call.caller, params.agent_id)
    return msgspec.convert(msgspec.to_builtins({"reminders": [show_due(one) for one in due]}), IntentsDue)


async def confirm_intents(call: Call, params: IntentTokensParams) -> IntentsConfirmed:
    """``intent.confirm``."""
    reminders = call.services.agent(params.agent_id).reminders
    return IntentsConfirmed(confirmed=await reminders.confirm(params.agent_id, params.tokens))


async def release_intents(call: Call, params: IntentTokensParams) -> IntentsReleased:
    """``intent.release``."""
    firing = call.services.agent(params.agent_id).firing
    return IntentsReleased(released=await firing.release(params.agent_id, params.tokens))


def _caller(call: Call) -> Caller:
    """The caller of a method of right O, which has one.

    Raises:
        DeniedError: it has not.
    """
    if call.caller is None:
        raise DeniedError("this needs the owner's authority", reason="no_context")
    return call.caller


def _report(shown: Mapping[str, Any]) -> IntentReport:
    return msgspec.convert(msgspec.to_builtins(shown), IntentReport)


_OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}

METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="intent.create",
        right="O",
        pace="write",
        params=IntentCreateParams,
        results=(IntentAnswer,),
        handler=create_intent,
        summary="Be told something when a message is about it, or when its time comes.",
        example={
            "description": "mention the changelog",
            "keywords": ["release"],
            "context": _OWNER,
        },
    ),
    Method(
        name="intent.list",
        right="A",
        pace="read",
        params=IntentListParams,
        results=(IntentList,),
        handler=list_intents,
        summary="Intents of an agent, oldest first.",
        example={"status": "armed"},
    ),
    Method(
        name="intent.get",
        right="O",
        pace="read",
        params=IntentGetParams,
        results=(IntentAnswer,),
        handler=get_intent,
        summary="One intent.",
        example={"id": "0b0e3a4e-8f0b-4a53-9f5e-7d1f6a0f0c11", "context": _OWNER},
    ),
    Method(
        name="intent.cancel",
        right="A",
        pace="write",
        params=IntentEndParams,
        results=(IntentEnded,),
        handler=cancel_intent,
        summary="Cancel an intent; nothing else does.",
        example={"id": "0b0e3a4e-8f0b-4a53-9f5e-7d1f6a0f0c11"},
    ),
    Method(
        name="intent.done",
        right="O",
        pace="write",
        params=IntentEndParams,
        results=(IntentEnded,),
        handler=finish_intent,
        summary="Say that what an intent is about is done.",
        example={"id": "0b0e3a4e-8f0b-4a53-9f5e-7d1f6a0f0c11", "context": _OWNER},
    ),
    Method(
        name="intent.match",
        right="R",
        pace="read",
        params=IntentMatchParams,
        results=(IntentMatches,),
        handler=match_intents,
        summary="Which intents a message would fire now; nothing is consumed.",
        example={"text": "the release is on Friday"},
    ),
    Method(
        name="intent.due",
        right="R",
        pace="read",
        params=IntentDueParams,
        results=(IntentsDue,),
        handler=list_due,
        summary="Reminders and follow-ups that are due, until they are confirmed.",
        example={},
    ),
    Method(
        name="intent.confirm",
        right="R",
        pace="write",
        params=IntentTokensParams,
        results=(IntentsConfirmed,),
        handler=confirm_intents,
        summary="Say that reminders were delivered.",
        example={"tokens": ["0b0e3a4e-8f0b-4a53-9f5e-7d1f6a0f0c11@20260112T090000"]},
    ),
    Method(
        name="intent.release",
        right="R",
        pace="write",
        params=IntentTokensParams,
        results=(IntentsReleased,),
        handler=release_intents,
        summary="Give back fires that never reached the model, within ten minutes.",
        example={"tokens": ["3q2-7wXvQkGm0r5t"]},
    ),
)
