"""A searchable workspace with deep recall over it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.deep.gathering import Evidence, Gatherer
from openclaw_memd.deep.recall import DeepRecall
from openclaw_memd.deep.recall import Memory as DeepMemory
from openclaw_memd.deep.types import DeepAnswer, DeepRequest
from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.escalation import EscalationRules
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.ports import ChatModel
from openclaw_memd.recall.dated import Dated
from openclaw_memd.recall.types import SearchAnswer, SearchRequest
from openclaw_memd.zones import Zone
from tests.fakes import HashEmbedder, TrioClock
from tests.recall.memory import Memory, open_memory

OWNER = Caller(
    session_id="s1",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    channel=Channel("telegram", "default", "c1"),
    sender=Sender("u1", is_owner=True),
)
LIMIT_S = 15.0

NOTES: Mapping[str, str] = {
    "MEMORY.md": "- Ada's birthday is on 3 March.\n- The gateway listens on port 18789.\n",
    "memory/2025-12-01.md": "- Decided: the gateway moves to port 4000 for a test.\n- Ada likes the sea.\n",
    "memory/2026-01-07.md": "- Decided: the port of the gateway is 18789 again.\n- Tea is out.\n",
    "memory/2026-01-10.md": "- Moved the backups to the new disk.\n- Ben called about the boat.\n",
    "memory/2026-01-09-boat.md": "- Ada and Ben bought a red canoe.\n",
}


class SundayClock(TrioClock):
    """It is the 11th of January 2026, a Sunday, however long it takes."""

    def now(self) -> datetime:
        return datetime(2026, 1, 11, 12, tzinfo=UTC)


@dataclass
class World:
    """Deep recall over ``memory``; ``model`` is the chat model of now."""

    memory: Memory
    rules: EscalationRules = field(default_factory=EscalationRules)
    model: ChatModel | None = None

    def __post_init__(self) -> None:
        self.clock = SundayClock()
        self.searches: list[SearchRequest] = []
        analyzer = self.memory.indexer.preparer.analyzer
        dated = Dated(self.memory.indexer.store, self.memory.get)
        self.gatherer = Gatherer(_Watched(self), dated.find, analyzer, min_score=0.35)
        self.deep = DeepRecall(
            DeepMemory(
                gatherer=self.gatherer,
                searching=self.memory.search.search,
                getting=self.memory.get.get,
                version=lambda: self.memory.indexer.generation,
                chat_model=lambda: self.model,
                brings_up=_bring_up_nothing,
            ),
            self.rules,
            self.clock,
            Zone("UTC"),
        )

    async def ask(self, text: str, *, within_s: float = LIMIT_S, **options: Any) -> DeepAnswer:
        return await self.deep.recall(DeepRequest(text, trio.current_time() + within_s, **options))

    async def gather(self, text: str) -> Evidence:
        return await self.gatherer.gather(text, SearchRequest(""), self.clock.now().date())


async def _bring_up_nothing(_text: str, _project_keys: tuple[str, ...], _until_at: float) -> bool:
    await trio.lowlevel.checkpoint()
    return False


class _Watched:
    """The world's search, which notes what it is asked."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.count_forms = world.memory.search.count_forms

    async def search(self, request: SearchRequest) -> SearchAnswer:
        self._world.searches.append(request)
        return await self._world.memory.search.search(request)


@asynccontextmanager
async def open_world(
    folder: Path,
    texts: Mapping[str, str] = NOTES,
    *,
    rules: EscalationRules | None = None,
    model: ChatModel | None = None,
    embedder: HashEmbedder | None = None,
) -> AsyncIterator[World]:
    """A world with these texts."""
    async with open_memory(folder, texts, embedder=embedder) as memory:
        yield World(memory, rules or EscalationRules(), model)
