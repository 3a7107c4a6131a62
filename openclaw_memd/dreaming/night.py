"""One night: what was noted and said is read, then light, REM and deep look at what was of use."""

from collections.abc import Collection
from datetime import datetime
from functools import partial

import structlog
from msgspec.structs import replace

from openclaw_memd.domain.dream_pages import DiaryEntry, format_when
from openclaw_memd.dreaming.diary import MOST_RECENT, Diary, Material
from openclaw_memd.dreaming.ingesting import Ingestion
from openclaw_memd.dreaming.pages import Pages
from openclaw_memd.dreaming.phases import NOTHING, Phases, Story, tell_deep
from openclaw_memd.dreaming.reports import NightReport
from openclaw_memd.dreaming.runs import Runs
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.index.ledger.nights import Outcome, Run
from openclaw_memd.jobs import Progress
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.dreaming")


class Night:
    """The nights of one workspace. ``mode`` is that of ``[dreaming]``."""

    def __init__(
        self,
        *,
        signals: SignalStore,
        ingestion: Ingestion,
        phases: Phases,
        pages: Pages,
        diary: Diary,
        runs: Runs,
        clock: Clock,
        zone: Zone,
        mode: str,
    ) -> None:
        self._signals = signals
        self._ingestion = ingestion
        self._phases = phases
        self._pages = pages
        self._diary = diary
        self._runs = runs
        self._clock = clock
        self._zone = zone
        self._mode = mode

    @property
    def is_off(self) -> bool:
        """Whether nights only tell, and write nothing."""
        return self._mode == "off"

    async def sweep(self, run: Run, progress: Progress) -> NightReport:
        """Do the phases of ``run`` and end it.

        A run of the schedule that is cancelled stays open, so that its date is gone on with.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        try:
            report = await self._runs.keep_alive(run, partial(self._carry_out, run, progress))
        except Exception:
            await self._runs.end(run.id, "failed")
            raise
        except BaseException:
            if run.cause == "call":
                await self._runs.end(run.id, "cancelled")
            raise
        await self._runs.end(run.id, "completed", report)
        promoted = 0 if report.deep is None else report.deep.promoted
        log.info("dreamt", count=len(run.phases), added=promoted)
        return report

    def broken_off(self, run: Run, outcome: Outcome) -> NightReport:
        """What is told at once of a run that did not come to its end."""
        return replace(self._begun(run), outcome=outcome, ended_at=self._clock.now())

    async def preview(self) -> NightReport:
        """What deep would promote now; nothing is read, marked or written. Errors as in ``sweep``."""
        now = self._clock.now()
        ranking = await self._phases.rank(now, foresee=True)
        return NightReport(
            run_id="",
            cause="call",
            local_date=self._zone.day(now),
            mode=self._mode,
            dry_run=True,
            started_at=now,
            ended_at=now,
            phases=("deep",),
            deep=tell_deep(ranking, NOTHING),
        )

    async def recount(self, run: Run, keys: Collection[str]) -> NightReport:
        """What can still be told of a run that was killed after it promoted these. Errors as in ``sweep``."""
        return NightReport(
            run_id=run.id,
            cause=run.cause,
            local_date=run.local_date,
            mode=self._mode,
            started_at=run.started_at,
            ended_at=run.ended_at,
            outcome=run.outcome,
            phases=run.phases,
            deep=await self._phases.recount(keys, self._clock.now()),
        )

    async def _carry_out(self, run: Run, progress: Progress) -> NightReport:
        now = self._clock.now()
        report = self._begun(run)
        total = len(run.phases) + 2
        progress(0, total)
        if {"light", "rem"}.intersection(run.phases):
            read = await self._ingestion.ingest(now)
            report = replace(report, notes_read=read.notes, lines_read=read.session_lines)
        story = Story()
        for number, phase in enumerate(run.phases, start=1):
            progress(number, total)
            match phase:
                case "light":
                    report = replace(report, light=await self._phases.light(run, now, story))
                case "rem":
                    report = replace(report, rem=await self._phases.rem(run, now, story))
                case "deep":
                    report = replace(report, deep=await self._phases.deep(run, now, story))
            await self._runs.note_done(run, phase)
        progress(total - 1, total)
        told = await self._tell(run, now, story)
        progress(total, total)
        return replace(
            report,
            diary=told,
            told=tuple(sorted(story.keys)) if told == "model" else (),
            finishes=tuple(story.finishes),
            problems=tuple(dict.fromkeys(story.problems)),
            outcome="completed",
            ended_at=self._clock.now(),
        )

    def _begun(self, run: Run) -> NightReport:
        return NightReport(
            run_id=run.id,
            cause=run.cause,
            local_date=run.local_date,
            mode=self._mode,
            started_at=run.started_at,
            phases=run.phases,
        )

    async def _tell(self, run: Run, now: datetime, story: Story) -> str | None:
        """Write the diary, when there is any news; how it was made."""
        if not story.is_news:
            return None
        recent = [entry.text for entry in (await self._pages.nights())[-MOST_RECENT:]]
        material = Material(story.fragments, story.themes, story.promoted, recent)
        text, is_models = await self._diary.write(material)
        if not story.keys <= {one.key for one in await self._signals.candidates()}:
            return None  # something of it was forgotten meanwhile
        when = format_when(self._zone.at(now), self._zone.label(now))
        story.problems += await self._pages.add_entry(DiaryEntry(when, text, run.id))
        return "model" if is_models else "rule"
