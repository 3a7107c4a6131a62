"""Events that a message fires: found by words, checked again and spent in one transaction."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from secrets import token_urlsafe
from typing import Any, Final

import trio

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.intent_block import MOST_CHARS, event_line
from openclaw_memd.domain.intent_scopes import holds_for
from openclaw_memd.domain.intents import RELEASE_WINDOW, Intent, fire, give_back, may_fire, settle
from openclaw_memd.domain.keywords import Said, find_said, read_message
from openclaw_memd.domain.spoken import spoken_text
from openclaw_memd.domain.stemming import Stems
from openclaw_memd.index.ledger import intent_fires, intent_words, intents
from openclaw_memd.index.ledger.intent_fires import Fire
from openclaw_memd.index.ledger.intent_rows import IntentRow
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Clock

SCANNED: Final = 256
"""Intents that one message may come to be checked against: OpenClaw's limit."""

FOUND: Final = 32
"""Intents that are handed on to be fired; ``[intents] per_turn`` is no more. The others wait."""

RESERVE_S: Final = 0.02
"""How long before the deadline a model has to have answered: reading the ledger takes the rest."""

About = Callable[[str, str], Awaitable[Mapping[int, str]]]
"""Which events of an agent a message is about by its meaning: their numbers, each with its why."""

Finish = Callable[[Any, Sequence["Fired"]], None]
"""Called in the transaction that spends fires, with its connection and what fired."""

Choose = Callable[[Any, Sequence[str]], Sequence[str]]
"""Called in the transaction that gives fires back: which of these tokens are to be given back."""

Finished = Callable[[Any, Sequence[str]], None]
"""Called in the transaction that gives fires back, with the tokens of those that were."""


def _choose_all(_connection: Any, tokens: Sequence[str]) -> Sequence[str]:
    return tokens


def _do_nothing(_connection: Any, _tokens: Sequence[str]) -> None:
    pass


async def about_nothing(_agent: str, _message: str) -> Mapping[int, str]:
    """Where meaning is not known."""
    await trio.lowlevel.checkpoint()
    return {}


@dataclass(frozen=True, slots=True)
class Fired:
    """An event after it fired; the ``token`` gives it back. ``why`` is the keyword, or ``semantic``."""

    intent: Intent
    token: str
    why: str


@dataclass(frozen=True, slots=True)
class Found:
    """Events that a message may fire, in the order in which they were made, by number, each with its why."""

    whys: Mapping[int, str]


class Firing:
    """Fires events of the ledger ``state``."""

    def __init__(self, state: Store, stems: Stems, clock: Clock, about: About = about_nothing) -> None:
        """Take the stems of keywords; ``about`` finds events by meaning."""
        self._about = about
        self._state = state
        self._stems = stems
        self._clock = clock

    async def find(self, caller: Caller, text: str, *, most: int = FOUND) -> Found:
        """What the message ``text`` of ``caller`` may fire, up to ``most`` of it by words; nothing is spent.

        By meaning it is found as far as that is known shortly before the deadline of the caller's scope.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        spoken = spoken_text(text)
        said = read_message(spoken, self._stems)
        also: Mapping[int, str] = {}
        with trio.move_on_at(trio.current_effective_deadline() - RESERVE_S):
            also = await self._about(caller.agent, spoken)
        work = partial(self._find, caller=caller, said=said, also=also, most=most)
        return await self._state.read(work)

    async def fire(self, caller: Caller, found: Found, *, most: int, finish: Finish) -> tuple[Fired, ...]:
        """Spend a fire of up to ``most`` of what was found, as much as goes into one message.

        ``finish`` is called in the transaction; when it raises, or the call is cancelled, nothing is spent.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written; nothing is spent.
        """

        def work(connection: Any) -> tuple[Fired, ...]:
            now = self._clock.now()
            fired = tuple(self._choose(connection, caller, found, now, most))
            finish(connection, fired)
            return fired

        return await self._state.write(work)

    async def release(
        self, agent: str, tokens: Sequence[str], *, only: Choose = _choose_all, also: Finished = _do_nothing
    ) -> int:
        """Give fires back that were made in the last ten minutes; of how many that was done.

        In the same transaction ``only`` chooses from those that can be, and ``also`` is told of those that
        were. Errors as ``fire``.
        """

        def work(connection: Any) -> int:
            since = self._clock.now() - RELEASE_WINDOW
            kept = [
                token
                for token in dict.fromkeys(tokens)
                if intent_fires.has_fire(connection, agent, token, since)
            ]
            chosen = only(connection, kept)
            taken = [intent_fires.take_fire(connection, agent, token, since) for token in chosen]
            fires = [one for one in taken if one is not None]
            for one in reversed(fires):
                _give_back(connection, one)
            also(connection, [one.token for one in fires])
            return len(fires)

        return await self._state.write(work)

    def _find(self, connection: Any, caller: Caller, said: Said, also: Mapping[int, str], most: int) -> Found:
        whys = dict(islice(self._say_why(connection, caller, said), most))
        for row in intents.get_intents(connection, [number for number in also if number not in whys]):
            if holds_for(row.intent, caller):
                whys[row.number] = also[row.number]
        return Found(dict(sorted(whys.items())))

    def _say_why(self, connection: Any, caller: Caller, said: Said) -> Iterator[tuple[int, str]]:
        found = intent_words.find_said(
            connection,
            caller.agent,
            said.forms,
            self._clock.now(),
            conversation_id=caller.channel.conversation_id,
        )
        held = (one for one in found if holds_for(one.row.intent, caller))
        for row, places in islice(held, SCANNED):
            why = find_said([row.intent.keywords[place] for place in places], said, self._stems)
            if why is not None:
                yield row.number, why

    def _choose(
        self, connection: Any, caller: Caller, found: Found, now: datetime, most: int
    ) -> "Sequence[Fired]":
        chosen: list[Fired] = []
        chars = 0
        for row in intents.get_intents(connection, found.whys):
            intent = settle(row.intent, now)
            size = len(event_line(intent)) + 1
            if len(chosen) == most or (chosen and chars + size > MOST_CHARS):
                continue
            if not may_fire(intent, now) or not holds_for(intent, caller):
                continue
            chars += size
            spent = fire(intent, now)
            token = token_urlsafe(12)
            intents.save_intent(connection, IntentRow(row.number, spent))
            intent_fires.add_fire(connection, Fire(token, row.number, now, intent.last_fired_at))
            chosen.append(Fired(spent, token, found.whys[row.number]))
        return chosen


def _give_back(connection: Any, fire_: Fire) -> None:
    for row in intents.get_intents(connection, [fire_.number]):
        given = give_back(row.intent, fired_at=fire_.fired_at, rested_since=fire_.rested_since)
        intents.save_intent(connection, IntentRow(row.number, given))
