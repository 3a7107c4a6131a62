"""What the tests of triggers share: curated files in a workspace, and the triggers over them."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import trio

from openclaw_memd.config.sections import Inject
from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.domain.provenance import FOREIGN, HANDWRITTEN
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.catalog import FileText, ListedFile
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.origins import Attribution
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_database import open_vectors
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.injection.trigger_entries import TriggerEntries
from openclaw_memd.injection.trigger_vectors import TriggerVectors
from openclaw_memd.injection.triggers import TriggerHit, Triggers
from openclaw_memd.models.absent import AbsentEmbedder
from openclaw_memd.ports import Embedder
from tests.fakes import TrioClock
from tests.index.notes import AT

TODAY = date(2026, 3, 10)
LIMIT_S = 30.0


class Marked:
    """Lines with ``(web)`` come from outside."""

    def attribute(self, read: Sequence[tuple[ListedFile, FileText]]) -> list[Attribution]:
        return [self.peek(file, text.text.split("\n")) for file, text in read]

    def peek(self, file: ListedFile, lines: Sequence[str], content_hash: bytes | None = None) -> Attribution:
        return Attribution(
            tuple(
                (number, FOREIGN if "(web)" in line else HANDWRITTEN) for number, line in enumerate(lines, 1)
            )
        )

    def listed(self, paths: Collection[str]) -> None:
        pass

    def removed(self, paths: Collection[str]) -> None:
        pass

    def looked(self, at: object) -> None:
        pass


@dataclass
class World:
    folder: Path
    database: Store
    core: CuratedCore
    entries: TriggerEntries
    analyzer: Analyzer

    def write(self, *entries: str, file: str = "MEMORY.md") -> None:
        (self.folder / file).write_text("\n".join(entries) + "\n")

    async def hits(
        self, message: str, *active: str, settings: Inject | None = None, limit_s: float = LIMIT_S
    ) -> tuple[TriggerHit, ...]:
        triggers = Triggers(self.entries, settings or Inject(), lambda: TODAY)
        deadline_at = trio.current_time() + limit_s
        return await triggers.match(message, active_projects=active, deadline_at=deadline_at)

    async def found(self, message: str, *active: str, settings: Inject | None = None) -> list[str]:
        """The texts that ``message`` brings up, without what follows the first full stop."""
        hits = await self.hits(message, *active, settings=settings)
        return [hit.entry.entry.text.removeprefix("- ").partition(".")[0] for hit in hits]


@asynccontextmanager
async def open_world(
    tmp_path: Path, *entries: str, embedder: Embedder | None = None, languages: Sequence[str] = ("en",)
) -> AsyncIterator[World]:
    """A workspace whose MEMORY.md has ``entries``; whoever needs vectors runs what makes them."""
    folder = tmp_path / "workspace"
    folder.mkdir(exist_ok=True)
    analyzer = Analyzer(languages)
    opened = open_vectors(tmp_path / "vectors.db", AT)
    try:
        with Roots(folder) as roots:
            core = CuratedCore(roots, FileRules.parse(), Marked())
            vectors = TriggerVectors(
                embedder or AbsentEmbedder("none here"), VectorStore(opened.store), TrioClock()
            )
            world = World(folder, opened.store, core, TriggerEntries(core, analyzer, vectors), analyzer)
            core.on_changed = world.entries.note_changed
            if entries:
                world.write(*entries)
            yield world
    finally:
        await opened.store.aclose()
