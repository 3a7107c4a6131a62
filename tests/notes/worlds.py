"""A workspace to write notes in: real files, a real ledger, a clock and sessions that a test sets."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from openclaw_memd.config.sections import Flush
from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.provenance import Provenance, SessionKind
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.appends import RecordLines
from openclaw_memd.index.opening import open_state
from openclaw_memd.index.store import Store
from openclaw_memd.notes.turns import Cycle
from openclaw_memd.notes.types import NoteLimits
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.zones import Zone

OWNER = Caller(
    session_id="s1",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    sender=Sender("u1", is_owner=True),
)
GUEST = Caller(session_id="s2", session_kind=SessionKind.INTERACTIVE, sender=Sender("u2"))
TAINTED = Caller(
    session_id="s1",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    sender=Sender("u1", is_owner=True),
    tainted=True,
)
TODAY = "memory/2026-01-11.md"
OUTSIDE = "memory/2026-01-11-untrusted.md"
HEADER = "# 2026-01-11 (Europe/Vienna)\n\n"
OUTSIDE_HEADER = "# 2026-01-11: from outside, not trusted (Europe/Vienna)\n\n"


class SetClock:
    """A clock that stands where it is set."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return 0.0

    def forward(self, **parts: float) -> None:
        self.at += timedelta(**parts)


class FakeTurns:
    """Sessions that heard what a test says."""

    def __init__(self) -> None:
        self.tainted: set[str] = set()
        self.cycles: dict[str, Cycle] = {}
        self.fault: Exception | None = None

    def is_tainted(self, caller: Caller | None) -> bool:
        return caller is not None and caller.session_id in self.tainted

    async def cycle(self, agent: str, session_id: str) -> Cycle:
        return self.cycles.get(session_id, Cycle())

    async def flushed(self, agent: str, session_id: str, through: int) -> None:
        if self.fault is not None:
            raise self.fault
        self.cycles.pop(session_id, None)


class Spans:
    """Stands in for the ledger of spans, in a table, so that it is part of the same transaction."""

    def __call__(
        self,
        connection: apsw.Connection,
        *,
        append_id: int,
        path: str,
        lines: Sequence[str],
        provenance: Provenance,
        **_others: Any,
    ) -> None:
        connection.execute("CREATE TABLE IF NOT EXISTS test_spans (append_id, path, line, origin, writer)")
        connection.executemany(
            "INSERT INTO test_spans VALUES (?, ?, ?, ?, ?)",
            [(append_id, path, line, provenance.origin, provenance.writer) for line in lines],
        )


@dataclass
class World:
    """Where notes are written; ``open`` starts the writer as a daemon does, as often as a test likes."""

    base: Path
    clock: SetClock = field(default_factory=lambda: SetClock(datetime(2026, 1, 11, 12, tzinfo=UTC)))
    zone: str = "Europe/Vienna"
    turns: FakeTurns = field(default_factory=FakeTurns)
    settings: Flush = field(default_factory=Flush)
    limits: NoteLimits = field(default_factory=NoteLimits)
    owner_in_groups: bool = False
    written: list[str] = field(default_factory=list)
    record: RecordLines = field(default_factory=Spans)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)

    @property
    def folder(self) -> Path:
        return self.base / "workspace"

    @asynccontextmanager
    async def open(self, *, reconcile: bool = True) -> AsyncIterator["Open"]:
        state = open_state(self.base / "state", "w", self.clock.now).store
        roots = Roots(self.folder)
        try:
            writer = NoteWriter(
                state,
                roots,
                turns=self.turns,
                analyzer=Analyzer(),
                clock=self.clock,
                zone=Zone(self.zone),
                settings=lambda _agent: self.settings,
                record=self.record,
                limits=self.limits,
                owner_in_groups=self.owner_in_groups,
                on_written=self.written.append,
            )
            if reconcile:
                await writer.reconcile()
            yield Open(writer, state, roots)
        finally:
            roots.close()
            await state.aclose()

    def read(self, path: str) -> str:
        return self.read_bytes(path).decode()

    def read_bytes(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()

    def write(self, path: str, content: str | bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)

    def files(self) -> dict[str, str]:
        """The workspace's files and their text."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_text("utf-8")
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }


@dataclass
class Open:
    writer: NoteWriter
    state: Store
    roots: Roots

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.state.read_now(lambda connection: connection.execute(sql).fetchall())

    def spans(self) -> list[tuple[str, str, str]]:
        """Path, line and origin of every recorded line."""
        rows = self.rows("SELECT path, line, origin FROM test_spans ORDER BY rowid")
        return [(path, line, origin) for path, line, origin in rows]
