"""What the tests of sessions share: a ledger, a clock that is set by hand, and short ways to say things."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import trio

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.note_names import note_path
from openclaw_memd.domain.provenance import Origin, SessionKind
from openclaw_memd.files.catalog import ListedFile
from openclaw_memd.index.documents import DocumentText
from openclaw_memd.index.opening import open_state
from openclaw_memd.index.store import Store, Work
from openclaw_memd.notes.types import Appended, CapturedNote
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from openclaw_memd.sessions.service import Sessions
from openclaw_memd.zones import Zone

START = datetime(2026, 1, 11, 12, tzinfo=UTC)
OWNER = Sender("ana", is_owner=True)
GUEST = Sender("bob")


@dataclass
class HandClock:
    """A clock that stands still until it is set."""

    at: datetime = START

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def move(self, **span: float) -> None:
        self.at += timedelta(**span)


@dataclass
class Notebook:
    """Takes captured notes."""

    notes: list[CapturedNote] = field(default_factory=list)
    fault: Exception | None = None

    async def capture(
        self,
        caller: Caller | None,
        note: CapturedNote,
        also: Work[None],
    ) -> Appended:
        del also  # the session's own change says the same a moment later
        await trio.lowlevel.checkpoint()
        if self.fault is not None:
            raise self.fault
        self.notes.append(note)
        path = note_path(note.day, is_trusted=bool(note.trusted), slug=note.slug)
        return Appended(path, 1, 1, Origin.AGENT, "", appended=True, spooled=False, parts=())


@dataclass
class World:
    """Sessions over a real ledger."""

    sessions: Sessions
    store: Store
    clock: HandClock
    notebook: Notebook
    hints: list[frozenset[str]]

    async def listed(self) -> tuple[ListedFile, ...]:
        return await trio.to_thread.run_sync(self.sessions.documents.list)

    async def paths(self) -> list[str]:
        return [file.path for file in await self.listed()]

    async def document(self, path: str) -> DocumentText:
        file = next(file for file in await self.listed() if file.path == path)
        read = await trio.to_thread.run_sync(partial(self.sessions.documents.read, file))
        assert isinstance(read, DocumentText)
        return read

    async def text(self, path: str) -> str:
        return (await self.document(path)).text


@asynccontextmanager
async def open_world(
    folder: Path,
    *,
    clock: HandClock | None = None,
    rules: AdmissionRules | None = None,
    archives: bool = False,
    zone: str = "Europe/Vienna",
) -> AsyncIterator[World]:
    clock = clock or HandClock()
    store = open_state(folder, "workspace", clock.now).store
    notebook = Notebook()
    hints: list[frozenset[str]] = []
    sessions = Sessions(
        store,
        clock,
        rules or AdmissionRules(),
        Zone(zone),
        archives=archives,
        hint=hints.append,
    )
    try:
        await sessions.load()
        yield World(sessions, store, clock, notebook, hints)
    finally:
        await store.aclose()


def caller(
    session_id: str | None = "s1",
    *,
    agent: str = "main",
    sender: Sender = OWNER,
    kind: SessionKind = SessionKind.INTERACTIVE,
    chat: ChatType = ChatType.DIRECT,
    channel: Channel | None = None,
    parent: str | None = None,
    tainted: bool = False,
) -> Caller:
    return Caller(
        agent=agent,
        session_id=session_id,
        parent_session_id=parent,
        session_kind=kind,
        chat_type=chat,
        channel=channel or Channel(),
        sender=sender,
        tainted=tainted,
    )


def user(id_: str, text: str = "hello", *, sender: Sender | None = None, kind: str = "normal") -> Message:
    return Message(id_, Role.USER, text, sender=sender, kind=MessageKind(kind))


def assistant(id_: str, text: str = "hi", *, kind: str = "normal") -> Message:
    return Message(id_, Role.ASSISTANT, text, kind=MessageKind(kind))


def tool(
    id_: str, text: str = "result", *, network: bool = False, name: str = "web_fetch", kind: str = "normal"
) -> Message:
    return Message(id_, Role.TOOL, text, kind=MessageKind(kind), tool_name=name, tool_network=network)
