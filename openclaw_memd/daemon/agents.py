"""One agent as the gateway sees it: its own settings over the memory of its workspace."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Final, Self

import msgspec

from openclaw_memd.config.schema import Agent
from openclaw_memd.config.sections import Search as SearchSection
from openclaw_memd.curated.history import History
from openclaw_memd.curated.remember import Remembered, Wish
from openclaw_memd.curated.revisions import Rewritten
from openclaw_memd.daemon.chatting import AgentChat, no_chat
from openclaw_memd.daemon.curating import budget_of
from openclaw_memd.daemon.dream_status import report_dreaming
from openclaw_memd.daemon.recalling import escalation_rules, open_deep_recall
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.domain.audience import View
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.lint import Finding
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.dreaming.dreams import Dreams
from openclaw_memd.dreaming.reviewing import Reviewing
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.errors import UnavailableError
from openclaw_memd.gateway.dream_results import DreamStatus
from openclaw_memd.gateway.results import SyncReport
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.first_answers import FirstAnswers
from openclaw_memd.index.line_store import LineStore
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.jobs import Job
from openclaw_memd.models.chat.runtime import AttachedRuntimes
from openclaw_memd.notes.types import Observed
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.ports import ChatModel, Clock, Embedder
from openclaw_memd.recall.get import Get
from openclaw_memd.recall.nearness import Nearness
from openclaw_memd.recall.search import Search
from openclaw_memd.recall.types import GetAnswer, GetRequest, SearchAnswer, SearchRequest
from openclaw_memd.sessions.service import Sessions
from openclaw_memd.zones import Zone

if TYPE_CHECKING:
    from openclaw_memd.deep.recall import DeepRecall
    from openclaw_memd.dreaming.backfill import Backfill
    from openclaw_memd.ops.forgetting import Forgetting
    from openclaw_memd.ops.imports.service import Imports

MENDED_SOON_MS = 1_000
_LOCAL: Final = Zone()


class AgentMemory:
    """An agent's memory; several may share a workspace.

    While a damaged index is being mended, calls that need it raise ``UnavailableError``.
    """

    def __init__(
        self,
        memory: WorkspaceMemory,
        settings: Agent,
        search: Search,
        get: Get,
        *,
        open_deep: Callable[[], "DeepRecall"],
        chat: AgentChat,
    ) -> None:
        self.memory = memory
        self.chat = chat
        self._open_deep = open_deep
        self.bootstrap = memory.lanes.giving.bootstrap(settings.inject)
        turning = memory.lanes.turning
        self.turns = turning.turns(settings, self.bootstrap, escalation_rules(settings.escalation))
        self.intents = turning.intents
        self.reminders = turning.reminders
        self.firing = turning.firing
        self.explaining = turning.explaining
        memory.dreaming.lend(chat)
        self._settings = settings
        self._search = search
        self._get = get

    @classmethod
    def build(
        cls,
        memory: WorkspaceMemory,
        settings: Agent,
        embedder: Embedder,
        clock: Clock,
        *,
        chat: AgentChat | None = None,
        zone: Zone = _LOCAL,
    ) -> Self:
        """The agent with these settings over ``memory``."""
        chat = chat or no_chat()
        search = Search(
            index=memory.index,
            corpus=memory.indexer.corpus,
            nearness=Nearness(memory.index, memory.vectors.searches, LineStore(memory.vectors.database)),
            analyzer=memory.analyzer,
            embedder=embedder,
            clock=clock,
            index_state=lambda: memory.indexer.state,
            half_life_days=settings.search.half_life_days,
        )
        get = Get(memory.index, memory.indexer.corpus)
        open_deep = partial(
            open_deep_recall,
            memory,
            search,
            get,
            rules=settings.escalation,
            min_score=settings.search.min_score,
            chat_model=chat.usable,
            triggers=memory.lanes.injecting.triggers(settings.inject),
            clock=clock,
            zone=zone,
        )
        return cls(memory, settings, search, get, open_deep=open_deep, chat=chat)

    @cached_property
    def deep(self) -> "DeepRecall":
        """Deep recall; what it is made of is read in with the first call, since many never make one."""
        return self._open_deep()

    @property
    def dreams(self) -> Dreams:
        """The nights of the agent's workspace."""
        return self.memory.dreaming.dreams

    @property
    def backfill(self) -> "Backfill":
        """Looks through the old notes and sessions of the agent's workspace."""
        return self.memory.dreaming.backfill

    @property
    def reviewing(self) -> Reviewing:
        """What the owner decides about the nights of the agent's workspace."""
        return self.memory.dreaming.reviewing

    async def dream_status(self) -> DreamStatus:
        """Where the dreaming of the agent's workspace stands."""
        return await report_dreaming(self.memory.dreaming)

    @property
    def search_defaults(self) -> SearchSection:
        """What holds for a search that does not say otherwise."""
        return self._settings.search

    @property
    def deep_timeout_ms(self) -> int:
        """How long a deep recall may take."""
        return self._settings.escalation.timeout_ms

    @property
    def turn_deadline_ms(self) -> int:
        """How long an answer to a message may take."""
        return self._settings.inject.deadline_ms

    @property
    def notes(self) -> NoteWriter:
        """The daily notes of the agent's workspace."""
        return self.memory.write_path.notes

    @property
    def sessions(self) -> Sessions:
        """The sessions of the agent's workspace."""
        return self.memory.write_path.sessions

    @property
    def forgetting(self) -> "Forgetting":
        """Forgets in the agent's workspace."""
        return self.memory.forgetting

    @property
    def imports(self) -> "Imports":
        """Imports into the agent's workspace."""
        return self.memory.imports

    @property
    def history(self) -> History:
        """The rewrites of the curated files of the agent's workspace."""
        return self.memory.write_path.history

    async def undo(self, preimage_id: int, deadline_at: float = inf) -> Rewritten:
        """Make a curated file what it was before one rewrite, and show it in the index.

        What was done is answered by ``deadline_at`` (in trio's time), shown or not.
        """
        with _damage_told():
            undone = await self.history.undo(preimage_id)
            await self.memory.showing.show(undone.file, deadline_at)
        return undone

    async def show(self, files: Iterable[str], deadline_at: float = inf) -> None:
        """Show in the index what was written to curated files, as far as there is time."""
        for file in files:
            await self.memory.showing.show(file, deadline_at)

    @property
    def chat_model(self) -> ChatModel:
        """The agent's chat model, which may be none."""
        return self.chat.model

    @property
    def runtimes(self) -> AttachedRuntimes:
        """The runtimes that lend the agent their chat model."""
        return self.chat.runtimes

    @property
    def signals(self) -> SignalStore:
        """What was of use in the agent's workspace."""
        return self.memory.lanes.signalling.store

    @property
    def first_answers(self) -> FirstAnswers:
        """What request keys were answered with."""
        return self.memory.write_path.first_answers

    def missing_authority(self, caller: Caller | None) -> str | None:
        """What a caller lacks of owner authority, also by what the ledger knows of its turn."""
        return self.memory.write_path.missing_authority(caller)

    def view(self, caller: Caller | None) -> View:
        """What a caller may see."""
        return self.memory.write_path.view(caller)

    async def active_projects(self, caller: Caller | None) -> tuple[str, ...]:
        """The projects of the caller's session, most recent first, with the one of this call."""
        return await self.memory.projects.active(caller)

    def hear_taint(self, caller: Caller) -> None:
        """The host saw network content enter the turn of the caller's session."""
        self.sessions.hear_taint(caller)

    def hear(self, caller: Caller | None, origins: Iterable[Origin]) -> None:
        """Memory of these origins is handed to a caller, which must not note it as its own."""
        self.sessions.hear(caller, origins)

    async def observe(self, caller: Caller | None, path: str, before_hash: str, after_hash: str) -> Observed:
        """Take note of a change that a tool of the caller's runtime made, and show it in the index."""
        with _damage_told():
            async with self.memory.indexer.reattributing(path):
                observed = await self.notes.observe(caller, path, before_hash, after_hash)
                core = self.memory.lanes.injecting.core
                core.ask_origins()
                await core.refresh()  # a turn that has no time to look must not inject what is known by now
        return observed

    async def trust(self, path: str, selection: Selection, origin: Origin) -> int:
        """Give lines of a memory file this origin, agent or untrusted; how many changed.

        What is lowered is never injected from then on, not even in a turn that has no time to look.
        """
        with _damage_told():
            changed = await self.memory.showing.trust(path, selection, origin)
            await self.memory.lanes.injecting.core.refresh()
        return changed

    async def remember(self, caller: Caller | None, wish: Wish, deadline_at: float = inf) -> Remembered:
        """Write what the owner wants to be known into a curated file, and show it in the index.

        What was written is answered by ``deadline_at`` (in trio's time), shown or not.
        """
        budget = budget_of(self._settings.inject)(wish.file)
        remembering = self.memory.lanes.curating.remembering
        with _damage_told():
            remembered = await remembering.remember(
                caller, wish, budget_chars=budget, deadline_at=deadline_at
            )
            if remembered.appended:
                await self.memory.showing.show(wish.file, deadline_at)
        return remembered

    async def lint(self, file: str | None) -> list[Finding]:
        """What people should look at in the curated files."""
        return await self.memory.lanes.curating.linting.lint(file, budget_of(self._settings.inject))

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Hits by the request's deadline, with what there is by then."""
        return await self._search.search(request)

    async def get(self, request: GetRequest) -> GetAnswer:
        """Lines of one file."""
        with _damage_told():
            return await self._get.get(request)

    async def sync(self, force: bool) -> SyncReport:
        """Make the index show every write made before the call."""
        with _damage_told():
            report = await self.memory.sync(force=force)
        return msgspec.convert(report, SyncReport, from_attributes=True)

    def start_rebuild(self) -> Job:
        """The job that builds a new index."""
        return self.memory.start_rebuild()


@contextmanager
def _damage_told() -> Iterator[None]:
    try:
        yield
    except DamagedError:
        raise UnavailableError(
            "the index is damaged and is being mended", reason="damaged", retry_after_ms=MENDED_SOON_MS
        ) from None
