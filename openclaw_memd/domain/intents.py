"""Standing intents: what they are, and every step from one state to another. Pure.

An *event* waits for a message about something, a *reminder* for a time, a *follow-up* for its window. Limits
and defaults are OpenClaw's. Every function takes the time; where the wall clock was set back, what was to
last until later lasts from now on, so that nothing comes early and nothing waits longer than it was to.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from openclaw_memd.domain.callers import Channel

MOST_DESCRIPTION_CHARS: Final = 500
MOST_KEYWORDS: Final = 24
MOST_KEYWORD_CHARS: Final = 120
RELEASE_WINDOW: Final = timedelta(minutes=10)
"""How long a fire may be given back."""

AHEAD: Final = timedelta(days=1)
"""What lies farther ahead although it has been is of a clock that was wrong. A clock that is set back by less
brings nothing a second time."""


class Kind(StrEnum):
    """What an intent waits for."""

    EVENT = "event"
    REMINDER = "reminder"
    FOLLOW_UP = "follow_up"


class Status(StrEnum):
    """Where an intent is in its life.

    ``pending`` waits for its window to open, ``armed`` may fire or come due, ``fired`` rests until its
    cooldown is over. ``done`` and ``cancelled`` are final; ``expired`` is as long as no clock is set back.
    """

    PENDING = "pending"
    ARMED = "armed"
    FIRED = "fired"
    DONE = "done"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


OPEN: Final = frozenset({Status.PENDING, Status.ARMED, Status.FIRED})
"""The states in which something may still come of an intent."""

ENDED: Final = frozenset({Status.DONE, Status.CANCELLED})
"""The states that no time and no clock changes."""


class Scope(StrEnum):
    """Where an intent holds."""

    CONVERSATION = "conversation"
    CHANNEL = "channel"
    ANYWHERE = "anywhere"


class SenderScope(StrEnum):
    """Whose messages an intent holds for."""

    SENDER = "sender"
    ANYONE = "anyone"


@dataclass(frozen=True, slots=True)
class Creator:
    """Who made an intent. Nobody known makes one that never matches."""

    id: str | None
    is_owner: bool


@dataclass(frozen=True, slots=True)
class Intent:
    """One intent as it is stored.

    ``channel`` and ``creator`` are of the call that made it. ``max_fires`` None is without limit.
    ``cooldown_s`` counts from ``last_fired_at``. A reminder has ``at``, or ``cron`` with ``zone``; ``due_at``
    is when it comes next, for a follow-up when its window opens.
    """

    id: str
    agent: str
    kind: Kind
    description: str
    keywords: tuple[str, ...]
    semantic: bool
    scope: Scope
    sender_scope: SenderScope
    channel: Channel
    creator: Creator
    session_id: str | None
    status: Status
    created_at: datetime
    expires_at: datetime | None
    max_fires: int | None
    fire_count: int
    cooldown_s: int
    last_fired_at: datetime | None
    at: datetime | None = None
    cron: str | None = None
    zone: str | None = None
    due_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether anything may still come of it."""
        return self.status in OPEN

    @property
    def has_fires_left(self) -> bool:
        """Whether it may fire once more."""
        return self.max_fires is None or self.fire_count < self.max_fires


def settle(intent: Intent, now: datetime) -> Intent:
    """``intent`` after the steps that time alone takes: expiry, the end of a cooldown, an opening window.

    What expired by a clock that ran ahead is open again once the clock is right.
    """
    if intent.status is Status.EXPIRED and not has_expired(intent, now):
        intent = _reopen(intent, now)
    if not intent.is_open:
        return intent
    if has_expired(intent, now):
        return replace(intent, status=Status.EXPIRED)
    if intent.last_fired_at is not None and intent.last_fired_at > now:
        intent = replace(intent, last_fired_at=now)
    if intent.status is Status.PENDING and intent.due_at is not None and intent.due_at <= now:
        return replace(intent, status=Status.ARMED)
    if intent.status is Status.FIRED and is_rested(intent, now):
        return replace(intent, status=Status.ARMED)
    return intent


