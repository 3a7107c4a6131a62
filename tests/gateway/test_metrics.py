import time
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.gateway.measures import measure
from openclaw_memd.gateway.metric_kinds import KINDS, Sample
from openclaw_memd.gateway.metrics import Metrics
from openclaw_memd.gateway.process_measures import measure_process
from openclaw_memd.gateway.status_results import StatusReport
from tests.gateway.exposition import parse

CALLS = 20_000
MOST_TIMES = 12.0
"""How many times as long as a plain count in a dict a call may take; some 2 µs on an ordinary machine."""


def test_calls_are_counted_by_method_and_outcome_with_their_times() -> None:
    metrics = Metrics()
    metrics.count_call("status", "ok", 0.0004)
    metrics.count_call("status", "ok", 0.02)
    metrics.count_call("status", "deadline", 60)
    lines = metrics.render([]).splitlines()
    assert 'memd_calls_total{method="status",outcome="ok"} 2' in lines
    assert 'memd_calls_total{method="status",outcome="deadline"} 1' in lines
    assert 'memd_call_seconds_bucket{method="status",le="0.0005"} 1' in lines
    assert 'memd_call_seconds_bucket{method="status",le="0.025"} 2' in lines
    assert 'memd_call_seconds_bucket{method="status",le="10"} 2' in lines
    assert 'memd_call_seconds_bucket{method="status",le="+Inf"} 3' in lines
    assert 'memd_call_seconds_count{method="status"} 3' in lines
    assert 'memd_call_seconds_sum{method="status"} 60.0204' in lines


def test_samples_of_one_metric_share_their_heading() -> None:
    samples = [
        Sample("memd_chunks", 3, ("main",)),
        Sample("memd_healthy", 1),
        Sample("memd_chunks", 4, ('odd "\\\n',)),
    ]
    text = Metrics().render(samples)
    assert text.count("# TYPE memd_chunks gauge") == 1
    assert 'memd_chunks{agent="odd \\"\\\\\\n"} 4' in text.splitlines()


def test_a_metric_that_nobody_declared_is_a_bug() -> None:
    with pytest.raises(KeyError, match="memd_odd"):
        Metrics().render([Sample("memd_odd", 1)])
    with pytest.raises(ValueError, match="zip"):
        Metrics().render([Sample("memd_chunks", 1, ("main", "more"))])


@given(
    st.lists(st.tuples(st.text(max_size=9), st.text(max_size=9), st.floats(0, 100)), max_size=20),
    st.lists(
        st.tuples(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), st.floats()),
        unique_by=lambda pair: pair[0],
    ),
)
def test_any_page_is_what_the_format_wants(
    calls: list[tuple[str, str, float]], chunks: list[tuple[str, float]]
) -> None:
    metrics = Metrics()
    for method, outcome, took_s in calls:
        metrics.count_call(method, outcome, took_s)
    metrics.count("memd_deep_recalls_total", "ok", "")
    families = parse(metrics.render(Sample("memd_chunks", value, (agent,)) for agent, value in chunks))
    assert len(families.get("memd_chunks", families["memd_deep_recalls_total"]).samples) == max(
        1, len(chunks)
    )


def test_every_metric_is_named_as_its_kind_is() -> None:
    for name, kind in KINDS.items():
        assert name.startswith(("memd_", "process_"))
        assert name.endswith("_total") == (kind.type == "counter"), name
        assert kind.meaning.endswith("."), name
        assert "le" not in kind.labels


def test_counting_a_call_takes_next_to_no_time() -> None:
    metrics, counts = Metrics(), dict[tuple[str, str], int]()

    def count_plainly() -> None:
        counts["status", "ok"] = counts.get(("status", "ok"), 0) + 1

    cost_s = min(_cost_s(lambda: metrics.count_call("status", "ok", 0.000124)) for _ in range(8))
    assert cost_s < MOST_TIMES * min(_cost_s(count_plainly) for _ in range(8))


def _cost_s(count: Callable[[], None]) -> float:
    """The processor time that ``CALLS`` counts take."""
    began = time.process_time()
    for _ in range(CALLS):
        count()
    return time.process_time() - began


