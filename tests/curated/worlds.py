"""A workspace with curated files: real files, a real ledger, and a clock that a test sets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import trio

from openclaw_memd.curated.history import History
from openclaw_memd.curated.writer import Author, CuratedWriter, Revision, Rewritten
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind, Source, Tier
from openclaw_memd.domain.sketches import sketch_line
from openclaw_memd.domain.suspicion import Taint
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.beneath import read_file
from openclaw_memd.files.beside import PREFIX
from openclaw_memd.files.catalog import FileText, ListedFile
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.attributor import LedgerAttributor
from openclaw_memd.index.ledger.spans import record_spans
from openclaw_memd.index.opening import open_state
from openclaw_memd.index.store import Store

MEMORY = "MEMORY.md"
OWNER = Provenance(Origin.OWNER, SessionKind.INTERACTIVE, "session:4:main2:s1")
FILE_BYTES = 4096


@dataclass
class HandClock:
    at: datetime = datetime(2026, 1, 11, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def forward(self, **parts: float) -> None:
        self.at += timedelta(**parts)


@dataclass
class World:
    """An open workspace; ``written`` are the files that were rewritten, in order."""

    folder: Path
    clock: HandClock
    state: Store
    roots: Roots
    writer: CuratedWriter
    history: History
    attributor: LedgerAttributor
    written: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return self.folder / MEMORY

    def read(self) -> bytes:
        return self.path.read_bytes()

    def write(self, content: bytes) -> None:
        self.path.write_bytes(content)

    def asides(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.name.startswith(PREFIX))

    async def add(self, line: str, provenance: Provenance = OWNER, cause: str = "remember") -> Rewritten:
        """Add a line at the end."""
        plan = partial(with_line, line=line, provenance=provenance)
        return await self.writer.rewrite(MEMORY, plan, cause=cause, author=Author("main", "s1"))

    async def origins(self) -> dict[str, Origin]:
        """Who is behind each line of the file, as the index would show it."""
        file = ListedFile(MEMORY, Source.MEMORY, Tier.CURATED, WORKSPACE, MEMORY, evergreen=True)

        def look() -> dict[str, Origin]:
            found = read_file(self.roots, file, FILE_BYTES)
            assert isinstance(found, FileText)
            attribution = self.attributor.attribute([(file, found)])[0]
            lines = found.text.split("\n")
            return {
                line.rstrip(): attribution.of_lines(number, number).origin
                for number, line in enumerate(lines, 1)
                if line.strip()
            }

        return await trio.to_thread.run_sync(look)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.state.read_now(lambda connection: connection.execute(sql).fetchall())

    async def settle(self) -> None:
        """Look at old versions until nobody wrote to any since the last look."""
        assert await self.writer.asides.settled(within_s=60)


def with_line(text: str | None, line: str, provenance: Provenance = OWNER) -> Revision | None:
    text = text or ""
    lead = text if not text or text.endswith("\n") else text + "\n"
    return Revision(f"{lead}{line}\n", ((line, provenance),))


@asynccontextmanager
async def open_world(
    base: Path,
    *,
    clock: HandClock | None = None,
    load: bool = True,
    settle_s: float = 0.0,
    file_bytes: int = FILE_BYTES,
) -> AsyncIterator[World]:
    """Open, or open again, the workspace of a test."""
    folder = base / "workspace"
    folder.mkdir(exist_ok=True)
    clock = clock or HandClock()
    state = open_state(base / "state", "w", clock.now).store
    analyzer = Analyzer()
    written: list[str] = []
    with Roots(folder) as roots:
        writer = CuratedWriter(
            state,
            roots,
            turn=trio.Lock(),
            record=partial(record_spans, sketches=partial(sketch_line, analyzer=analyzer)),
            clock=clock,
            file_bytes=file_bytes,
            on_written=written.append,
            settle_s=settle_s,
        )
        attributor = LedgerAttributor(state, analyzer, Taint, clock)
        try:
            if load:
                await writer.load()
            yield World(folder, clock, state, roots, writer, History(state, writer), attributor, written)
        finally:
            await state.aclose()