def has_expired(intent: Intent, now: datetime) -> bool:
    """Whether its time is over; at its very end it is."""
    return intent.expires_at is not None and intent.expires_at <= now


def _reopen(intent: Intent, now: datetime) -> Intent:
    if intent.kind is Kind.EVENT and intent.last_fired_at is not None:
        return replace(intent, status=Status.FIRED)
    is_early = intent.kind is Kind.FOLLOW_UP and intent.due_at is not None and intent.due_at > now
    return replace(intent, status=Status.PENDING if is_early else Status.ARMED)


def was_ahead(intent: Intent, now: datetime) -> bool:
    """Whether the clock ran ahead when the intent was made, or came last; that it does so no more, ``now``
    shows."""
    last_at = max(intent.created_at, intent.last_fired_at or intent.created_at)
    return intent.is_open and last_at > now + AHEAD


def is_rested(intent: Intent, now: datetime) -> bool:
    """Whether its cooldown is over; at its very end it is."""
    if intent.last_fired_at is None:
        return True
    return intent.last_fired_at + timedelta(seconds=intent.cooldown_s) <= now


def may_fire(intent: Intent, now: datetime) -> bool:
    """Whether a settled event may fire now."""
    return (
        intent.kind is Kind.EVENT
        and intent.status is Status.ARMED
        and intent.has_fires_left
        and is_rested(intent, now)
    )


def fire(intent: Intent, now: datetime) -> Intent:
    """The event after one fire.

    Raises:
        ValueError: it may not fire.
    """
    if not may_fire(intent, now):
        raise ValueError("the intent may not fire now")
    fired = replace(intent, fire_count=intent.fire_count + 1, last_fired_at=now, status=Status.FIRED)
    return fired if fired.has_fires_left else replace(fired, status=Status.DONE)


def give_back(intent: Intent, *, fired_at: datetime, rested_since: datetime | None) -> Intent:
    """The event as if it had not fired at ``fired_at``; ``rested_since`` is when it had fired before that.

    What was cancelled or has expired meanwhile stays so, and so does what somebody said is done: that one has
    fires left, as none has that is done because it fired.
    """
    given = replace(intent, fire_count=max(0, intent.fire_count - 1))
    if intent.last_fired_at == fired_at:
        given = replace(given, last_fired_at=rested_since)
    if intent.status is Status.DONE and intent.has_fires_left:
        return given
    if intent.status in (Status.FIRED, Status.DONE) and given.last_fired_at == rested_since:
        return replace(given, status=Status.ARMED)
    if intent.status is Status.DONE and given.has_fires_left:
        return replace(given, status=Status.FIRED)
    return given


def is_due(intent: Intent, now: datetime) -> bool:
    """Whether a settled reminder or follow-up is to be delivered until it is confirmed."""
    if intent.kind is Kind.EVENT or intent.status is not Status.ARMED:
        return False
    return intent.due_at is not None and intent.due_at <= now


def confirm(intent: Intent, now: datetime, next_due_at: datetime | None) -> Intent:
    """The reminder or follow-up after its delivery was confirmed; ``next_due_at`` None: it comes no more.

    Raises:
        ValueError: it is not due.
    """
    if not is_due(intent, now):
        raise ValueError("the intent is not due")
    told = replace(intent, fire_count=intent.fire_count + 1, last_fired_at=now)
    if next_due_at is None or not told.has_fires_left:
        return replace(told, status=Status.DONE)
    return replace(told, due_at=next_due_at)


def cancel(intent: Intent) -> Intent | None:
    """The intent cancelled; None when it was done or cancelled before. Nothing but this cancels one.

    One that has expired is cancelled too, since a clock that is set back would open it again.
    """
    return None if intent.status in ENDED else replace(intent, status=Status.CANCELLED)


def finish(intent: Intent) -> Intent | None:
    """The intent done, since somebody says so; None when it was done or cancelled before.

    One that has expired is finished too (see ``cancel``).
    """
    return None if intent.status in ENDED else replace(intent, status=Status.DONE)
