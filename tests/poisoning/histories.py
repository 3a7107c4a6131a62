"""Histories of a workspace: events of trusted and of outside origin, played on the real parts."""

import json
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Literal

import msgspec
from trio.testing import MockClock

from openclaw_memd.config.schema import Config
from openclaw_memd.config.sections import Search
from openclaw_memd.daemon.agents import AgentMemory
from openclaw_memd.daemon.workspace import Outside, WorkspaceMemory
from openclaw_memd.domain.audience import OPERATOR, View, view_of
from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.provenance import SessionKind, is_trusted
from openclaw_memd.files.workspace import open_workspace
from openclaw_memd.jobs import Jobs
from openclaw_memd.recall.types import Hit, SearchRequest
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from openclaw_memd.sessions.outcomes import CaptureWish, EndReason
from tests.fakes import ConstantRng, HashEmbedder, TrioClock

OWNER = Caller(
    session_id="owner",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    sender=Sender("u1", is_owner=True),
)
GUEST = replace(OWNER, session_id="guest", sender=Sender("u2"))
GROUP = replace(GUEST, session_id="group", chat_type=ChatType.GROUP)
CRON = Caller(session_id="cron", session_kind=SessionKind.CRON)

Door = Literal["note", "flush", "say", "capture", "edit", "tool"]


@dataclass(frozen=True, slots=True)
class Event:
    """``who`` brings ``text`` in by a ``door``; who is None for a call without context, and for an editor."""

    door: Door
    who: Caller | None
    text: str

    @property
    def is_trusted(self) -> bool:
        """Whether the owner or the owner's agent is behind it."""
        return self.door == "edit" or (self.who is not None and self.who.sender.is_owner)


class History:
    """A workspace in which events happen."""

    def __init__(self, memory: WorkspaceMemory, agent: AgentMemory, clock: MockClock) -> None:
        self.memory = memory
        self.workspace = memory.workspace.path
        self._agent = agent
        self._clock = clock
        self._number = 0

    async def play(self, event: Event) -> None:
        """Let ``event`` happen; time goes by only where trusted events happen, as it would without others."""
        if event.is_trusted:
            self._clock.jump(60)
        self._number += 1
        notes, sessions = self.memory.write_path.notes, self.memory.write_path.sessions
        match event.door:
            case "note":
                await notes.append(event.who, text=event.text)
            case "flush":
                await notes.flush_append(event.who, cycle_id="1", text=event.text)
            case "say":
                await sessions.append(event.who, [self._message(Role.USER, event.text)])
                await sessions.append(event.who, [self._message(Role.ASSISTANT, f"Noted: {event.text}")])
            case "capture":
                await sessions.append(event.who, [self._message(Role.USER, event.text)])
                await sessions.end(event.who, EndReason.NEW, CaptureWish(slug="talk"))
            case "tool":
                tool = self._message(Role.TOOL, event.text, tool_name="fetch", tool_network=True)
                await sessions.append(event.who, [tool, self._message(Role.ASSISTANT, event.text)])
                await notes.append(event.who, text=event.text)
                await sessions.end(event.who, EndReason.END)
            case "edit":
                path = self.workspace / "memory" / "2026-01-10.md"
                path.parent.mkdir(exist_ok=True)
                with path.open("a") as file:
                    file.write(f"{event.text}\n")
        await self.memory.sync()

    async def find(self, query: str, *, corpus: Any = "memory", view: View = OPERATOR) -> tuple[Hit, ...]:
        """All that a search finds."""
        request = SearchRequest(query, corpus=corpus, max_results=50, min_score=0.0, explain=True, view=view)
        return (await self._agent.search(request)).hits

    async def trusted_hits(self, queries: Sequence[str]) -> bytes:
        """What trusted text a search finds, to the byte, with every factor of every score."""
        views = [("memory", OPERATOR), ("sessions", view_of(OWNER, cross_conversation=True))]
        found = [
            [msgspec.to_builtins(hit) for hit in await self.find(query, corpus=corpus, view=view)]
            for query in queries
            for corpus, view in views
        ]
        trusted = [[hit for hit in hits if hit["origin"] in ("owner", "agent")] for hits in found]
        return json.dumps(trusted, sort_keys=True, indent=1).encode()

    def trusted_files(self) -> dict[str, bytes]:
        """The bytes of every memory file but those in quarantine."""
        paths = sorted(self.workspace.rglob("*.md"))
        return {
            str(path.relative_to(self.workspace)): path.read_bytes()
            for path in paths
            if not path.name.endswith("-untrusted.md")
        }

    def _message(self, role: Role, text: str, **more: Any) -> Message:
        return Message(f"m{self._number}-{role}", role, text, kind=MessageKind.NORMAL, **more)


@asynccontextmanager
async def open_history(mock_clock: MockClock) -> AsyncIterator[History]:
    """A new workspace with nothing in it."""
    folder = Path(mkdtemp(prefix="memd-history-"))
    clock = TrioClock()
    config = msgspec.convert({"time": {"zone": "UTC"}}, Config)
    embedder = HashEmbedder()
    embedder.model_id = None
    try:
        workspace = open_workspace(folder / "ws", state_dir=folder / "state", create=True)
        memory = WorkspaceMemory(workspace, config, ["main"], Outside(clock, ConstantRng(), embedder, Jobs()))
        try:
            await memory.load()
            await memory.sync()
            yield History(memory, AgentMemory.build(memory, Search(), embedder, clock), mock_clock)
        finally:
            await memory.aclose()
    finally:
        shutil.rmtree(folder)


def outside_hits(hits: Sequence[Hit]) -> list[Hit]:
    """Those of ``hits`` that nobody vouches for."""
    return [hit for hit in hits if not is_trusted(hit.origin)]