AGENT = {
    "agent": "main",
    "workspace": "/w",
    "files": 3,
    "chunks": 9,
    "vectors": 4,
    "pending": 2,
    "freshness": "stale",
    "sources": [],
    "skipped": [],
    "excluded": [{"what": "paths", "count": 5, "reason": "ignored"}],
    "watch": {"mode": "polling", "last_scan_at": "2026-01-11T10:00:00.500+00:00", "restarts": 2},
    "embedding": {"provider": "local", "model": None, "dims": None, "state": "loading"},
    "model": {"provider": "none", "state": "off"},
    "curated": [
        {
            "file": "MEMORY.md",
            "chars": 70,
            "budget": 50,
            "injected_chars": 49,
            "left_out": 1,
            "writer": "exchange",
        }
    ],
    "spool": {"items": 1},
    "dreaming": {
        "mode": "write",
        "last_run_at": "2026-01-11T02:00:00+01:00",
        "last_outcome": "ok",
        "next_run_at": None,
        "zone": "local",
        "short_term": 7,
        "promoted": 6,
    },
    "intents": {"pending": 1, "armed": 0, "fired": 3},
    "storage": {"index_bytes": 10, "state_bytes": None, "vectors_bytes": 20},
    "transcripts": [
        {
            "format": form,
            "files": 4,
            "pending": 1,
            "messages": 30,
            "unattributed": 5,
            "broken": 2,
            "too_long": 1,
        }
        for form in ("openclaw", "claude-code")
    ],
}
REPORT = {
    "version": "1",
    "pid": 7,
    "uptime_s": 2.5,
    "state": "degraded",
    "socket": "/s",
    "agents": [AGENT],
    "jobs": [
        {"id": "1", "kind": "sync", "state": "running", "done": 1, "total": 2},
        {"id": "2", "kind": "sync", "state": "done", "done": 1, "total": 2},
    ],
    "warnings": ["one"],
    "backup": {
        "last_at": "2026-01-11T00:00:00+00:00",
        "last_outcome": "failed",
        "path": None,
        "next_at": None,
    },
}


def test_a_status_is_told_in_numbers() -> None:
    lines = Metrics().render(measure(msgspec.convert(REPORT, StatusReport))).splitlines()
    wanted = """
memd_state{state="ok"} 0
memd_state{state="degraded"} 1
memd_uptime_seconds 2.5
memd_warnings 1
memd_files{agent="main"} 3
memd_vectors{agent="main"} 4
memd_pending{agent="main"} 2
memd_freshness{agent="main",freshness="stale"} 1
memd_freshness{agent="main",freshness="fresh"} 0
memd_last_scan_timestamp_seconds{agent="main"} 1768125600.5
memd_excluded{agent="main",what="paths",reason="ignored"} 5
memd_watch{agent="main",mode="polling"} 1
memd_watch_restarts_total{agent="main"} 2
memd_embedding{agent="main",state="loading"} 1
memd_model{agent="main",state="off"} 1
memd_curated_left_out{agent="main",file="MEMORY.md"} 1
memd_spooled{agent="main"} 1
memd_transcripts{agent="main",state="waiting"} 2
memd_transcripts{agent="main",state="read"} 6
memd_transcript_messages{agent="main",speaker="known"} 50
memd_transcript_messages{agent="main",speaker="unknown"} 10
memd_transcript_lines_left_out{agent="main",reason="broken"} 4
memd_transcript_lines_left_out{agent="main",reason="too_long"} 2
memd_intents{agent="main",status="fired"} 3
memd_dream_last_timestamp_seconds{agent="main"} 1768093200
memd_short_term{agent="main"} 7
memd_storage_bytes{agent="main",database="vectors"} 20
memd_jobs{kind="sync",state="running"} 1
memd_backup_ok 0
memd_backup_last_timestamp_seconds 1768089600
"""
    assert set(wanted.split("\n")) - {""} <= set(lines)
    unknown = ("memd_dream_next", "memd_backup_next", 'database="state"')
    assert not [line for line in lines for name in unknown if name in line and not line.startswith("#")]


def test_the_process_is_measured() -> None:
    found = {sample.name: sample.value for sample in measure_process()}
    assert found["process_cpu_seconds_total"] > 0
    assert 1e6 < found["process_resident_memory_bytes"] < 1e11
    assert 0 < found["process_open_fds"] < found["process_max_fds"]
    assert 0 < time.time() - found["process_start_time_seconds"] < 86_400
