"""What the tests of signals share: a real workspace whose clock is set by hand, and short ways to ask."""

import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec

from openclaw_memd.config.schema import Agent, Config
from openclaw_memd.daemon.agents import AgentMemory
from openclaw_memd.daemon.outside import Outside
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.domain.audience import view_of
from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.dreaming.ingesting import Ingested
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.dreaming.types import Candidate
from openclaw_memd.events import Events
from openclaw_memd.files.workspace import open_workspace
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.jobs import Jobs
from openclaw_memd.recall.types import GetRequest, Hit, SearchRequest
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from openclaw_memd.sessions.outcomes import EndReason
from tests.fakes import ConstantRng, HashEmbedder
from tests.sessions.worlds import HandClock

OWNER = Caller(
    session_id="owner",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    sender=Sender("u1", is_owner=True),
)
TABLES = ("candidates", "candidate_sources", "signals", "phase_signals", "candidate_verdicts")


def session(name: str, **changes: Any) -> Caller:
    """The owner in another session."""
    return replace(OWNER, session_id=name, **changes)


async def record_recall(
    signals: SignalStore, caller: Caller | None, question: str, hits: Sequence[Hit]
) -> None:
    """Have heard that a question was answered with these hits, and recorded it."""
    signals.hear(caller, question, hits)
    await signals.settle()


@dataclass
class World:
    """An open workspace; ``clock`` stands still until it is moved."""

    memory: WorkspaceMemory
    agent: AgentMemory
    clock: HandClock
    _numbers: dict[str, int] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.memory.workspace.path

    @property
    def signals(self) -> SignalStore:
        return self.memory.lanes.signalling.store

    def write(self, path: str, text: str) -> None:
        """Put a file into the workspace, as an editor does."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    async def note(self, path: str, text: str) -> None:
        self.write(path, text)
        await self.memory.sync()

    async def hits(
        self,
        question: str,
        caller: Caller | None = OWNER,
        *,
        corpus: Any = "memory",
        most: int = 10,
    ) -> tuple[Hit, ...]:
        """What the caller may see of what is found."""
        view = view_of(caller, cross_conversation=True)
        request = SearchRequest(question, corpus=corpus, max_results=most, min_score=0.0, view=view)
        return (await self.agent.search(request)).hits

    async def ask(self, question: str, caller: Caller | None = OWNER, *, corpus: Any = "memory") -> None:
        """Search, and record what was found as the gateway does."""
        await record_recall(self.signals, caller, question, await self.hits(question, caller, corpus=corpus))

    async def get(self, path: str, caller: Caller | None = OWNER, *, first: int = 1, lines: int = 99) -> None:
        """Fetch lines, and record it as the gateway does."""
        answer = await self.agent.get(GetRequest(path, from_line=first, lines=lines))
        self.signals.hear_get(caller, answer)

    async def say(self, caller: Caller, *texts: str, answer: bool = False) -> None:
        """Messages of the caller, or answers to them."""
        name = caller.session_id or ""
        messages = []
        for text in texts:
            self._numbers[name] = number = self._numbers.get(name, 0) + 1
            role = Role.ASSISTANT if answer else Role.USER
            messages.append(Message(f"m{number}", role, text, kind=MessageKind.NORMAL))
        await self.memory.write_path.sessions.append(caller, messages)

    async def end(self, caller: Caller) -> None:
        await self.memory.write_path.sessions.end(caller, EndReason.RESET)

    async def ingest(self, lookback_days: int = 2) -> Ingested:
        return await self.memory.lanes.signalling.ingestion.ingest(self.clock.now(), lookback_days)

    async def candidates(self) -> dict[str, Candidate]:
        """By what they say."""
        return {one.text: one for one in await self.signals.candidates()}

    async def only(self) -> Candidate:
        (found,) = await self.signals.candidates()
        return found

    async def rows(self, *, trusted: bool | None = None) -> Mapping[str, Sequence[tuple[Any, ...]]]:
        """Every row of the signals as the ledger has it; those of one kind of candidate if asked."""

        def work(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
            found = {}
            for table in TABLES:
                rows = connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()
                found[table] = [
                    row for row in rows if trusted is None or str(row[0]).startswith("t") is trusted
                ]
            return found

        await self.signals.settle()
        return await self.memory.state.read(work)


@asynccontextmanager
async def open_world(
    config: Mapping[str, Any] | None = None, *, base: Path | None = None
) -> AsyncIterator[World]:
    """A new workspace with nothing in it, at noon of 11 January 2026; one in ``base`` stays there."""
    folder = Path(mkdtemp(prefix="memd-signals-")) if base is None else base
    clock = HandClock(datetime(2026, 1, 11, 12, tzinfo=UTC))
    made = msgspec.convert({"time": {"zone": "UTC"}, **(config or {})}, Config)
    embedder = HashEmbedder()
    embedder.model_id = None
    try:
        workspace = open_workspace(folder / "ws", state_dir=folder / "state", create=True)
        memory = WorkspaceMemory(
            workspace, made, ["main"], Outside(clock, ConstantRng(), embedder, Jobs(), Events(clock))
        )
        try:
            await memory.load()
            await memory.sync()
            yield World(memory, AgentMemory.build(memory, Agent(), embedder, clock), clock)
        finally:
            await memory.aclose()
    finally:
        if base is None:
            shutil.rmtree(folder)
