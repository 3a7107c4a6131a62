"""Sweeps of dreaming in the ledger: which run has which phase of which date. Functions over a connection."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal

import apsw

from openclaw_memd.domain.dream_pages import Phase
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp

Cause = Literal["schedule", "call"]
Outcome = Literal["completed", "failed", "cancelled", "interrupted", "stood_back"]

LEASE: Final = timedelta(minutes=2)
"""A run that gave no sign of life for so long is dead."""

RETRY: Final = timedelta(hours=1)
MOST_FAILURES: Final = 3
"""A date whose night failed is tried again after ``RETRY``, so often in all."""

MOST_INTERRUPTIONS: Final = 10
"""A night that is cut off is gone on with at once, so often for a date: one that ends the process each time
must not do so for ever.
"""

KEPT_DAYS: Final = 400
KEPT_REPORTS: Final = 60


@dataclass(frozen=True, slots=True)
class Run:
    """One sweep. ``report`` is JSON; ``ended_at`` and ``outcome`` are None while it runs."""

    id: str
    cause: Cause
    local_date: date
    phases: tuple[Phase, ...]
    started_at: datetime
    ended_at: datetime | None = None
    outcome: Outcome | None = None
    report: str | None = None


def begin_run(connection: apsw.Connection, run: Run) -> Run | None:
    """Begin ``run`` with those of its phases that are free; None when another run is alive or none is free.

    For the schedule a phase of a date is free until a run did it. Dead runs are ended first.
    """
    now = run.started_at
    dead = to_stamp(now - LEASE)
    connection.execute(
        "UPDATE dream_runs SET outcome = 'interrupted', ended_at = ? WHERE ended_at IS NULL AND alive_at < ?",
        (to_stamp(now), dead),
    )
    if connection.execute("SELECT 1 FROM dream_runs WHERE ended_at IS NULL").fetchone():
        return None
    phases = run.phases
    if run.cause == "schedule":
        phases = tuple(phase for phase in phases if not is_done(connection, phase, run.local_date))
        connection.executemany(
            "INSERT OR REPLACE INTO dream_dates (phase, local_date, run_id, done) VALUES (?, ?, ?, 0)",
            [(phase, run.local_date.isoformat(), run.id) for phase in phases],
        )
    if not phases:
        return None
    connection.execute(
        "INSERT INTO dream_runs (id, cause, local_date, phases, started_at, alive_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (run.id, run.cause, run.local_date.isoformat(), json.dumps(phases), to_stamp(now), to_stamp(now)),
    )
    return Run(run.id, run.cause, run.local_date, phases, now)


def interrupt_runs(connection: apsw.Connection, now: datetime) -> None:
    """End every run: who had begun them is no more. What they left undone of their dates stays undone."""
    connection.execute(
        "UPDATE dream_runs SET outcome = 'interrupted', ended_at = ? WHERE ended_at IS NULL", (to_stamp(now),)
    )


def is_done(connection: apsw.Connection, phase: Phase, day: date) -> bool:
    """Whether the schedule needs to do nothing more for a phase on this date."""
    row = connection.execute(
        "SELECT done FROM dream_dates WHERE phase = ? AND local_date = ?", (phase, day.isoformat())
    ).fetchone()
    return row is not None and bool(row[0])


def is_resting(connection: apsw.Connection, day: date, now: datetime) -> bool:
    """Whether the nights of this date failed too lately, or too often, to try once more."""
    row = connection.execute(
        "SELECT count(*) FILTER (WHERE outcome = 'failed'), count(*) FILTER (WHERE outcome = 'interrupted'),"
        " max(ended_at) FILTER (WHERE outcome = 'failed')"
        " FROM dream_runs WHERE cause = 'schedule' AND local_date = ?",
        (day.isoformat(),),
    ).fetchone()
    assert row is not None
    failures, interruptions, last = int(row[0]), int(row[1]), row[2]
    if failures >= MOST_FAILURES or interruptions >= MOST_INTERRUPTIONS:
        return True
    return last is not None and last > to_stamp(now - RETRY)


def note_alive(connection: apsw.Connection, run_id: str, now: datetime) -> None:
    """The heartbeat of a run."""
    connection.execute("UPDATE dream_runs SET alive_at = ? WHERE id = ?", (to_stamp(now), run_id))


def note_done(connection: apsw.Connection, run_id: str, phases: Sequence[Phase]) -> None:
    """Note that these phases of a run's date need nothing more."""
    connection.executemany(
        "UPDATE dream_dates SET done = 1 WHERE run_id = ? AND phase = ?", [(run_id, one) for one in phases]
    )


