"""From what a caller wishes to an intent, or to a refusal that names the field."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, assert_never
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from openclaw_memd.config.cron import find_cron_fault
from openclaw_memd.config.sections import Intents as Settings
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.intent_scopes import creator_of
from openclaw_memd.domain.intents import (
    MOST_DESCRIPTION_CHARS,
    MOST_KEYWORD_CHARS,
    MOST_KEYWORDS,
    Intent,
    Kind,
    Scope,
    SenderScope,
    Status,
)
from openclaw_memd.domain.keywords import is_common, split_keyword
from openclaw_memd.domain.note_entries import tidy_text
from openclaw_memd.domain.reminder_wishes import asks_for_reminder
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.schedules import next_time
from openclaw_memd.zones import Zone

MOST_AHEAD: Final = timedelta(days=36_525)
"""How far ahead a time may lie: a hundred years. What lies farther is a mistake, and the calendar ends."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller asks for: an event with keywords, or a reminder with ``at`` or ``cron``.

    What is None has the default of ``[intents]``.
    """

    description: str
    keywords: tuple[str, ...] = ()
    scope: Scope = Scope.CONVERSATION
    sender_scope: SenderScope = SenderScope.SENDER
    semantic: bool = False
    expires_at: datetime | None = None
    max_fires: int | None = None
    cooldown_s: int | None = None
    at: datetime | None = None
    cron: str | None = None
    zone: str | None = None


def make_intent(
    wish: Wish,
    caller: Caller,
    intent_id: str,
    *,
    now: datetime,
    zone: Zone,
    settings: Settings,
    stop_words: Sequence[Container[str]] = (),
) -> Intent:
    """The intent that ``caller`` wishes, armed; ``stop_words`` are those of each of their languages.

    Raises:
        InvalidParamsError: something of it cannot be; ``field`` names it.
    """
    description = _description(wish.description)
    check_zone(wish.zone)
    _check_place(wish, caller)
    if wish.expires_at is not None:
        if wish.expires_at <= now:
            raise InvalidParamsError("expires_at has passed", field="expires_at", reason="past")
        check_near(wish.expires_at, now, "expires_at")
    is_reminder = wish.at is not None or wish.cron is not None
    due_at, zone_name = _due(wish, now, zone) if is_reminder else (None, None)
    if due_at is not None and wish.expires_at is not None and wish.expires_at <= due_at:
        raise InvalidParamsError("it is over before it is due", field="expires_at", reason="never")
    keywords = () if is_reminder else _keywords(wish, stop_words)
    if is_reminder:
        _refuse_both(wish)
    elif asks_for_reminder(description):
        raise InvalidParamsError(
            "keywords know no time: give `at` or `cron` instead of keywords",
            field="description",
            reason="time_based",
        )
    return Intent(
        id=intent_id,
        agent=caller.agent,
        kind=Kind.REMINDER if is_reminder else Kind.EVENT,
        description=description,
        keywords=keywords,
        semantic=wish.semantic and not is_reminder,
        scope=wish.scope,
        sender_scope=wish.sender_scope,
        channel=caller.channel,
        creator=creator_of(caller.sender),
        session_id=caller.session_id,
        status=Status.ARMED,
        created_at=now,
        expires_at=_expiry(wish, now, settings),
        max_fires=_most_fires(wish, settings),
        fire_count=0,
        cooldown_s=settings.cooldown_s if wish.cooldown_s is None else wish.cooldown_s,
        last_fired_at=None,
        at=wish.at,
        cron=wish.cron,
        zone=zone_name,
        due_at=due_at,
    )


def next_due_at(intent: Intent, now: datetime, zone: Zone) -> datetime | None:
    """When a recurring reminder comes after the occurrence that is due; None: never."""
    if intent.cron is None or intent.due_at is None:
        return None
    return next_time(intent.cron, _clock(intent.zone, zone, max(now, intent.due_at)))


def check_near(at: datetime, now: datetime, field: str) -> None:
    """Refuse a time that lies farther ahead than ``MOST_AHEAD``.

    Raises:
        InvalidParamsError: it does; ``field`` names it.
    """
    if at > now + MOST_AHEAD:
        raise InvalidParamsError("a time lies more than 100 years ahead", field=field, reason="too_far")


def _check_place(wish: Wish, caller: Caller) -> None:
    """What the host left out never means everybody, so what is for anyone needs a known place."""
    match wish.scope:
        case Scope.CHANNEL:
            is_known = caller.channel.provider is not None
        case Scope.CONVERSATION:
            is_known = wish.sender_scope is SenderScope.SENDER or caller.channel.is_whole
        case Scope.ANYWHERE:
            is_known = True
        case _:
            assert_never(wish.scope)
    if not is_known:
        raise InvalidParamsError("the context names no channel", field="context.channel", reason="missing")


def _description(text: str) -> str:
    description = " ".join(tidy_text(text, "description").split())
    if len(description) > MOST_DESCRIPTION_CHARS:
        raise InvalidParamsError(
            f"description has more than {MOST_DESCRIPTION_CHARS} characters",
            field="description",
            reason="value",
        )
    return description


def _keywords(wish: Wish, stop_words: Sequence[Container[str]]) -> tuple[str, ...]:
    keywords = tuple(dict.fromkeys(" ".join(keyword.split()) for keyword in wish.keywords))
    if not keywords and not wish.semantic:
        raise InvalidParamsError("keywords, at or cron is missing", field="keywords", reason="missing")
    if len(keywords) > MOST_KEYWORDS:
        raise InvalidParamsError(f"more than {MOST_KEYWORDS} keywords", field="keywords", reason="value")
    for keyword in keywords:
        if len(keyword) > MOST_KEYWORD_CHARS:
            raise InvalidParamsError(
                f"a keyword has more than {MOST_KEYWORD_CHARS} characters", field="keywords", reason="value"
            )
        if not split_keyword(keyword):
            raise InvalidParamsError("a keyword has no word in it", field="keywords", reason="no_word")
        if is_common(keyword, stop_words):
            raise InvalidParamsError("a keyword is in most messages", field="keywords", reason="too_common")
    return keywords


def _refuse_both(wish: Wish) -> None:
    if wish.keywords or wish.semantic:
        raise InvalidParamsError(
            "an intent waits for words or for a time, not for both", field="keywords", reason="time_based"
        )
    if wish.at is not None and wish.cron is not None:
        raise InvalidParamsError("at and cron exclude one another", field="cron", reason="value")


def _due(wish: Wish, now: datetime, zone: Zone) -> tuple[datetime, str | None]:
    if wish.at is not None:
        if wish.at <= now:
            raise InvalidParamsError("at has passed", field="at", reason="past")
        check_near(wish.at, now, "at")
        return wish.at, wish.zone
    cron = wish.cron or ""
    fault = find_cron_fault(cron)
    if fault is not None:
        raise InvalidParamsError(f"cron: {fault}", field="cron", reason="value")
    name = wish.zone or zone.label(now)
    due_at = next_time(cron, _clock(wish.zone, zone, now))
    if due_at is None:
        raise InvalidParamsError("cron names a day that never comes", field="cron", reason="never")
    return due_at, name


def first_due_at(cron: str | None, zone_name: str | None, now: datetime, zone: Zone) -> datetime | None:
    """When what recurs by ``cron`` comes first after ``now``; None: never, or there is no ``cron``."""
    return None if cron is None else next_time(cron, _clock(zone_name, zone, now))


def _clock(name: str | None, zone: Zone, at: datetime) -> datetime:
    """``at`` as the clocks of the zone ``name`` show it, of ours where it is none that is known."""
    if name is None:
        return zone.at(at)
    try:
        return at.astimezone(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return zone.at(at)


def check_zone(name: str | None) -> None:
    """Refuse a zone that this machine does not know.

    Raises:
        InvalidParamsError: it is none.
    """
    if name is None:
        return
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidParamsError("zone is no IANA name of a zone", field="zone", reason="value") from None


def _expiry(wish: Wish, now: datetime, settings: Settings) -> datetime | None:
    if wish.expires_at is not None:
        return wish.expires_at
    if wish.cron is not None:
        return None
    return (wish.at or now) + timedelta(days=settings.expiry_days)


def _most_fires(wish: Wish, settings: Settings) -> int | None:
    if wish.at is not None:
        return 1
    if wish.cron is not None or wish.max_fires is not None:
        return wish.max_fires
    return settings.max_fires
