"""A whole workspace at work over databases on a faulty disk, which can be opened again as after a crash."""

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import msgspec
import trio

from openclaw_memd.config.schema import Agent, Config
from openclaw_memd.daemon.agents import AgentMemory
from openclaw_memd.daemon.outside import Outside
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.events import Events
from openclaw_memd.files.workspace import open_workspace
from openclaw_memd.index.store import Store
from openclaw_memd.jobs import Jobs
from tests.dreaming.worlds import World
from tests.fakes import ConstantRng, HashEmbedder
from tests.sessions.worlds import HandClock

NOON = datetime(2026, 1, 11, 12, tzinfo=UTC)
DATABASES = ("state.db", "index-1.db", "vectors.db")


@dataclass
class Place:
    """Where a workspace and its state lie, and the clock of whoever opens it."""

    base: Path
    clock: HandClock = field(default_factory=lambda: HandClock(NOON))

    @asynccontextmanager
    async def open(self) -> AsyncIterator[World]:
        """The workspace, as a daemon opens it; what runs beside the calls does not run, but jobs do."""
        config = msgspec.convert({"time": {"zone": "UTC"}}, Config)
        embedder = HashEmbedder()
        jobs = Jobs()
        workspace = open_workspace(self.base / "ws", state_dir=self.base / "state", create=True)
        memory = WorkspaceMemory(
            workspace,
            config,
            ["main"],
            Outside(self.clock, ConstantRng(), embedder, jobs, Events(self.clock)),
        )
        try:
            async with trio.open_nursery() as nursery:
                await nursery.start(jobs.run)
                await memory.load()
                yield World(memory, AgentMemory.build(memory, Agent(), embedder, self.clock), self.clock)
                nursery.cancel_scope.cancel()
        finally:
            await memory.aclose()

    def assert_sound(self) -> None:
        """What a crash now would leave is whole: looked at in a copy, as the next process would find it."""
        (state,) = (entry for entry in (self.base / "state").iterdir() if entry.name.isalnum())
        with TemporaryDirectory() as copy:
            for name in DATABASES:
                for part in state.glob(f"{name}*"):
                    if not part.name.endswith("-shm"):
                        shutil.copyfile(part, Path(copy) / part.name)
                with closing(apsw.Connection(str(Path(copy) / name), vfs="unix")) as connection:
                    assert connection.pragma("integrity_check") == "ok", name
                    assert connection.execute("PRAGMA foreign_key_check").fetchall() == [], name


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    return store.read_now(lambda connection: connection.execute(sql).fetchall())


@contextmanager
def new_place() -> Iterator[Place]:
    """A workspace with nothing in it."""
    with TemporaryDirectory(prefix="memd-faults-") as base:
        yield Place(Path(base))
