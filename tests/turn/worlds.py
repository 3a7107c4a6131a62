"""Turns over real files, a real ledger and real intents; the clock is trio's."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import trio

from openclaw_memd.config.sections import Inject
from openclaw_memd.config.sections import Intents as Settings
from openclaw_memd.domain.audience import view_of
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.escalation import EscalationRules
from openclaw_memd.index.store import Store
from openclaw_memd.index.turn_answers import TurnAnswers
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.injection.projects import ProjectScopes
from openclaw_memd.injection.trigger_entries import TriggerEntries
from openclaw_memd.injection.trigger_vectors import TriggerVectors
from openclaw_memd.injection.triggers import Triggers
from openclaw_memd.intents.firing import Firing
from openclaw_memd.intents.reminders import Reminders
from openclaw_memd.intents.service import Intents
from openclaw_memd.intents.wishes import Wish
from openclaw_memd.turn.drafts import Reply, TurnRequest
from openclaw_memd.turn.give_backs import GiveBacks
from openclaw_memd.turn.turns import LaneOne, Turns
from openclaw_memd.zones import Zone
from tests.fakes import HashEmbedder, TrioClock
from tests.injection.givings import ANALYZER, OWNER, Giving, open_giving

LIMIT_S = 0.25
"""The default of ``[inject] deadline_ms``."""

UTC = Zone("UTC")


@dataclass
class World:
    """A workspace whose messages are answered; ``embedder`` is that of the triggers."""

    giving: Giving
    vectors: Store
    embedder: HashEmbedder = field(default_factory=lambda: HashEmbedder(dims=256))

    def __post_init__(self) -> None:
        clock = TrioClock()
        self.state = self.giving.state
        self.intents = Intents(self.state, ("en",), clock, UTC, lambda _agent: Settings())
        self.firing = Firing(self.state, self.intents.stems, clock)
        self.answers = TurnAnswers(self.state, clock)
        self.give_backs = GiveBacks(self.firing, self.answers)
        vectors = TriggerVectors(self.embedder, VectorStore(self.vectors), clock)
        self.entries = TriggerEntries(self.giving.core, ANALYZER, vectors)
        triggers = Triggers(self.entries, Inject(), lambda: UTC.day(clock.now()))
        self.turns = Turns(
            LaneOne(self.giving.core, triggers, ProjectScopes(), self.giving.bootstrap),
            self.firing,
            Reminders(self.intents),
            self.answers,
            self.give_backs,
            intents=Settings(),
            escalation=EscalationRules(),
            clock=clock,
            zone=UTC,
        )

    async def say(self, text: str, turn_id: str, **more: Any) -> Mapping[str, Any]:
        """What the owner's message is answered, as it is on the wire."""
        return on_the_wire(await self.reply(text, turn_id, **more))

    async def reply(
        self,
        text: str,
        turn_id: str,
        *,
        caller: Caller = OWNER,
        known: Mapping[str, str] | None = None,
    ) -> Reply:
        deadline_at = trio.current_time() + LIMIT_S
        request = TurnRequest(caller, view_of(caller), text, turn_id, known or {}, deadline_at)
        return await self.turns.answer(request)

    async def wish(self, description: str, *keywords: str) -> str:
        """Make an event of the owner; its id."""
        return (await self.intents.create(OWNER, Wish(description, keywords))).id

    async def fires(self, intent_id: str) -> int:
        """How often it fired."""
        return (await self.intents.get("main", intent_id)).fire_count


@asynccontextmanager
async def open_world(tmp_path: Path) -> AsyncIterator[World]:
    async with open_giving(tmp_path) as giving:
        opened = open_vectors(tmp_path / "vectors.db", giving.clock.now())
        try:
            world = World(giving, opened.store)
            await world.intents.load()
            yield world
        finally:
            await opened.store.aclose()


def on_the_wire(reply: Reply) -> dict[str, Any]:
    """The answer as its caller reads it."""
    answer: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(reply.answer))
    return answer


def descriptions(answer: Mapping[str, Any]) -> list[str]:
    """What fired."""
    return [one["intent"]["description"] for one in answer["intents"]]
