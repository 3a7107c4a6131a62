"""What the tests of attribution share: files in memory over a real ledger."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path

import apsw
import trio

from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind, Source, Tier
from openclaw_memd.domain.sketches import sketch_line
from openclaw_memd.domain.suspicion import Taint
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.catalog import FileState, FileText, ListedFile
from openclaw_memd.index.attributor import LedgerAttributor
from openclaw_memd.index.ledger.spans import record_spans
from openclaw_memd.index.opening import open_state
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.index.store import Store
from tests.index.notes import AT
from tests.sessions.worlds import HandClock

AGENT = Provenance(Origin.AGENT, SessionKind.INTERACTIVE, "session:1")
CRON = Provenance(Origin.AGENT, SessionKind.CRON, "session:2")
WEB = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE, "session:4")

ANALYZER = Analyzer()
EVERYTHING = Selection()


def listed(path: str, source: Source = Source.MEMORY) -> ListedFile:
    return ListedFile(path, source, Tier.EPISODIC, "workspace", path, evergreen=False)


def file_text(text: str) -> FileText:
    data = text.encode()
    return FileText(text, FileState(len(data), 1, 1, 1, sha256(data).digest()))


def source_of(path: str) -> Source:
    if path.startswith("extra/"):
        return Source.EXTRA
    return Source.IMPORTS if path.startswith("memory/imports/") else Source.MEMORY


@dataclass
class Ledger:
    """An open ledger and its attributor. ``tainted`` and ``last_tainted_at`` are what the sessions say."""

    store: Store
    tainted: bool = False
    last_tainted_at: datetime | None = None
    clock: HandClock = field(default_factory=HandClock)
    attributor: LedgerAttributor = field(init=False)

    def __post_init__(self) -> None:
        self.attributor = LedgerAttributor(self.store, ANALYZER, self._taint, self.clock)

    def _taint(self) -> Taint:
        return Taint(self.tainted, self.last_tainted_at)

    async def look(self, files: Mapping[str, str]) -> dict[str, list[Provenance]]:
        """Attribute files that were read together: the provenance of every line."""
        read = [(listed(path, source_of(path)), file_text(text)) for path, text in files.items()]
        found = await trio.to_thread.run_sync(self.attributor.attribute, read)
        return {
            path: [one.of_lines(number, number) for number in range(1, text.count("\n") + 2)]
            for (path, text), one in zip(files.items(), found, strict=True)
        }

    async def peek(self, path: str, text: str) -> list[Provenance]:
        lines = text.split("\n")
        file = listed(path, source_of(path))
        found = await trio.to_thread.run_sync(self.attributor.peek, file, lines)
        return [found.of_lines(number, number) for number in range(1, len(lines) + 1)]

    async def trust(self, path: str, text: str, origin: Origin, selection: Selection = EVERYTHING) -> int:
        work = partial(
            self.attributor.trust, listed(path, source_of(path)), file_text(text), selection, origin
        )
        return await trio.to_thread.run_sync(work)

    async def looked(self, at: datetime) -> None:
        """A look at everything that began ``at`` is over."""
        await trio.to_thread.run_sync(self.attributor.looked, at)

    async def remove(self, *paths: str) -> None:
        await trio.to_thread.run_sync(self.attributor.removed, paths)

    async def record(self, path: str, lines: Iterable[str], provenance: Provenance) -> None:
        """A write by the daemon that is about to happen."""
        await self.store.write(
            partial(
                record_spans,
                append_id=None,
                path=path,
                lines=list(lines),
                provenance=provenance,
                agent="main",
                session_id="s1",
                at=AT,
                sketches=partial(sketch_line, analyzer=ANALYZER),
            )
        )

    async def report(self, path: str, before: str | None, after: str, provenance: Provenance) -> None:
        """A write of a runtime's own tool, as it told."""

        def work(connection: apsw.Connection) -> None:
            connection.execute(
                "INSERT INTO observed_writes (path, before_hash, after_hash, origin, session_kind, writer,"
                " agent, session_id, observed_at) VALUES (?, ?, ?, ?, ?, ?, 'main', 's1', ?)",
                (
                    path,
                    "" if before is None else sha256(before.encode()).hexdigest(),
                    sha256(after.encode()).hexdigest(),
                    provenance.origin.value,
                    provenance.session_kind.value,
                    provenance.writer,
                    AT.isoformat(),
                ),
            )

        await self.store.write(work)

    async def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        return await self.store.read(lambda connection: connection.execute(query, values).fetchall())

    async def dump(self) -> dict[str, list[tuple[object, ...]]]:
        """Everything that the ledger holds of lines."""
        tables = ("spans", "file_lines", "sketches", "sketch_shingles", "lost_files", "losses")
        return {table: await self.rows(f"SELECT * FROM {table}") for table in tables}


@asynccontextmanager
async def open_ledger(folder: Path, *, origins_lost: bool = False) -> AsyncIterator[Ledger]:
    store = open_state(folder, "w1", lambda: AT, origins_lost=origins_lost).store
    try:
        yield Ledger(store)
    finally:
        await store.aclose()
