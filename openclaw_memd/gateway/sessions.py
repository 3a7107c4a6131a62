"""``session.*``: what they take, what they answer and how they are served."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

from msgspec import Meta

from openclaw_memd.domain.callers import ChatType
from openclaw_memd.gateway.contexts import sender_of
from openclaw_memd.gateway.results import Result, Written
from openclaw_memd.gateway.schemas import CallParams, Identifier, Sender, Shape, WriteParams
from openclaw_memd.gateway.services import AgentServices
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.intents.reminders import FollowUp
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from openclaw_memd.sessions.outcomes import CaptureWish, EndReason

RoleName = Literal["user", "assistant", "tool", "system"]
KindName = Literal["normal", "system", "cron", "heartbeat", "inter_session", "recalled", "command"]


class ToolParams(Shape, frozen=True, kw_only=True):
    """The tool whose result a message is."""

    name: Annotated[str, Meta(max_length=512)]
    network: Annotated[bool, Meta(description="the result holds content of the network")] = False


class MessageParams(Shape, frozen=True, kw_only=True):
    """One message as the host has it."""

    id: Annotated[Identifier, Meta(description="unique in the session; the same one again does nothing")]
    role: RoleName
    text: str
    at: Annotated[Annotated[datetime, Meta(tz=True)] | None, Meta(description="default: now")] = None
    sender: Annotated[Sender | None, Meta(description="of a user's message; default: the context's")] = None
    kind: KindName = "normal"
    tool: ToolParams | None = None


class SessionAppendParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``session.append``."""

    messages: Annotated[tuple[MessageParams, ...], Meta(max_length=10_000)]


class CaptureParams(Shape, frozen=True, kw_only=True):
    """How a conversation is noted when it ends."""

    messages: Annotated[int, Meta(ge=1, le=200, description="how many of the last ones")] = 15
    slug: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)] | None, Meta(description="default: the local time")
    ] = None


class FollowUpParams(Shape, frozen=True, kw_only=True):
    """What the runtime means to come back to: between two instants, or never."""

    text: Annotated[str, Meta(description="what to come back to, at most 500 characters")]
    due_from: Annotated[datetime, Meta(tz=True)]
    due_to: Annotated[datetime, Meta(tz=True)]


class SessionEndParams(WriteParams, frozen=True, kw_only=True):
    """Params of ``session.end``."""

    reason: Literal["end", "reset", "new", "compact", "timeout"] = "end"
    capture: CaptureParams | None = None
    follow_ups: Annotated[
        tuple[FollowUpParams, ...],
        Meta(max_length=32, description="kept if [intents] follow_ups is on and the owner was spoken with"),
    ] = ()


class SessionListParams(CallParams, frozen=True, kw_only=True):
    """Params of ``session.list``."""

    limit: Annotated[int, Meta(ge=1, le=200, description="sessions at most")] = 200
    after: Annotated[Identifier | None, Meta(description="only sessions after this id")] = None


class SkippedMessage(Result, frozen=True, kw_only=True):
    """A message that is not kept."""

    id: str
    reason: Annotated[str, Meta(description="a code of the list of reasons")]


class SessionAppended(Written, frozen=True, kw_only=True):
    """What became of the messages."""

    accepted: int
    skipped: tuple[SkippedMessage, ...]
    tainted: Annotated[bool, Meta(description="network content is in the session's turn")]


class SessionEnded(Written, frozen=True, kw_only=True):
    """How many messages are kept of the session, and where its last ones are noted."""

    ingested: int
    note_path: str | None = None
    follow_ups: Annotated[int, Meta(description="how many are kept: at most three a day of each session")]


class SessionReport(Result, frozen=True, kw_only=True):
    """One session. ``excluded`` is the rule that keeps it out."""

    session_id: str
    agent: str
    kind: str
    messages: int
    last_at: str
    excluded: str | None = None


class SessionList(Result, frozen=True, kw_only=True):
    """Sessions by id."""

    sessions: tuple[SessionReport, ...]


async def append_messages(call: Call, params: SessionAppendParams) -> SessionAppended:
    """``session.append``."""
    sessions = call.services.agent(params.agent_id).sessions
    messages = [_message(message) for message in params.messages]
    appended = await sessions.append(call.caller, messages)
    return SessionAppended(
        accepted=appended.accepted,
        skipped=tuple(SkippedMessage(id=skip.id, reason=skip.reason) for skip in appended.skipped),
        tainted=appended.tainted,
    )


async def end_session(call: Call, params: SessionEndParams) -> SessionEnded:
    """``session.end``."""
    capture = params.capture
    wish = None if capture is None else CaptureWish(capture.messages, capture.slug)
    agent = call.services.agent(params.agent_id)
    wishes = [FollowUp(one.text, one.due_from, one.due_to) for one in params.follow_ups]
    kept = await _keep_follow_ups(call, agent, wishes)
    ended = await agent.sessions.end(call.caller, EndReason(params.reason), wish, agent.notes)
    return SessionEnded(ingested=ended.ingested, note_path=ended.note_path, follow_ups=kept)


async def _keep_follow_ups(call: Call, agent: AgentServices, wishes: Sequence[FollowUp]) -> int:
    """Keep what a conversation with the owner alone left, if nothing of outside was in it since its last
    flush: it was not the owner who wrote these texts."""
    caller = call.caller
    if not wishes or caller is None or caller.session_id is None or caller.chat_type is not ChatType.DIRECT:
        return 0
    cycle = await agent.sessions.turns.cycle(caller.agent, caller.session_id)
    if not cycle.is_clean or agent.missing_authority(caller) is not None:
        return 0
    return await agent.reminders.follow_up(caller, wishes)


async def list_sessions(call: Call, params: SessionListParams) -> SessionList:
    """``session.list``."""
    sessions = call.services.agent(params.agent_id).sessions
    after = None if params.after is None else SessionKey(params.agent_id, params.after)
    found = sessions.list(params.agent_id, limit=params.limit, after=after)
    return SessionList(
        sessions=tuple(
            SessionReport(
                session_id=one.session_id,
                agent=one.agent,
                kind=one.kind.value,
                messages=one.messages,
                last_at=one.last_at.isoformat(),
                excluded=one.excluded,
            )
            for one in found
        )
    )


def _message(message: MessageParams) -> Message:
    return Message(
        id=message.id,
        role=Role(message.role),
        text=message.text,
        at=None if message.at is None else message.at.astimezone(UTC),
        sender=None if message.sender is None else sender_of(message.sender),
        kind=MessageKind(message.kind),
        tool_name=None if message.tool is None else message.tool.name,
        tool_network=message.tool is not None and message.tool.network,
    )


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="session.append",
        right="N",
        pace="write",
        params=SessionAppendParams,
        results=(SessionAppended,),
        handler=append_messages,
        summary="Tell what was said in a session; what outsiders and tools bring in taints its turn.",
        example={
            "context": {"session_id": "s1", "session_kind": "interactive", "chat_type": "direct"},
            "messages": [{"id": "m1", "role": "user", "text": "The spare key is with Ana."}],
        },
        moves_turns=True,
    ),
    Method(
        name="session.list",
        right="A",
        pace="read",
        params=SessionListParams,
        results=(SessionList,),
        handler=list_sessions,
        summary="The sessions of an agent.",
        example={},
    ),
    Method(
        name="session.end",
        right="N",
        pace="write",
        params=SessionEndParams,
        results=(SessionEnded,),
        handler=end_session,
        summary="A session ends, is reset or is compacted; its last messages may be noted.",
        example={"context": {"session_id": "s1"}, "reason": "new", "capture": {}},
        moves_turns=True,
    ),
)