def end_run(
    connection: apsw.Connection, run_id: str, outcome: Outcome, report: str | None, now: datetime
) -> None:
    """End a run, and drop what is old. One that ended before stays as it ended.

    Nothing more is done for its date, unless it failed: then what it left undone is tried again.
    """
    connection.execute(
        "UPDATE dream_runs SET outcome = ?, report = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL",
        (outcome, report, to_stamp(now), run_id),
    )
    if connection.changes() and outcome != "failed":
        connection.execute("UPDATE dream_dates SET done = 1 WHERE run_id = ?", (run_id,))
    old = now - timedelta(days=KEPT_DAYS)
    connection.execute("DELETE FROM dream_runs WHERE started_at < ?", (to_stamp(old),))
    connection.execute("DELETE FROM dream_dates WHERE local_date < ?", (old.date().isoformat(),))
    connection.execute(
        "UPDATE dream_runs SET report = NULL WHERE report IS NOT NULL AND id NOT IN"
        " (SELECT id FROM dream_runs WHERE report IS NOT NULL ORDER BY started_at DESC, id LIMIT ?)",
        (KEPT_REPORTS,),
    )


def untold_promotions(connection: apsw.Connection) -> dict[str, list[str]]:
    """What interrupted runs without a report promoted: keys of claims by run."""
    found: dict[str, list[str]] = {}
    for run_id, key in connection.execute(
        "SELECT r.id, p.key FROM dream_runs AS r JOIN promotions AS p ON p.run_id = r.id AND p.state = 'done'"
        " WHERE r.outcome = 'interrupted' AND r.report IS NULL ORDER BY r.started_at, p.key"
    ):
        found.setdefault(str(run_id), []).append(str(key))
    return found


def tell_run(connection: apsw.Connection, run_id: str, report: str) -> None:
    """Keep a report of a run that ended without one."""
    connection.execute(
        "UPDATE dream_runs SET report = ? WHERE id = ? AND report IS NULL AND ended_at IS NOT NULL",
        (report, run_id),
    )


def schedule_since(connection: apsw.Connection, phase: Phase, now: datetime) -> datetime:
    """Since when a phase has a schedule; from ``now`` on when it had none, or since a time to come: the clock
    was ahead then.
    """
    connection.execute(
        "INSERT INTO dream_schedule (phase, since) VALUES (?, ?)"
        " ON CONFLICT (phase) DO UPDATE SET since = excluded.since WHERE since > excluded.since",
        (phase, to_stamp(now)),
    )
    row = connection.execute("SELECT since FROM dream_schedule WHERE phase = ?", (phase,)).fetchone()
    assert row is not None
    return from_stamp(row[0])


def list_runs(connection: apsw.Connection, limit: int, *, run_id: str | None = None) -> list[Run]:
    """The last runs, the newest first; with ``run_id`` that one alone."""
    rows = connection.execute(
        "SELECT id, cause, local_date, phases, started_at, ended_at, outcome, report FROM dream_runs"
        " WHERE ?1 IS NULL OR id = ?1 ORDER BY started_at DESC, id DESC LIMIT ?2",
        (run_id, limit),
    )
    return [
        Run(
            number,
            cause,
            date.fromisoformat(day),
            tuple(json.loads(phases)),
            from_stamp(started_at),
            None if ended_at is None else from_stamp(ended_at),
            outcome,
            report,
        )
        for number, cause, day, phases, started_at, ended_at, outcome, report in rows
    ]


def last_dates(connection: apsw.Connection) -> dict[Phase, date]:
    """The last local date that the schedule did each phase for."""
    rows = connection.execute("SELECT phase, max(local_date) FROM dream_dates WHERE done = 1 GROUP BY phase")
    return {phase: date.fromisoformat(day) for phase, day in rows}


def count_candidates(connection: apsw.Connection) -> tuple[int, int]:
    """How many candidates wait, and how many claims were promoted."""
    row = connection.execute(
        "SELECT (SELECT count(*) FROM candidates AS c WHERE NOT EXISTS (SELECT 1 FROM candidate_verdicts"
        " WHERE key = c.key AND promoted_at IS NOT NULL)),"
        " (SELECT count(*) FROM candidate_verdicts WHERE promoted_at IS NOT NULL)"
    ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])
