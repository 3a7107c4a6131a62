"""Forgetting: what was said and written goes from every place that memd keeps it in.

Tombstones come first, so that nothing comes back; then the files, since they are the memory; then what was
made from them. What the rest is found by goes last, so a call that was cut off is simply made again.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import structlog
import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.forgetting import Selectors, Wanted
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.page_forgetting import PageForgetting
from openclaw_memd.dreaming.promoted_forgetting import PromotedForgetting
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.ledger import forgetting as ledger
from openclaw_memd.index.store import Store
from openclaw_memd.intents.forgetting import IntentForgetting
from openclaw_memd.jobs import Progress
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.ops import stores
from openclaw_memd.ops.choosing import read_paths
from openclaw_memd.ops.dreams import Claims, DreamPages
from openclaw_memd.ops.finding import Finder
from openclaw_memd.ops.memory_files import MemoryFiles
from openclaw_memd.ops.preimages import PreimageScrubber
from openclaw_memd.ops.receipts import Forgotten, Receipt
from openclaw_memd.ops.remains import Remains
from openclaw_memd.ops.scrubbing import SETTLE_S, Scrubber
from openclaw_memd.ops.stores import Forgetful
from openclaw_memd.ops.waiting import WaitingTexts
from openclaw_memd.ops.work import Work
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.service import Sessions
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.forget")

STEPS: Final = (
    "tombstones",
    "spool",
    "pages",
    "files",
    "history",
    "intents",
    "sessions",
    "claims",
    "index",
    "ledger",
    "vectors",
    "databases",
)
"""What is done, in this order. A call that ended before any of them is made again from the start."""


class Forgetting:
    """Forgets in one workspace, one call at a time.

    ``rebuild_turn`` is held while an index is built. ``backups`` is the folder of archives that were made
    before. ``on_forgotten`` drops what is remembered in memory only; ``on_step`` hears what is done next.
    """

    def __init__(
        self,
        *,
        state: Store,
        indexer: Indexer,
        vectors: Store,
        rebuild_turn: trio.Lock,
        notes: NoteWriter,
        curated: CuratedWriter,
        core: CuratedCore,
        sessions: Sessions,
        intents: IntentForgetting,
        signals: SignalStore,
        pages: PageForgetting,
        roots: Roots,
        analyzer: Analyzer,
        clock: Clock,
        zone: Zone,
        backups: Path | None = None,
        on_forgotten: Callable[[], None] = lambda: None,
        on_step: Callable[[str], None] = lambda _step: None,
        settle_s: float = SETTLE_S,
    ) -> None:
        self._state = state
        self._indexer = indexer
        self._rebuild_turn = rebuild_turn
        self._on_forgotten = on_forgotten
        self._on_step = on_step
        self._scrubber = Scrubber(state, roots, analyzer, notes.turn, settle_s=settle_s)
        promoted = PromotedForgetting(state, core)
        self._finder = Finder(
            state=state,
            indexer=indexer,
            sessions=sessions,
            signals=signals,
            promoted=promoted,
            scrubber=self._scrubber,
            analyzer=analyzer,
            clock=clock,
            zone=zone,
        )
        self._stores: Sequence[Forgetful] = (
            stores.Tombstones(sessions, notes),
            WaitingTexts(state, notes),
            DreamPages(promoted, pages),
            MemoryFiles(self._scrubber, curated),
            stores.History(PreimageScrubber(state, analyzer)),
            stores.StandingIntents(intents),
            stores.Conversations(sessions),
            Claims(signals, pages),
            stores.Index(indexer, intents),
            stores.Ledger(state),
            stores.Vectors(indexer, vectors),
            stores.Databases(state, indexer, vectors),
        )
        self._remains = Remains(state, sessions, roots, backups)
        self._turn = trio.Lock()

    @property
    def turn(self) -> trio.Lock:
        """Who holds it keeps the workspace from forgetting."""
        return self._turn

    async def recover(self) -> None:
        """Take away old versions of files that a call which was cut off has left; for the start.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        async with self._turn:
            await self._scrubber.finish(lambda _path: Wanted())

    async def plan(self, agent: str, selectors: Selectors) -> Forgotten:
        """What ``forget`` would do now. Nothing at all is written.

        Raises:
            InvalidParamsError: nothing is selected, or the query has no words.
            DeniedError: a path is none of a memory file.
            UnavailableError, DamagedError: a database cannot be read.
        """
        work = await self._finder.find(agent, selectors)
        counts: dict[str, int] = {}
        for store in self._stores:
            counts |= await store.count(work)
        return await self._answer(work, counts, dry_run=True)

    async def forget(
        self, agent: str, selectors: Selectors, progress: Progress = lambda _done, _total=None: None
    ) -> Forgotten:
        """Forget what is selected, and say what stays. Errors as in ``plan``; made again, it goes on.

        Raises:
            UnavailableError: the disk is full or fails.
        """
        selectors.check()
        read_paths(selectors.paths)
        counts: dict[str, int] = {}
        async with self._turn, self._rebuild_turn:
            await self._indexer.sync()  # so that the ledger knows where lines were moved to
            work = await self._finder.find(agent, selectors)
            await self._state.write(partial(ledger.settle_interrupted, scope=work.scope))
            for number, (name, store) in enumerate(zip(STEPS, self._stores, strict=True)):
                progress(number, len(STEPS))
                self._on_step(name)
                counts |= await store.forget(work)
            self._on_forgotten()
            progress(len(STEPS))
            forgotten = await self._answer(work, counts, dry_run=False)
        receipt = forgotten.receipt
        log.info("forgotten", files=receipt.files_changed + receipt.files_removed, rows=receipt.spans)
        return forgotten

    async def _answer(self, work: Work, counts: dict[str, int], *, dry_run: bool) -> Forgotten:
        return Forgotten(dry_run, Receipt(**counts), await self._remains.name(work))
