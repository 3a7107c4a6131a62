"""The sweeps of one workspace in its ledger: begun once, kept alive, ended."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import date
from functools import partial
from secrets import token_hex
from typing import Final

import msgspec
import structlog
import trio

from openclaw_memd.domain.dream_pages import Phase
from openclaw_memd.dreaming.reports import NightReport
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.ledger import nights as ledger
from openclaw_memd.index.ledger.nights import Cause, Outcome, Run
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Clock

log = structlog.get_logger("memd.dreaming")

BEAT_S: Final = 20.0
_ENDING_S: Final = 2.0


class Runs:
    """All methods raise ``UnavailableError`` or ``DamagedError`` when the ledger cannot be used."""

    def __init__(self, state: Store, clock: Clock) -> None:
        self._state = state
        self._clock = clock

    async def load(self) -> None:
        """End what an earlier process left, which had the workspace for itself as this one has."""
        await self._state.write(partial(ledger.interrupt_runs, now=self._clock.now()))

    async def begin(self, cause: Cause, phases: Sequence[Phase], day: date) -> Run | None:
        """A new run; None when another one is alive, or nothing is left to do for the date."""
        now = self._clock.now()
        run = Run(f"{now:%Y%m%dT%H%M%SZ}-{token_hex(3)}", cause, day, tuple(phases), now)
        return await self._state.write(partial(ledger.begin_run, run=run))

    async def keep_alive(self, run: Run, work: Callable[[], Awaitable[NightReport]]) -> NightReport:
        """What ``work`` gives, during which the run keeps its lease. What it raises passes as it is."""
        result: NightReport | Exception
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._beat, run.id)
            try:
                result = await work()
            except Exception as error:
                result = error
            nursery.cancel_scope.cancel()
        if isinstance(result, Exception):
            raise result
        return result

    async def note_done(self, run: Run, phase: Phase) -> None:
        """Note that a phase of a run needs nothing more."""
        await self._state.write(partial(ledger.note_done, run_id=run.id, phases=(phase,)))

    async def end(self, run_id: str, outcome: Outcome, report: NightReport | None = None) -> None:
        """End a run, cancelled or not; harmless when it ended before."""
        text = None if report is None else msgspec.json.encode(report).decode()
        work = partial(ledger.end_run, run_id=run_id, outcome=outcome, report=text, now=self._clock.now())
        with trio.move_on_after(_ENDING_S, shield=True):
            await self._state.write(work)

    async def tell(self, report: NightReport) -> None:
        """Keep what is known of a run that ended without telling."""
        text = msgspec.json.encode(report).decode()
        await self._state.write(partial(ledger.tell_run, run_id=report.run_id, report=text))

    async def untold(self) -> list[tuple[Run, frozenset[str]]]:
        """The interrupted runs that promoted claims and have no report, with the keys of these."""
        found = await self._state.read(ledger.untold_promotions)
        runs: list[tuple[Run, frozenset[str]]] = []
        for run_id, keys in found.items():
            work = partial(ledger.list_runs, limit=1, run_id=run_id)
            runs += [(run, frozenset(keys)) for run in await self._state.read(work)]
        return runs

    async def unfinished(self) -> Sequence[NightReport]:
        """What interrupted runs promoted and no later one has told of, oldest first."""
        found = await self._state.read(partial(ledger.list_runs, limit=ledger.KEPT_REPORTS))
        reports = [
            msgspec.json.decode(run.report, type=NightReport) for run in found if run.report is not None
        ]
        told = {run_id for report in reports for run_id in report.finishes}
        return [one for one in reversed(reports) if one.outcome == "interrupted" and one.run_id not in told]

    async def list(self, limit: int) -> list[Run]:
        """The last runs, the newest first."""
        return await self._state.read(partial(ledger.list_runs, limit=limit))

    async def report(self, run_id: str | None) -> NightReport | None:
        """What a run told of itself, of the last that did when ``run_id`` is None."""
        runs = await self._state.read(partial(ledger.list_runs, limit=ledger.KEPT_REPORTS, run_id=run_id))
        told = next((run.report for run in runs if run.report is not None), None)
        return None if told is None else msgspec.json.decode(told, type=NightReport)

    async def that_told(self, keys: Collection[str]) -> Sequence[str]:
        """The runs, of those with a report, whose entry of the diary is about one of these claims."""
        found = await self._state.read(partial(ledger.list_runs, limit=ledger.KEPT_DAYS))
        reports = [
            msgspec.json.decode(run.report, type=NightReport) for run in found if run.report is not None
        ]
        return [one.run_id for one in reports if not frozenset(keys).isdisjoint(one.told)]

    async def _beat(self, run_id: str) -> None:
        while True:
            await trio.sleep(BEAT_S)
            work = partial(ledger.note_alive, run_id=run_id, now=self._clock.now())
            try:
                await self._state.write(work)
            except (UnavailableError, DamagedError):  # the night itself finds out soon enough
                log.warning("no sign of life written")
