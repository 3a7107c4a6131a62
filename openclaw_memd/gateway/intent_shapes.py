"""What ``intent.*`` take and answer."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta

from openclaw_memd.gateway.results import Result, Written
from openclaw_memd.gateway.schemas import CallParams, Channel, Identifier, Sender, WriteParams

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

    limit: Annotated[int, Meta(ge=1, le=200, description="reminders at most, the first due first")] = 50


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
    """An intent that was to be ended; ``changed`` is false when it was done or cancelled before."""

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
    more: Annotated[bool, Meta(description="others are due too; they come when these are confirmed")] = False


class IntentsConfirmed(Written, frozen=True, kw_only=True):
    """Result of ``intent.confirm``."""

    confirmed: Annotated[int, Meta(description="occurrences that were due for the caller")]


class IntentsReleased(Written, frozen=True, kw_only=True):
    """Result of ``intent.release``."""

    released: Annotated[int, Meta(description="fires of the last ten minutes that count no more")]
