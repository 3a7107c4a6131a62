"""Deep recall over a memory that answers at once, so that its clock may jump."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import trio
import trio.lowlevel

from openclaw_memd.deep.gathering import Gatherer
from openclaw_memd.deep.recall import DeepRecall, Memory
from openclaw_memd.deep.types import DeepAnswer, DeepRequest
from openclaw_memd.domain.escalation import EscalationRules
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.ports import ChatModel
from openclaw_memd.recall.query import Statistics
from openclaw_memd.recall.types import GetAnswer, GetRequest, Hit, SearchAnswer, SearchRequest
from openclaw_memd.zones import Zone
from tests.deep.hits import answer_of, make_hit
from tests.fakes import TrioClock

HIT = make_hit("- Decided: the gateway listens on port 18789.")


@dataclass
class QuickMemory:
    """Deep recall over ``hits``, which every search finds after ``delay_s``, or fails with ``failure``.

    Every file reads ``read``. Lane 1 injects something for messages with the words ``triggers``, after
    ``triggers_delay_s``.
    """

    model: ChatModel | None = None
    hits: tuple[Hit, ...] = (HIT,)
    delay_s: float = 0.0
    failure: Exception | None = None
    version: int = 0
    asked: list[SearchRequest] = field(default_factory=list)
    read: str = ""
    triggers: str = ""
    triggers_delay_s: float = 0.0

    def __post_init__(self) -> None:
        memory = Memory(
            gatherer=Gatherer(self, self.list_days, Analyzer(), min_score=0.35),
            searching=self.search,
            getting=self.get,
            version=lambda: self.version,
            chat_model=lambda: self.model,
            brings_up=self.bring_up,
        )
        self.deep = DeepRecall(memory, EscalationRules(), TrioClock(), Zone("UTC"))

    async def ask(self, text: str, *, within_s: float = 15.0, **options: Any) -> DeepAnswer:
        return await self.deep.recall(DeepRequest(text, trio.current_time() + within_s, **options))

    async def search(self, request: SearchRequest) -> SearchAnswer:
        self.asked.append(request)
        await trio.sleep(self.delay_s)
        if self.failure is not None:
            raise self.failure
        return answer_of(*self.hits)

    async def bring_up(self, text: str, _project_keys: tuple[str, ...], _until_at: float) -> bool:
        await trio.sleep(self.triggers_delay_s)
        return bool(self.triggers) and self.triggers in text

    async def count_forms(self, forms: Sequence[str]) -> Statistics:
        await trio.lowlevel.checkpoint()
        return Statistics(100, dict.fromkeys(forms, 1))

    async def list_days(self, request: SearchRequest) -> tuple[Hit, ...]:
        return (await self.search(request)).hits

    async def get(self, request: GetRequest) -> GetAnswer:
        await trio.sleep(self.delay_s)
        if self.read:
            return GetAnswer("ok", request.path, self.read, 1, 1, 1, origin=Origin.AGENT)
        return GetAnswer("not_found", request.path)
