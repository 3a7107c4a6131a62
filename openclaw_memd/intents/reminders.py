"""Reminders and follow-ups: what is due, and what was delivered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final
from uuid import uuid4

from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.intent_scopes import creator_of, holds_for
from openclaw_memd.domain.intents import (
    MOST_DESCRIPTION_CHARS,
    Intent,
    Kind,
    Scope,
    SenderScope,
    Status,
    confirm,
    is_due,
)
from openclaw_memd.domain.note_entries import tidy_text
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.index.ledger import intents
from openclaw_memd.index.ledger.intent_rows import IntentRow
from openclaw_memd.intents.service import Intents
from openclaw_memd.intents.settling import settle_by_clock
from openclaw_memd.intents.wishes import check_near, next_due_at

MOST_FOLLOW_UPS: Final = 3
FOLLOW_UP_DAY: Final = timedelta(days=1)
"""A session may leave so many in a rolling day: OpenClaw's limit."""


@dataclass(frozen=True, slots=True)
class Due:
    """A reminder or follow-up that is due. The ``token`` stands for this occurrence alone."""

    intent: Intent
    due_at: datetime
    token: str


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a runtime means to come back to, between two instants."""

    text: str
    due_from: datetime
    due_to: datetime


class Reminders:
    """Delivers what ``intents`` has due, until that is confirmed."""

    def __init__(self, intents_: Intents) -> None:
        self._intents = intents_

    async def due(self, caller: Caller | None, agent: str, limit: int | None = None) -> list[Due]:
        """Up to ``limit`` that are due for ``caller``, the first due first; the operator sees all.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        now = self._intents.clock.now()

        def work(connection: Any) -> list[Due]:
            rows = intents.find_due(connection, agent, now)
            settled = (settle_by_clock(row.intent, now, self._intents.zone) for row in rows)
            due = (
                Due(intent, intent.due_at, token_of(intent))
                for intent in settled
                if is_due(intent, now) and intent.due_at is not None and _is_for(intent, caller)
            )
            return [*islice(due, limit)]

        return await self._intents.state.read(work)

    async def confirm(self, caller: Caller | None, agent: str, tokens: Sequence[str]) -> int:
        """Take note that these were delivered; of how many occurrences that were due for ``caller``.

        A token of an occurrence that was confirmed before or is for others, or of an event, does nothing.
        Errors as ``due``.
        """

        def work(connection: Any) -> int:
            now = self._intents.clock.now()
            confirmed = 0
            for token in dict.fromkeys(tokens):
                row = intents.find_intent(connection, agent, token.partition("@")[0])
                intent = None if row is None else settle_by_clock(row.intent, now, self._intents.zone)
                if row is None or intent is None or not is_due(intent, now) or token_of(intent) != token:
                    continue
                if not _is_for(intent, caller):
                    continue
                told = confirm(intent, now, next_due_at(intent, now, self._intents.zone))
                intents.save_intent(connection, IntentRow(row.number, told))
                confirmed += 1
            return confirmed

        told = await self._intents.state.write(work)
        self._intents.note_changed()
        return told

    async def follow_up(self, caller: Caller, wishes: Sequence[FollowUp]) -> int:
        """Keep what the caller's runtime means to come back to, as far as the day's limit goes; how many.

        None where the agent's settings do not want them; the same text again is kept once. They expire by
        themselves at the end of their window. The caller has owner authority.

        Raises:
            InvalidParamsError: a window or text cannot be.
            UnavailableError, DamagedError: the ledger cannot be written.
        """
        now = self._intents.clock.now()
        made = [_follow_up(wish, caller, str(uuid4()), now) for wish in wishes]
        if not self._intents.settings(caller.agent).follow_ups:
            return 0

        def work(connection: Any) -> int:
            since = now - FOLLOW_UP_DAY
            before = intents.list_follow_ups(connection, caller.agent, caller.session_id, since)
            new = [intent for intent in made if intent.description not in before]
            kept = new[: max(0, MOST_FOLLOW_UPS - len(before))]
            for intent in kept:
                intents.add_intent(connection, intent, ())
            return len(made) - len(new) + len(kept)

        stored = await self._intents.state.write(work)
        self._intents.note_changed()
        return stored


def token_of(intent: Intent) -> str:
    """What stands for the occurrence that is due."""
    due_at = intent.due_at or intent.created_at
    return f"{intent.id}@{due_at.astimezone(UTC):%Y%m%dT%H%M%S}"


def _is_for(intent: Intent, caller: Caller | None) -> bool:
    """Whether what is due may be told to ``caller``: in its place, or to the owner's heartbeat."""
    if caller is None:
        return True
    if caller.session_kind is not SessionKind.HEARTBEAT or caller.agent != intent.agent:
        return holds_for(intent, caller)
    is_private = caller.chat_type in (ChatType.DIRECT, ChatType.UNKNOWN)
    is_owners = caller.sender.is_owner or caller.sender == Sender()
    return is_private and is_owners and intent.creator.is_owner


def _follow_up(wish: FollowUp, caller: Caller, intent_id: str, now: datetime) -> Intent:
    text = " ".join(tidy_text(wish.text, "follow_ups.text").split())
    if len(text) > MOST_DESCRIPTION_CHARS:
        raise InvalidParamsError("a follow-up is too long", field="follow_ups.text", reason="value")
    if wish.due_to <= now:
        raise InvalidParamsError("a window has passed", field="follow_ups.due_to", reason="past")
    if wish.due_to <= wish.due_from:
        raise InvalidParamsError("a window ends before it begins", field="follow_ups.due_to", reason="window")
    check_near(wish.due_to, now, "follow_ups.due_to")
    return Intent(
        id=intent_id,
        agent=caller.agent,
        kind=Kind.FOLLOW_UP,
        description=text,
        keywords=(),
        semantic=False,
        scope=Scope.CONVERSATION,
        sender_scope=SenderScope.SENDER,
        channel=caller.channel,
        creator=creator_of(caller.sender),
        session_id=caller.session_id,
        status=Status.PENDING if wish.due_from > now else Status.ARMED,
        created_at=now,
        expires_at=wish.due_to,
        max_fires=1,
        fire_count=0,
        cooldown_s=0,
        last_fired_at=None,
        due_at=max(wish.due_from, now),
    )
