"""Histories of a workspace: events of trusted and of outside origin, played on the real parts."""

import json
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, Literal

import msgspec
from trio.testing import MockClock

from openclaw_memd.config.schema import Agent, Config
from openclaw_memd.daemon.agents import AgentMemory
from openclaw_memd.daemon.outside import Outside
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.domain.audience import OPERATOR, View, view_of
from openclaw_memd.domain.bootstrap_files import Reason
from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.provenance import Origin, SessionKind, is_trusted
from openclaw_memd.events import Events
from openclaw_memd.files.workspace import open_workspace
from openclaw_memd.index.read_lines import Selection
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
EDITED = "2026-01-10.md"
EDITED_BY_TOOLS = "2026-01-09.md"
CRON = Caller(session_id="cron", session_kind=SessionKind.CRON)

Door = Literal["note", "flush", "say", "capture", "edit", "tool", "own-edit", "child", "repeat", "recall"]
"""``tool`` and those after it are ways through a tainted turn, also the owner's. What a tool brought is noted
or written to a file by a tool of the runtime that says nothing of it, or a sub-agent notes it. A call tells
of the taint and holds repeated messages alone. The tool is memd: it hands out what nobody vouches for.
"""
THROUGH_TAINT: Final[Sequence[Door]] = ("tool", "own-edit", "child", "repeat", "recall")


@dataclass(frozen=True, slots=True)
class Event:
    """``who`` brings ``text`` in by a ``door``; who is None for a call without context, and for an editor."""

    door: Door
    who: Caller | None
    text: str

    @property
    def is_trusted(self) -> bool:
        """Whether the owner or the owner's agent is behind it."""
        if self.door in THROUGH_TAINT:
            return False
        return self.door == "edit" or (self.who is not None and self.who.sender.is_owner)


class History:
    """A workspace in which events happen."""

    def __init__(self, memory: WorkspaceMemory, agent: AgentMemory, clock: MockClock) -> None:
        self.memory = memory
        self.workspace = memory.workspace.path
        self._agent = agent
        self._clock = clock
        self._number = 0
        self._minutes = 0
        self._began_at = clock.current_time()

    async def play(self, event: Event) -> None:
        """Let ``event`` happen. Trusted ones have a minute of their own, as they would without others."""
        if event.is_trusted:
            self._await_minute()
        else:
            self._clock.jump(1)
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
                await sessions.end(event.who, EndReason.NEW, CaptureWish(slug="talk"), notes)
            case "edit":
                self._write(EDITED, event.text)
            case _:
                assert event.who is not None
                await self._play_tainted(event.door, event.who, event.text)
        await self.memory.sync()

    async def _play_tainted(self, door: Door, who: Caller, text: str) -> None:
        """A turn of ``who`` in a session of its own, and the clean question that ends it.

        Questions are empty, so that nothing of them is kept.
        """
        who = replace(who, session_id=f"{who.session_id}-{door}")
        notes, sessions = self.memory.write_path.notes, self.memory.write_path.sessions
        question = self._message(Role.USER, "")
        tool = self._message(Role.TOOL, text, tool_name="fetch", tool_network=True)
        answer = self._message(Role.ASSISTANT, text)
        match door:
            case "repeat":
                await sessions.append(who, [question])
                await sessions.append(replace(who, tainted=True), [question])
                await sessions.append(who, [answer])
            case "recall":
                await sessions.append(who, [question])
                self._agent.hear(who, [Origin.UNTRUSTED])
                await sessions.append(who, [answer])
            case _:
                await sessions.append(who, [question, tool, answer])
        match door:
            case "own-edit":
                self._write(EDITED_BY_TOOLS, text)
            case "child":
                child = replace(who, session_id=f"{who.session_id}-child", parent_session_id=who.session_id)
                await sessions.append(child, [question, answer])
                await notes.append(child, text=text)
                await sessions.end(child, EndReason.END, CaptureWish(slug="child"))
            case _:
                await notes.append(who, text=text)
        await sessions.append(who, [self._message(Role.USER, "", number=-self._number)])

    def _await_minute(self) -> None:
        self._minutes += 1
        self._clock.jump(self._began_at + 60 * self._minutes - self._clock.current_time())

    def await_second(self, second: float) -> None:
        """Let the clock stand at a second after the beginning, which must lie ahead."""
        self._clock.jump(self._began_at + second - self._clock.current_time())

    def _write(self, name: str, text: str) -> None:
        path = self.workspace / "memory" / name
        path.parent.mkdir(exist_ok=True)
        with path.open("a") as file:
            file.write(f"{text}\n")

    async def find(self, query: str, *, corpus: Any = "memory", view: View = OPERATOR) -> tuple[Hit, ...]:
        """All that a search finds."""
        request = SearchRequest(query, corpus=corpus, max_results=50, min_score=0.0, explain=True, view=view)
        return (await self._agent.search(request)).hits

    async def trusted_hits(self, queries: Sequence[str]) -> bytes:
        """What trusted text a search finds, to the byte, with every factor of every score."""
        self._await_minute()
        views = [("memory", OPERATOR), ("sessions", view_of(OWNER, cross_conversation=True))]
        found = [
            [msgspec.to_builtins(hit) for hit in await self.find(query, corpus=corpus, view=view)]
            for query in queries
            for corpus, view in views
        ]
        trusted = [[hit for hit in hits if hit["origin"] in ("owner", "agent")] for hits in found]
        return json.dumps(trusted, sort_keys=True, indent=1).encode()

    async def given(self) -> list[str]:
        """The lines that a new session of the owner is given.

        They are sorted, since the order of notes that were made at the same time is that of the disk's clock.
        """
        answer = await self._agent.bootstrap.build(view_of(OWNER), reason=Reason.NEW)
        return sorted(answer.context.split("\n"))

    async def trust(self, path: str, selection: Selection, origin: Origin) -> int:
        """Give lines an origin, as a call does; how many changed."""
        return await self._agent.trust(path, selection, origin)

    def trusted_files(self) -> dict[str, bytes]:
        """The bytes of every memory file but those in quarantine and the one that tainted turns edit."""
        paths = sorted(self.workspace.rglob("*.md"))
        return {
            str(path.relative_to(self.workspace)): path.read_bytes()
            for path in paths
            if not path.name.endswith("-untrusted.md") and path.name != EDITED_BY_TOOLS
        }

    def _message(self, role: Role, text: str, *, number: int | None = None, **more: Any) -> Message:
        name = self._number if number is None else number
        return Message(f"m{name}-{role}", role, text, kind=MessageKind.NORMAL, **more)


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
        memory = WorkspaceMemory(
            workspace, config, ["main"], Outside(clock, ConstantRng(), embedder, Jobs(), Events(clock))
        )
        try:
            await memory.load()
            await memory.sync()
            yield History(memory, AgentMemory.build(memory, Agent(), embedder, clock), mock_clock)
        finally:
            await memory.aclose()
    finally:
        shutil.rmtree(folder)


def outside_hits(hits: Sequence[Hit]) -> list[Hit]:
    """Those of ``hits`` that nobody vouches for."""
    return [hit for hit in hits if not is_trusted(hit.origin)]
