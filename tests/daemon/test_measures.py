"""What happens is counted, whether anybody subscribed or not."""

from datetime import UTC, date, datetime

from openclaw_memd.daemon.measures import Happenings
from openclaw_memd.daemon.telling import Telling
from openclaw_memd.dreaming.reports import NightReport
from openclaw_memd.events import Events
from openclaw_memd.gateway.metric_kinds import Sample
from openclaw_memd.gateway.metrics import Metrics
from openclaw_memd.index.indexer import SyncReport
from tests.fakes import TrioClock
from tests.gateway.exposition import parse

NIGHT = NightReport(
    run_id="r1",
    cause="schedule",
    local_date=date(2026, 1, 11),
    mode="write",
    started_at=datetime(2026, 1, 11, 2, tzinfo=UTC),
    outcome="completed",
)


async def test_what_happens_is_counted_for_each_agent() -> None:
    happenings = Happenings()
    telling = Telling(Events(TrioClock(), happenings.hear), ["main", "coder"])
    report = SyncReport(generation=1, added=2, changed=0, removed=1, unchanged=0, skipped=0, took_ms=1.0)
    for _ in range(3):
        telling.hear_synced(report)
    telling.hear_dream(NIGHT)

    samples = list(happenings.samples())
    assert Sample("memd_changes_total", 6, ("main", "added")) in samples
    assert Sample("memd_changes_total", 3, ("coder", "removed")) in samples
    assert Sample("memd_dreams_total", 1, ("coder", "completed")) in samples
    assert parse(Metrics().render(samples)).keys() == {"memd_changes_total", "memd_dreams_total"}
