"""A workspace whose sessions are given their files: real files, a real ledger, a clock that a test sets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.audience import View, view_of
from openclaw_memd.domain.callers import Caller, ChatType, Sender
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind
from openclaw_memd.domain.sketches import sketch_line
from openclaw_memd.domain.suspicion import Taint
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.catalog import FileText
from openclaw_memd.files.instructions import Instructions
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.attributor import LedgerAttributor
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.ledger.spans import record_spans
from openclaw_memd.index.opening import open_state
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.index.store import Store
from openclaw_memd.injection.bootstrap import Bootstrap
from openclaw_memd.injection.given_files import Budgets, GivenFiles
from openclaw_memd.injection.startup import StartupLimits, StartupNotes
from openclaw_memd.zones import Zone

ANALYZER = Analyzer()
OWNER = Caller(
    session_id="s1",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    sender=Sender("u1", is_owner=True),
)
OWNERS: View = view_of(OWNER)
BUDGETS = Budgets()
LIMITS = StartupLimits()


@dataclass
class HandClock:
    at: datetime = datetime(2026, 1, 11, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()


@dataclass
class Giving:
    """An open workspace. ``exclude`` are excluded sessions, ``hidden`` excluded files."""

    folder: Path
    state: Store
    roots: Roots
    clock: HandClock = field(default_factory=HandClock)
    budgets: Budgets = BUDGETS
    limits: StartupLimits = LIMITS
    exclude: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        attributor = LedgerAttributor(self.state, ANALYZER, Taint, self.clock)
        self.attributor = attributor
        self.corpus = Corpus(self.roots, FileRules.parse(exclude=self.hidden), attributor=attributor)
        self.core = CuratedCore(self.roots, self.corpus.rules, attributor)
        self.bootstrap = Bootstrap(
            core=self.core,
            instructions=Instructions(self.roots),
            notes=StartupNotes(
                self.corpus, AdmissionRules.parse(sessions=self.exclude), self.clock, Zone("Europe/Vienna")
            ),
            files=GivenFiles(self.budgets),
            limits=self.limits,
            clock=self.clock,
            zone=Zone("Europe/Vienna"),
        )

    def write(self, path: str, text: str) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    async def record(self, path: str, line: str, origin: Origin, writer: str | None = None) -> None:
        """Let the ledger know who wrote a line, before it is written."""
        await self.state.write(
            partial(
                record_spans,
                append_id=None,
                path=path,
                lines=[line],
                provenance=Provenance(origin, SessionKind.INTERACTIVE, writer),
                agent="main",
                session_id="s1",
                at=self.clock.now(),
                sketches=partial(sketch_line, analyzer=ANALYZER),
            )
        )

    async def decide(self, path: str, line: int, origin: Origin) -> None:
        """Give a line this origin, as the owner may."""

        def work() -> int:
            (file,) = (one for one in self.corpus.list_files().files if one.path == path)
            read = self.corpus.read(file)
            assert isinstance(read, FileText)
            return self.attributor.trust(file, read, Selection(line, line), origin)

        assert await trio.to_thread.run_sync(work) == 1
        self.core.ask_origins()


@asynccontextmanager
async def open_giving(
    tmp_path: Path,
    *,
    budgets: Budgets = BUDGETS,
    limits: StartupLimits = LIMITS,
    exclude: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
) -> AsyncIterator[Giving]:
    folder = tmp_path / "ws"
    folder.mkdir()
    clock = HandClock()
    state = open_state(tmp_path / "state", "w1", clock.now).store
    try:
        with Roots(folder) as roots:
            yield Giving(folder, state, roots, clock, budgets, limits, exclude, hidden)
    finally:
        await state.aclose()
