"""What ``status`` and ``dream.status`` tell of dreaming."""

from datetime import datetime

from openclaw_memd.daemon.dreaming import Dreaming
from openclaw_memd.domain.dream_pages import PHASES
from openclaw_memd.errors import UnavailableError
from openclaw_memd.gateway.dream_results import DreamStatus, PhaseState
from openclaw_memd.gateway.status_results import DreamingReport
from openclaw_memd.index.faults import DamagedError


async def report_dreaming(dreaming: Dreaming) -> DreamStatus:
    """Where dreaming stands.

    Raises:
        UnavailableError, DamagedError: the ledger cannot be read.
    """
    state = await dreaming.dreams.state()
    last = state.last
    return DreamStatus(
        mode=dreaming.settings.mode,
        zone=dreaming.zone.label(dreaming.now()),
        running=last is not None and last.ended_at is None,
        last_run_id=None if last is None else last.id,
        last_run_at=None if last is None else _iso(last.started_at),
        last_outcome=None if last is None else last.outcome,
        next_run_at=_iso(dreaming.schedule.next_at()),
        phases=tuple(PhaseState(phase=phase, last_date=state.dates.get(phase)) for phase in PHASES),
        short_term=state.short_term,
        promoted=state.promoted,
    )


async def summarize_dreaming(dreaming: Dreaming) -> DreamingReport | None:
    """The same in short; None when the ledger cannot be read."""
    try:
        found = await report_dreaming(dreaming)
    except (DamagedError, UnavailableError):
        return None
    return DreamingReport(
        mode=found.mode,
        last_run_at=found.last_run_at,
        last_outcome=found.last_outcome,
        next_run_at=found.next_run_at,
        zone=found.zone,
        short_term=found.short_term,
        promoted=found.promoted,
    )


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")
