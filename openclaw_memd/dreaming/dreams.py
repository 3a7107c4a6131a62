"""The dreaming of one workspace as callers and the schedule see it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Final

import structlog
import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedEntry
from openclaw_memd.domain.curated_files import bare_text, says_same
from openclaw_memd.domain.dream_pages import PHASES, DiaryEntry, Phase
from openclaw_memd.domain.promotion_gates import Judged
from openclaw_memd.domain.similarity import outline
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.beside import dreams_here
from openclaw_memd.dreaming.night import Night
from openclaw_memd.dreaming.pages import Pages
from openclaw_memd.dreaming.phases import Phases
from openclaw_memd.dreaming.reports import NightReport
from openclaw_memd.dreaming.runs import Runs
from openclaw_memd.dreaming.types import Candidate
from openclaw_memd.errors import ConflictError, MemdError
from openclaw_memd.files.names import CURATED
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.nights import Run, count_candidates, last_dates
from openclaw_memd.index.store import Store
from openclaw_memd.jobs import JobFailedError, Jobs, Progress
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.dreaming")

LEAST_COMMON: Final = 0.5
"""What is explained has at least this share of the words that were asked for."""


@dataclass(frozen=True, slots=True)
class DreamState:
    """Where dreaming stands. ``last`` is the last run of all, ``dates`` has the last date of each phase."""

    last: Run | None
    dates: dict[Phase, date]
    short_term: int
    promoted: int


@dataclass(frozen=True, slots=True)
class Explained:
    """The candidate that fits best, and where a curated file says the same already.

    ``setback`` tells why a night would not write one that passed every gate.
    """

    judged: Judged[Candidate] | None
    citation: str | None
    setback: str | None = None


class Dreams:
    """Runs nights and tells of them. ``key`` names the workspace among jobs.

    ``show`` shows in the index what was written to a curated file. ``has_stood_back`` says that the schedule
    left the last night to OpenClaw.

    All raise ``UnavailableError`` or ``DamagedError`` when the ledger cannot be used.
    """

    def __init__(
        self,
        *,
        night: Night,
        phases: Phases,
        runs: Runs,
        pages: Pages,
        core: CuratedCore,
        state: Store,
        roots: Roots,
        analyzer: Analyzer,
        jobs: Jobs,
        key: str,
        clock: Clock,
        zone: Zone,
        stands_back: bool,
        show: Callable[[str], Awaitable[None]],
        on_finished: Callable[[NightReport], None],
    ) -> None:
        self.runs = runs
        self.pages = pages
        self.key = key
        self.has_stood_back = False
        self._night = night
        self._phases = phases
        self._core = core
        self._state = state
        self._roots = roots
        self._analyzer = analyzer
        self._jobs = jobs
        self._clock = clock
        self._zone = zone
        self._stands_back = stands_back
        self._show = show
        self._on_finished = on_finished

    async def run(
        self, phases: Sequence[Phase] = PHASES, progress: Progress = lambda _done, _total=None: None
    ) -> NightReport:
        """Dream now, whatever the schedule did. In mode ``off`` nothing is written, not even a mark.

        Raises:
            ConflictError: a night is being dreamt already.
        """
        if self._night.is_off:
            return await self._night.preview()
        await self.settle()
        run = await self.runs.begin("call", phases, self._zone.day(self._clock.now()))
        if run is None:
            raise ConflictError("a night is being dreamt already", reason="dreaming")
        return await self._sweep(run, progress)

    async def preview(self) -> NightReport:
        """What would be promoted now; nothing is written."""
        return await self._night.preview()

    async def settle(self) -> None:
        """Take up what a night wrote that was killed before it could say so."""
        await self._phases.settle(self._clock.now())
        for run, keys in await self.runs.untold():
            await self.runs.tell(await self._night.recount(run, keys))

    async def report(self, run_id: str | None) -> NightReport | None:
        """What a run told of itself, of the last that did when ``run_id`` is None."""
        await self.settle()
        return await self.runs.report(run_id)

    async def follow_schedule(self, phases: tuple[Phase, ...], day: date) -> None:
        """Do phases for a local date as a job, unless OpenClaw does the same here."""
        self.has_stood_back = self._stands_back and await self._is_openclaws()
        if self.has_stood_back:
            run = await self.runs.begin("schedule", phases, day)
            if run is not None:
                log.info("no dream", reason="stood_back")
                await self.runs.end(run.id, "stood_back")
            return
        await self.settle()
        begun: list[Run] = []

        async def work(progress: Progress) -> object:
            run = await self.runs.begin("schedule", phases, day)
            if run is None:
                return None
            begun.append(run)
            return await self._sweep(run, progress)

        job = self._jobs.start("dream", work, key=f"{self.key} {day} {','.join(phases)}")
        try:
            await job.wait()
        except (MemdError, JobFailedError):  # the job told the log
            for run in begun:
                await self.runs.end(run.id, "cancelled")  # unless it ended otherwise

    async def state(self) -> DreamState:
        """Where dreaming stands."""
        await self.settle()
        runs = await self.runs.list(1)
        dates = await self._state.read(last_dates)
        short_term, promoted = await self._state.read(count_candidates)
        return DreamState(runs[0] if runs else None, dates, short_term, promoted)

    async def candidates(self) -> Sequence[Judged[Candidate]]:
        """Every candidate, judged now, the best first."""
        await self.settle()
        return (await self._phases.rank(self._clock.now())).judged

    async def explain(self, query: str) -> Explained:
        """The candidate that ``query`` names by its key, its path or its words, and where it stands."""
        judged = await self.candidates()
        state = await self._core.refresh()
        entries = [entry for file in state.files.values() for entry in file.entries]
        work = partial(_explain, query, judged, entries, self._analyzer)
        found = await trio.to_thread.run_sync(work)
        if found.judged is None or found.judged.excluded is not None or found.citation is not None:
            return found
        return replace(found, setback=await self._phases.foresee(found.judged, self._clock.now()))

    async def diary(self, limit: int) -> list[DiaryEntry]:
        """The last entries of the diary, the newest first."""
        return list(reversed(await self.pages.diary()))[:limit]

    async def texts(self) -> dict[str, str]:
        """What the candidates say, by key."""
        return await self._phases.texts()

    async def _sweep(self, run: Run, progress: Progress) -> NightReport:
        try:
            report = await self._night.sweep(run, progress)
        except Exception:
            self._on_finished(self._night.broken_off(run, "failed"))
            raise
        except BaseException:
            if run.cause == "call":  # a night of the schedule is gone on with
                self._on_finished(self._night.broken_off(run, "cancelled"))
            raise
        if report.deep is not None and (report.deep.promoted or report.deep.retired):
            for file in CURATED:
                await self._show(file)
        self._on_finished(report)
        return report

    async def _is_openclaws(self) -> bool:
        now = self._clock.now()
        work = partial(dreams_here, self._roots, self.pages.files, now, self._zone.day(now))
        try:
            return await trio.to_thread.run_sync(work)
        except (MemdError, OSError):
            return False


def _explain(
    query: str, judged: Sequence[Judged[Candidate]], entries: Sequence[CuratedEntry], analyzer: Analyzer
) -> Explained:
    found = _find(query, judged, analyzer)
    said = query if found is None else found.candidate.text
    for entry in entries:
        text = bare_text(entry.entry.text)
        if said.casefold() in text.casefold() or says_same(said, text, analyzer):
            return Explained(found, entry.citation)
    return Explained(found, None)


def _find(query: str, judged: Sequence[Judged[Candidate]], analyzer: Analyzer) -> Judged[Candidate] | None:
    asked = query.casefold().strip()
    for one in judged:
        candidate = one.candidate
        if asked == candidate.key or asked in candidate.path.casefold() or asked in candidate.text.casefold():
            return one
    words = frozenset(outline(query, analyzer).words)
    if not words:
        return None
    shares = [
        (len(words.intersection(outline(one.candidate.text, analyzer).words)) / len(words), -number)
        for number, one in enumerate(judged)
    ]
    share, number = max(shares, default=(0.0, 0))
    return judged[-number] if share >= LEAST_COMMON else None
