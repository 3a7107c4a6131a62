"""A workspace to import into, and places to import from: real files and a real ledger."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.opening import open_state
from openclaw_memd.index.store import Store
from openclaw_memd.ops.imports.service import Imports
from openclaw_memd.ops.imports.types import Applied, Preview, Source

AT = datetime(2026, 1, 11, 12, tzinfo=UTC)
CODEX = "memory/imports/codex/MEMORY.md"


class KilledError(BaseException):
    """The process ends here: nothing that follows is done, and nobody tidies up."""


@dataclass
class HandClock:
    def now(self) -> datetime:
        return AT

    def monotonic(self) -> float:
        return 0.0


@dataclass
class World:
    """``kill_at`` is how many steps are taken before the process ends; ``synced`` counts syncs."""

    base: Path
    state: Store
    imports: Imports
    kill_at: int | None = None
    steps: list[str] = field(default_factory=list)
    synced: int = 0
    sync_fails: bool = False

    @property
    def folder(self) -> Path:
        return self.base / "workspace"

    @property
    def home(self) -> Path:
        return self.base / "home"

    def write(self, path: str, text: str | bytes) -> Path:
        """A file of the workspace."""
        return write(self.folder / path, text)

    def offer(self, path: str, text: str | bytes) -> Path:
        """A file in the home folder, where sources are."""
        return write(self.home / path, text)

    def read(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def files(self) -> dict[str, str]:
        """The workspace's files, hidden ones too, by path."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }

    def hashes(self, *folders: str) -> dict[str, str]:
        return {
            str(path.relative_to(self.base)): hashlib.sha256(path.read_bytes()).hexdigest()
            for folder in folders
            for path in sorted((self.base / folder).rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    async def preview(self, source: Source, named: Path | None = None, *, replace: bool = False) -> Preview:
        path = None if named is None else str(named)
        return await self.imports.preview(source, path, replace=replace, agent="main")

    async def apply(self, source: Source, named: Path | None = None, *, replace: bool = False) -> Applied:
        path = None if named is None else str(named)
        return await self.imports.apply(source, path, replace=replace, agent="main")

    async def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return await self.state.read(lambda connection: connection.execute(sql).fetchall())


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@asynccontextmanager
async def open_world(base: Path, rules: FileRules | None = None) -> AsyncIterator[World]:
    """The same ``base`` again finds what was there, as a daemon does that starts anew."""
    folder = base / "workspace"
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    (base / "home").mkdir(exist_ok=True)
    clock = HandClock()
    roots = Roots(folder)
    state = open_state(base / "state", "w", clock.now).store
    worlds: list[World] = []

    def step(name: str) -> None:
        world = worlds[0]
        if world.kill_at is not None and len(world.steps) >= world.kill_at:
            raise KilledError
        world.steps.append(name)

    async def sync() -> None:
        if worlds[0].sync_fails:
            raise DamagedError
        worlds[0].synced += 1

    imports = Imports(
        state=state,
        roots=roots,
        rules=rules or FileRules.parse(),
        clock=clock,
        env={"HOME": str(base / "home")},
        backups=base / "data" / "imports",
        scratch=base / "state" / "foreign",
        session_folders=frozenset(),
        sync=sync,
        on_step=step,
    )
    worlds.append(World(base, state, imports))
    try:
        yield worlds[0]
    finally:
        await state.aclose()
        roots.close()


def reasons(preview: Preview) -> dict[str, str]:
    """Why files are skipped, by path."""
    return {one.path: one.reason for one in preview.skipped}


def states(preview: Preview) -> dict[str, str]:
    return {one.path.removeprefix("memory/imports/"): one.state.value for one in preview.files}
