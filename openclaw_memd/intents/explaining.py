"""What a message would fire now, and why others that are about it would not; nothing is spent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import trio

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.intent_block import MOST_CHARS, event_line
from openclaw_memd.domain.intent_scopes import holds_for
from openclaw_memd.domain.intents import Intent, Kind, Status, may_fire, settle
from openclaw_memd.domain.keywords import Said, find_said, read_message
from openclaw_memd.domain.spoken import spoken_text
from openclaw_memd.index.ledger import intent_words, intents
from openclaw_memd.index.ledger.intent_rows import IntentRow
from openclaw_memd.intents.firing import About, about_nothing
from openclaw_memd.intents.service import Intents

SHOWN: Final = 200
MEANING_S: Final = 0.5
"""How long a look waits for what finds events by meaning."""

_OVER: Final = (Status.DONE, Status.EXPIRED)


class Block(StrEnum):
    """Why an event that a message is about does not fire."""

    RESTING = "resting"
    ELSEWHERE = "elsewhere"
    CROWDED = "crowded"
    FORM = "form"
    SPENT = "spent"
    DONE = "done"
    EXPIRED = "expired"


BLOCKS: Final[Mapping[Block, str]] = MappingProxyType(
    {
        Block.RESTING: "It fired lately; `until` is when its cooldown is over.",
        Block.ELSEWHERE: "It holds in another place, or for another sender.",
        Block.CROWDED: "Older ones take the room that one message has.",
        Block.FORM: "The word is there in another form than the keyword of one word was given in.",
        Block.SPENT: "It fired as often as it may.",
        Block.DONE: "It is done.",
        Block.EXPIRED: "Its time is over.",
    }
)
"""What each means."""


@dataclass(frozen=True, slots=True)
class Explained:
    """An event that a message is about: by ``why``, its keyword. ``block`` None: it would fire.

    ``until`` is when a cooldown is over.
    """

    intent: Intent
    why: str
    block: Block | None = None
    until: datetime | None = None


class Explaining:
    """Explains the events of ``intents_``."""

    def __init__(self, intents_: Intents, about: About = about_nothing) -> None:
        """Take what finds events by meaning, too."""
        self._intents = intents_
        self._about_meaning = about

    async def explain(self, caller: Caller | None, agent: str, text: str) -> list[Explained]:
        """The events that the message ``text`` is about: those that fire first, each group oldest first.

        For no ``caller``, who is the operator, all hold.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        spoken = spoken_text(text)
        said = read_message(spoken, self._intents.stems)
        also: Mapping[int, str] = {}
        with trio.move_on_after(MEANING_S):
            also = await self._about_meaning(agent, spoken)
        work = partial(self._explain, caller=caller, agent=agent, said=said, also=also)
        found = await self._intents.state.read(work)
        return sorted(found, key=lambda one: one.block is not None)

    def _explain(
        self, connection: Any, caller: Caller | None, agent: str, said: Said, also: Mapping[int, str]
    ) -> list[Explained]:
        now = self._intents.clock.now()
        room = _Room(self._intents.settings(agent).per_turn)
        found: list[Explained] = []
        for row in self._about(connection, agent, said, also):
            intent = settle(row.intent, now)
            why = find_said(intent.keywords, said, self._intents.stems) or also.get(row.number)
            if why is not None:
                found.append(_judge(intent, why, caller, now, room))
            elif intent.is_open and (near := self._find_near(intent, said)) is not None:
                found.append(Explained(intent, near, Block.FORM))
            if len(found) == SHOWN:
                break
        return found

    def _find_near(self, intent: Intent, said: Said) -> str | None:
        return find_said(intent.keywords, said, self._intents.stems, in_any_form=True)

    def _about(self, connection: Any, agent: str, said: Said, also: Mapping[int, str]) -> Iterator[IntentRow]:
        """What may be about it: soon after an event is over it is not found by its words any more."""
        told: set[int] = set()
        for row, _ in intent_words.find_all_said(connection, agent, said.forms):
            told.add(row.number)
            if row.intent.status is not Status.CANCELLED:
                yield row
        for row in intents.get_intents(connection, also):
            if row.number not in told and row.intent.status is not Status.CANCELLED:
                told.add(row.number)
                yield row
        for row in intents.list_intents(connection, agent, _OVER):
            if row.number not in told and row.intent.kind is Kind.EVENT:
                yield row


class _Room:
    """How much one message still brings along."""

    def __init__(self, intents_: int) -> None:
        self._intents = intents_
        self._chars = MOST_CHARS

    def take(self, intent: Intent) -> bool:
        """Whether there is room for ``intent``, which then takes it."""
        size = len(event_line(intent)) + 1
        if not self._intents or (size > self._chars and self._chars < MOST_CHARS):
            return False
        self._intents -= 1
        self._chars -= size
        return True


def _judge(intent: Intent, why: str, caller: Caller | None, now: datetime, room: _Room) -> Explained:
    if intent.status is Status.EXPIRED:
        return Explained(intent, why, Block.EXPIRED)
    if not intent.is_open:
        return Explained(intent, why, Block.DONE if intent.has_fires_left else Block.SPENT)
    if caller is not None and not holds_for(intent, caller):
        return Explained(intent, why, Block.ELSEWHERE)
    if not may_fire(intent, now):
        rested_at = None
        if intent.last_fired_at is not None:
            rested_at = intent.last_fired_at + timedelta(seconds=intent.cooldown_s)
        return Explained(intent, why, Block.RESTING, rested_at)
    return Explained(intent, why, None if room.take(intent) else Block.CROWDED)
