"""A daemon that answers from memory, behind the gateway's own protocols."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import date
from typing import Any

import trio

from openclaw_memd.config.sections import Search
from openclaw_memd.curated.remember import Remembered, Wish
from openclaw_memd.curated.revisions import Rewritten
from openclaw_memd.domain.audience import View, view_of
from openclaw_memd.domain.authority import missing_authority
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.lint import Finding
from openclaw_memd.domain.provenance import Origin, SessionKind, Source, Tier
from openclaw_memd.errors import NotFoundError
from openclaw_memd.events import Events
from openclaw_memd.gateway.dream_results import DreamStatus
from openclaw_memd.gateway.metric_kinds import Sample
from openclaw_memd.gateway.results import SyncReport
from openclaw_memd.gateway.services import AgentServices, Services
from openclaw_memd.gateway.status_results import StatusReport
from openclaw_memd.index.first_answers import FirstAnswers
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.injection.bootstrap import Bootstrap
from openclaw_memd.jobs import Job, Jobs, Progress
from openclaw_memd.models.chat.absent import AbsentChatModel
from openclaw_memd.models.chat.runtime import AttachedRuntimes
from openclaw_memd.notes.types import Observed
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.ports import ChatModel
from openclaw_memd.recall.types import GetAnswer, GetRequest, Hit, SearchAnswer, SearchRequest
from openclaw_memd.sessions.service import Sessions
from tests.fakes import TrioClock

SYNCED = SyncReport(generation=7, added=1, changed=2, removed=3, unchanged=4, skipped=5, took_ms=6.5)

HIT = Hit(
    path="memory/2026-01-11.md",
    start_line=3,
    end_line=5,
    text="The gateway listens on port 18789.\n",
    score=0.8,
    vector_score=None,
    text_score=0.8,
    exact=True,
    weak=False,
    tier=Tier.EPISODIC,
    source=Source.MEMORY,
    origin=Origin.AGENT,
    session_kind=SessionKind.UNKNOWN,
    observed_at=date(2026, 1, 11),
    importance=None,
    triggers=(),
    projects=(),
    supersedes_key=None,
    citation="memory/2026-01-11.md#L3-L5",
)


def found(*hits: Hit) -> SearchAnswer:
    return SearchAnswer(
        hits, context="", mode="keyword", freshness="fresh", pending=0, took_ms=1.0, empty_reason=None
    )


Search_ = Callable[[SearchRequest], Awaitable[SearchAnswer]]


class NoSignals:
    """Hears of recalls and keeps nothing."""

    def hear(self, caller: Caller | None, question: str, hits: Iterable[Hit]) -> None:
        pass

    def hear_get(self, caller: Caller | None, answer: GetAnswer) -> None:
        pass


class FakeAgent:
    """Answers with ``HIT`` unless ``on_search`` or ``on_sync`` says otherwise; ``asked`` are its requests.

    What writes is tested with a whole daemon.
    """

    def __init__(self, jobs: Jobs) -> None:
        self.search_defaults = Search(max_results=9, min_score=0.5)
        self.asked: list[SearchRequest | GetRequest | bool] = []
        self.on_search: Search_ | None = None
        self.forgetting: Any = None
        self.signals: Any = NoSignals()
        self.history: Any = None
        self.deep: Any = None
        self.deep_timeout_ms = 15_000
        self.turns: Any = None
        self.dreams: Any = None
        self.reviewing: Any = None
        self.backfill: Any = None
        self.imports: Any = None
        self.turn_deadline_ms = 250
        self.intents: Any = None
        self.reminders: Any = None
        self.firing: Any = None
        self.explaining: Any = None
        self.chat_model: ChatModel = AbsentChatModel("none")
        self.runtimes = AttachedRuntimes()
        self.on_sync: Callable[[], Awaitable[SyncReport]] | None = None
        self.heard_taint: list[Caller] = []
        self._jobs = jobs

    @property
    def notes(self) -> NoteWriter:
        raise NotImplementedError

    @property
    def sessions(self) -> Sessions:
        raise NotImplementedError

    @property
    def bootstrap(self) -> Bootstrap:
        raise NotImplementedError

    @property
    def first_answers(self) -> FirstAnswers:
        raise NotImplementedError

    def missing_authority(self, caller: Caller | None) -> str | None:
        return missing_authority(caller)

    async def undo(self, preimage_id: int, deadline_at: float) -> Rewritten:
        raise NotImplementedError

    def view(self, caller: Caller | None) -> View:
        return view_of(caller)

    async def active_projects(self, caller: Caller | None) -> tuple[str, ...]:
        return () if caller is None or caller.project_key is None else (caller.project_key,)

    def hear_taint(self, caller: Caller) -> None:
        self.heard_taint.append(caller)

    def hear(self, caller: Caller | None, origins: Iterable[Origin]) -> None:
        pass

    async def observe(self, caller: Caller | None, path: str, before_hash: str, after_hash: str) -> Observed:
        raise NotImplementedError

    async def trust(self, path: str, selection: Selection, origin: Origin) -> int:
        raise NotImplementedError

    async def remember(self, caller: Caller | None, wish: Wish, deadline_at: float) -> Remembered:
        raise NotImplementedError

    async def show(self, files: Iterable[str], deadline_at: float) -> None:
        raise NotImplementedError

    async def lint(self, file: str | None) -> list[Finding]:
        raise NotImplementedError

    async def dream_status(self) -> DreamStatus:
        raise NotImplementedError

    async def search(self, request: SearchRequest) -> SearchAnswer:
        self.asked.append(request)
        return await self.on_search(request) if self.on_search else found(HIT)

    async def get(self, request: GetRequest) -> GetAnswer:
        self.asked.append(request)
        return GetAnswer(
            "ok", request.path, "text\n", request.from_line, 1, 9, True, 5, Origin.AGENT, None, "<memory>"
        )

    async def sync(self, force: bool) -> SyncReport:
        self.asked.append(force)
        return await self.on_sync() if self.on_sync else SYNCED

    def start_rebuild(self) -> Job:
        async def work(report_progress: Progress) -> object:
            report_progress(1, 2)
            return await self.on_sync() if self.on_sync else SYNCED

        return self._jobs.start("rebuild", work, key="main")


class FakeServices:
    """One agent, ``main``."""

    def __init__(self) -> None:
        self.jobs = Jobs()
        self.main = FakeAgent(self.jobs)
        self.events = Events(TrioClock())
        self.is_healthy = True
        self.on_status: Callable[[], Awaitable[object]] | None = None
        self.main_doctor: Any = None
        self.backups: Any = None

    def doctor(self, agent_id: str) -> Any:
        self.agent(agent_id)
        return self.main_doctor

    def agent(self, agent_id: str) -> AgentServices:
        if agent_id != "main":
            raise NotFoundError("no such agent", field="agent")
        return self.main

    async def status(self, deep: bool) -> StatusReport:
        if self.on_status:
            await self.on_status()
        return StatusReport(
            version="0",
            pid=1,
            uptime_s=2.0,
            state="ok",
            socket="/run/memd.sock",
            agents=(),
            jobs=(),
            warnings=("deep",) if deep else (),
        )

    def healthy(self) -> bool:
        return self.is_healthy

    def measure(self) -> Iterable[Sample]:
        yield Sample("memd_chunks", 12, ("main",))


def _is_whole(services: FakeServices) -> Services:
    """Checked by the type checker: the fake has everything that the gateway asks for."""
    return services


async def never() -> SyncReport:
    await trio.sleep_forever()
    raise AssertionError
