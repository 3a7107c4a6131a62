"""Archives of small trees, made as the daemon makes them."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.files.roots import Roots
from openclaw_memd.index.opening import open_state
from openclaw_memd.index.store import Store
from openclaw_memd.ops.backup.creating import create_archive
from openclaw_memd.ops.backup.packing import Source
from openclaw_memd.ops.backup.restoring import Restored, restore_archive
from openclaw_memd.ops.backup.types import Made

NOW = datetime(2026, 1, 11, 12, tzinfo=UTC)
ID = "0123456789abcdef0123"


@dataclass
class Shop:
    """A workspace with its ledger, and a folder for archives."""

    base: Path
    id: str
    roots: Roots
    state: Store
    turn: trio.Lock = field(default_factory=trio.Lock)
    forgetting: trio.Lock = field(default_factory=trio.Lock)

    @property
    def workspace(self) -> Path:
        return self.base / "ws"

    @property
    def archives(self) -> Path:
        return self.base / "archives"

    def write(self, path: str, data: bytes = b"- a line\n") -> Path:
        target = self.workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        return target

    @property
    def source(self) -> Source:
        return Source("main", self.id, ("main",), self.roots, self.state, self.turn, self.forgetting)

    async def make(self, name: str = "a.tar.gz", **more: Any) -> Made:
        return await create_archive([self.source], self.archives / name, at=NOW, **more)

    def restore(self, archive: Path, to: str = "back") -> Restored:
        return restore_archive(archive, self.base / to, now=NOW)


@asynccontextmanager
async def open_shop(base: Path, own: str = ID) -> AsyncIterator[Shop]:
    (base / "ws").mkdir(parents=True, exist_ok=True)
    (base / "archives").mkdir(exist_ok=True)
    state = open_state(base / "state" / own, own, lambda: NOW).store
    try:
        with Roots(base / "ws") as roots:
            yield Shop(base, own, roots, state)
    finally:
        await state.aclose()


def picture(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Everything below a folder: kind, mode, times and content; without what ties it to its place."""
    return dict(_look(folder, folder))


def _look(top: Path, folder: Path) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for entry in sorted(os.scandir(os.fsencode(folder)), key=lambda one: one.name):
        path = Path(os.fsdecode(entry.path))
        name = os.fsdecode(os.path.relpath(entry.path, os.fsencode(top)))
        if name == "memory/.dreams":
            continue
        status = entry.stat(follow_symlinks=False)
        if entry.is_symlink():
            yield name, ("link", str(path.readlink()))
        elif entry.is_dir():
            # The marker is put below memory, which changes the time of the folder.
            yield name, ("folder", status.st_mode, 0 if name == "memory" else status.st_mtime_ns)
            if os.access(path, os.R_OK | os.X_OK):
                yield from _look(top, path)
        elif entry.is_file():
            if not os.access(path, os.R_OK):
                yield name, ("file", status.st_mode)
                continue
            yield name, ("file", status.st_mode, status.st_mtime_ns, path.read_bytes())
