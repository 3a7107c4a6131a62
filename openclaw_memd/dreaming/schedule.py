"""When nights come: each phase once a local date, whatever clocks, sleep, restarts and daemons do.

A time that was missed is made up for once, by its own date, however many were missed.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Final

import structlog
import trio

from openclaw_memd.domain.dream_pages import PHASES, Phase
from openclaw_memd.index.ledger import nights as ledger
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.ports import Clock
from openclaw_memd.schedules import next_time
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.dreaming")

LOOK_S: Final = 60.0
"""A machine that slept finds out within so many seconds that a time has come."""

_WINDOWS: Final = tuple(timedelta(hours=hours) for hours in (1, 26, 8 * 24, 40 * 24, 400 * 24))
_RESOLUTION: Final = timedelta(seconds=1)

Sweep = Callable[[tuple[Phase, ...], date], Awaitable[None]]
"""Does phases for a local date, as far as no run has done them."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Phases that come at the same times, by a cron expression."""

    expression: str
    phases: tuple[Phase, ...]


def plan_phases(schedule: str, own: Mapping[Phase, str]) -> tuple[Plan, ...]:
    """What comes when: phases with an expression of their own, and the others together."""
    shared = tuple(phase for phase in PHASES if not own.get(phase))
    plans = [Plan(schedule, shared)] if shared else []
    return (*plans, *(Plan(own[phase], (phase,)) for phase in PHASES if own.get(phase)))


def last_time(expression: str, zone: Zone, now: datetime) -> datetime | None:
    """The last time up to ``now`` that ``expression`` names; None when there was none for a year."""
    for window in _WINDOWS:
        found = _next(expression, zone, now - window)
        if found is not None and found <= now:
            return _last_from(found, expression, zone, now)
    return None


def _last_from(found: datetime, expression: str, zone: Zone, now: datetime) -> datetime:
    """The last time from ``found`` to ``now``: halving what is left, for there may be one every minute."""
    end = now
    while end - found > _RESOLUTION:
        middle = found + (end - found) / 2
        at = _next(expression, zone, middle)
        if at is not None and at <= now:
            found = at
        else:
            end = middle
    return found


def _next(expression: str, zone: Zone, after: datetime) -> datetime | None:
    return next_time(expression, zone.at(after))


class Schedule:
    """Begins sweeps when their time has come."""

    def __init__(self, state: Store, plans: tuple[Plan, ...], zone: Zone, clock: Clock, sweep: Sweep) -> None:
        self._state = state
        self._plans = plans
        self._zone = zone
        self._clock = clock
        self._sweep = sweep

    def next_at(self) -> datetime | None:
        """When the next sweep comes; None: never."""
        now = self._clock.now()
        times = (next_time(plan.expression, self._zone.at(now)) for plan in self._plans)
        return min((at for at in times if at is not None), default=None)

    async def run(self) -> None:
        """Begin every sweep at its time, until cancelled; a missed one at once.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        while self._plans:
            for plan in self._plans:
                await self._look(plan)
            next_at = self.next_at()
            wait_s = LOOK_S if next_at is None else (next_at - self._clock.now()).total_seconds()
            await trio.sleep(min(LOOK_S, max(0.0, wait_s)))

    async def _look(self, plan: Plan) -> None:
        now = self._clock.now()
        at = last_time(plan.expression, self._zone, now)
        if at is None:
            return
        day = self._zone.day(at)
        waiting = await self._state.write(partial(find_due, plan=plan, at=at, day=day, now=now))
        if waiting:
            log.info("dreaming", count=len(waiting))
            await self._sweep(waiting, day)


def find_due(connection: Connection, plan: Plan, at: datetime, day: date, now: datetime) -> tuple[Phase, ...]:
    """The phases of ``plan`` that no run has done for ``day``, though their time ``at`` has come."""
    if ledger.is_resting(connection, day, now):
        return ()
    return tuple(
        phase
        for phase in plan.phases
        if ledger.schedule_since(connection, phase, now) < at and not ledger.is_done(connection, phase, day)
    )
