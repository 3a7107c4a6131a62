"""A workspace with notes and nights that promote what they say: files and a ledger, and signals in memory."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.deletions import Deletions
from openclaw_memd.domain.claims import claim_key, claim_text
from openclaw_memd.domain.promotion_score import Score, Signals
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, Provenance
from openclaw_memd.domain.sketches import sketch_line
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.consolidating import Bounds, Consolidation, Mode
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.dreaming.types import Applied, Candidate, Ranked
from openclaw_memd.files.catalog import FileText
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.ledger.spans import record_spans
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.models.chat.absent import AbsentChatModel
from openclaw_memd.ports import ChatModel
from openclaw_memd.zones import Zone
from tests.curated.worlds import HandClock, World, open_world

NOTE = "memory/2026-01-11.md"
NOW = datetime(2026, 1, 12, 2, tzinfo=UTC)


@dataclass
class KnownSignals:
    """The candidates of a test, and what became of them."""

    known: dict[str, Candidate] = field(default_factory=dict)
    promoted: list[str] = field(default_factory=list)

    async def candidates(self) -> list[Candidate]:
        return list(self.known.values())

    async def mark_promoted(self, keys: Collection[str], at: datetime) -> None:
        self.promoted += keys
        for key in keys:
            if key in self.known:
                self.known[key] = replace(self.known[key], promoted_at=at)

    async def mark_rejected(self, keys: Collection[str], at: datetime) -> None:
        for key in keys:
            if key in self.known:
                self.known[key] = replace(self.known[key], rejected_at=at)


@dataclass
class Nights:
    """A desk for nights. ``model`` may be exchanged; ``chars`` is the budget of both files."""

    world: World
    core: CuratedCore
    deletions: Deletions
    signals: KnownSignals
    model: ChatModel = field(default_factory=lambda: AbsentChatModel("there is none"))
    chars: int = 10_000
    consolidation: Consolidation = field(init=False)
    corpus: Corpus = field(init=False)

    def __post_init__(self) -> None:
        self.corpus = Corpus(self.world.roots, FileRules.parse(), attributor=self.world.attributor)
        self.consolidation = Consolidation(
            state=self.world.state,
            core=self.core,
            writer=self.world.writer,
            deletions=self.deletions,
            signals=self.signals,
            sources=Sources(self.corpus),
            analyzer=Analyzer(),
            zone=Zone("Europe/Vienna"),
            bounds=Bounds(lambda _file: self.chars),
            model=lambda: self.model,
        )

    @property
    def memory(self) -> str:
        path = self.world.folder / "MEMORY.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @property
    def user(self) -> str:
        path = self.world.folder / "USER.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def write(self, path: str, text: str) -> None:
        target = self.world.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def candidate(
        self,
        text: str,
        line: int = 1,
        *,
        path: str = NOTE,
        provenance: Provenance = HANDWRITTEN,
        score: float = 0.8,
        noted_on: date | None = date(2026, 1, 11),
        key: str | None = None,
        end_line: int | None = None,
        projects: tuple[str, ...] = (),
        tags: tuple[str, ...] = (),
        is_session: bool = False,
    ) -> Ranked:
        """A candidate that was chosen, and that the signals know."""
        found = Candidate(
            key=claim_key(text, provenance.origin),
            text=claim_text(text),
            path=path,
            start_line=line,
            end_line=end_line or line,
            is_session=is_session,
            provenance=provenance,
            signals=Signals(recalls=3),
            tags=tags,
            projects=projects,
            supersedes_key=key,
            noted_on=noted_on,
        )
        self.signals.known[found.key] = found
        return Ranked(found, Score(0, 0, 0, 0, 0, 0, score))

    def note(self, *lines: str, path: str = NOTE) -> list[Ranked]:
        """Write a note of bullets, each of which is a candidate."""
        self.write(path, "".join(f"- {line}\n" for line in lines))
        noted_on = date.fromisoformat(path.removeprefix("memory/")[:10])
        return [
            self.candidate(line, number, path=path, noted_on=noted_on) for number, line in enumerate(lines, 1)
        ]

    async def note_as(self, provenance: Provenance, *lines: str, path: str = NOTE) -> list[Ranked]:
        """The same, written by somebody whom the ledger knows."""
        record = partial(
            record_spans,
            append_id=None,
            path=path,
            lines=[f"- {line}" for line in lines],
            provenance=provenance,
            agent="main",
            session_id="s1",
            at=NOW,
            sketches=partial(sketch_line, analyzer=Analyzer()),
        )
        await self.world.state.write(record)
        chosen = self.note(*lines, path=path)
        return [
            self.candidate(one.candidate.text, one.candidate.start_line, path=path, provenance=provenance)
            for one in chosen
        ]

    def distrust(self, path: str, line: int) -> None:
        """Say that a line of a note comes from outside; blocks."""
        file = self.corpus.look_up(path).files[0]
        read = self.corpus.read(file)
        assert isinstance(read, FileText)
        self.world.attributor.trust(file, read, Selection(line, line, None), Origin.UNTRUSTED)

    async def night(
        self, selected: Sequence[Ranked], *, run_id: str = "r1", mode: Mode = "write", now: datetime = NOW
    ) -> Applied:
        self.world.clock.at = now
        return await self.consolidation.apply(selected, run_id=run_id, mode=mode, now=now)


@asynccontextmanager
async def open_nights(base: Path, signals: KnownSignals | None = None) -> AsyncIterator[Nights]:
    """Open, or open again, the workspace of a test."""
    async with open_world(base, clock=HandClock(NOW), file_bytes=64 * 1024) as world:
        deletions = Deletions(world.state, Analyzer(), world.clock)
        core = CuratedCore(world.roots, FileRules.parse(), world.attributor, on_changed=deletions.hear)
        yield Nights(world, core, deletions, signals or KnownSignals())
