"""``intent.*``: how they are served."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.intents import Scope, SenderScope, Status
from openclaw_memd.errors import DeniedError
from openclaw_memd.gateway.intent_shapes import (
    IntentAnswer,
    IntentBlocked,
    IntentCreateParams,
    IntentDueParams,
    IntentEnded,
    IntentEndParams,
    IntentGetParams,
    IntentList,
    IntentListParams,
    IntentMatched,
    IntentMatches,
    IntentMatchParams,
    IntentReport,
    IntentsConfirmed,
    IntentsDue,
    IntentsReleased,
    IntentTokensParams,
    ReminderDue,
)
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.intents.shown import show_due, show_intent
from openclaw_memd.intents.wishes import Wish

_DUE_FRAME_BYTES: Final = 64
"""What an answer of ``intent.due`` has beside the reminders."""


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
    reminders = call.services.agent(params.agent_id).reminders
    due = await reminders.due(call.caller, params.agent_id, params.limit + 1)
    room = call.limits.result_bytes - _DUE_FRAME_BYTES
    shown: list[ReminderDue] = []
    for one in due[: params.limit]:
        report = msgspec.convert(msgspec.to_builtins(show_due(one)), ReminderDue)
        room -= len(msgspec.json.encode(report)) + 1
        if room < 0:
            break
        shown.append(report)
    return IntentsDue(reminders=tuple(shown), more=len(shown) < len(due))


async def confirm_intents(call: Call, params: IntentTokensParams) -> IntentsConfirmed:
    """``intent.confirm``."""
    reminders = call.services.agent(params.agent_id).reminders
    return IntentsConfirmed(confirmed=await reminders.confirm(call.caller, params.agent_id, params.tokens))


async def release_intents(call: Call, params: IntentTokensParams) -> IntentsReleased:
    """``intent.release``."""
    turns = call.services.agent(params.agent_id).turns
    return IntentsReleased(released=await turns.release(call.caller, params.agent_id, params.tokens))


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
