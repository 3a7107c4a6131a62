"""What the tests of transcript folders share: files, folders over a real ledger, and what it then holds."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from openclaw_memd.domain.callers import Caller
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.store import Work
from openclaw_memd.sessions.folders import TranscriptFolders
from openclaw_memd.sessions.formats.names import TranscriptSkip
from openclaw_memd.sessions.messages import Message
from openclaw_memd.sessions.watched import TranscriptFolder
from tests.fakes import ConstantRng
from tests.sessions.worlds import World, open_world


def line(record: object) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def opening(session_id: str) -> str:
    return line({"type": "session", "version": 3, "id": session_id, "timestamp": "2026-01-11T08:00:00Z"})


def said(id_: str, text: str, role: str = "user", *, owner: bool | None = True, **fields: object) -> str:
    notes = {} if owner is None or role != "user" else {"__openclaw": {"senderIsOwner": owner}}
    message = {"role": role, "content": [{"type": "text", "text": text}]} | notes | fields
    return line({"type": "message", "id": id_, "timestamp": "2026-01-11T08:15:00Z", "message": message})


def typed(id_: str, text: str, role: str = "user", *, session: str = "s1", **fields: object) -> str:
    """A line of Claude Code's."""
    record = {"type": role, "uuid": id_, "sessionId": session, "message": {"role": role, "content": text}}
    return line(record | fields)


class EndError(Exception):
    """The process ends here."""


@dataclass
class Faulty:
    """An intake that ends with the process: before or after the write that comes when ``left`` are done."""

    world: World
    left: int
    after: bool

    async def ingest(
        self,
        caller: Caller,
        messages: Sequence[Message],
        also: Work[None] | None = None,
        *,
        anew: bool = False,
    ) -> object:
        self._end(after=False)
        answer = await self.world.sessions.ingest(caller, messages, also, anew=anew)
        self._end(after=True)
        return answer

    async def remove(self, key: SessionKey, also: Work[None] | None = None) -> None:
        self._end(after=False)
        await self.world.sessions.remove(key, also)
        self._end(after=True)

    def _end(self, *, after: bool) -> None:
        if after == self.after:
            self.left -= 1
            if self.left < 0:
                raise EndError


@dataclass
class Place:
    """A folder of transcripts and the sessions that they go to."""

    world: World
    folder: Path
    folders: TranscriptFolders
    configured: tuple[TranscriptFolder, ...]
    archives: bool = False

    async def look(self) -> None:
        await self.folders.look()

    def restart(self, *configured: TranscriptFolder) -> None:
        """The folders as a new process knows them."""
        self.configured = configured or self.configured
        self.folders = TranscriptFolders(
            self.world.store, self.world.sessions, self.configured, ConstantRng(), archives=self.archives
        )

    def write(self, path: str, *lines: str) -> Path:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(lines))
        return target

    def append(self, path: str, *lines: str) -> None:
        with (self.folder / path).open("a") as file:
            file.write("".join(lines))

    @property
    def skipped(self) -> dict[str, TranscriptSkip]:
        return dict(self.folders.states[0].skipped)

    async def texts(self, session_id: str = "s1") -> list[str]:
        """What is kept of a session."""
        return [text for session, _, _, _, text in await self.held() if session == session_id and text]

    async def origins(self, session_id: str = "s1") -> dict[str, str]:
        """The origin of each message."""
        return {id_: origin for session, id_, origin, _, _ in await self.held() if session == session_id}

    async def sessions(self) -> set[str]:
        return {session for session, *_ in await self.held()}

    async def held(self) -> list[tuple[str, str, str, str | None, str | None]]:
        """Session, message id, origin, why it is not kept and its text, in order."""

        def read(connection: apsw.Connection) -> list[Any]:
            return connection.execute(
                "SELECT s.session_id, m.id, m.origin, m.skipped, group_concat(t.text, '') FROM sessions AS s"
                " JOIN session_messages AS m ON m.session = s.id"
                " LEFT JOIN session_texts AS t ON t.session = s.id AND t.seq = m.seq"
                " GROUP BY s.session_id, m.seq ORDER BY s.session_id, m.seq"
            ).fetchall()

        return await self.world.store.read(read)


@asynccontextmanager
async def open_place(
    base: Path, *configured: TranscriptFolder, archives: bool = False
) -> AsyncIterator[Place]:
    """A folder ``transcripts`` below ``base``, watched as OpenClaw's unless it is configured otherwise."""
    folder = base / "transcripts"
    folder.mkdir(exist_ok=True)
    async with open_world(base / "state", archives=archives) as world:
        chosen = configured or (TranscriptFolder(folder),)
        folders = TranscriptFolders(world.store, world.sessions, chosen, ConstantRng(), archives=archives)
        yield Place(world, folder, folders, chosen, archives)
