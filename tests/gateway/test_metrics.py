import re

from openclaw_memd.gateway.metrics import Metrics
from openclaw_memd.gateway.services import Gauge

SAMPLE = re.compile(r'[a-z_]+(\{([a-z]+="([^"\\\n]|\\.)*",?)+\})? \S+')


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


def test_gauges_of_one_name_share_their_heading() -> None:
    gauges = [
        Gauge("memd_chunks", "Indexed chunks.", 3, (("agent", "main"),)),
        Gauge("memd_up", "One.", 1),
        Gauge("memd_chunks", "Indexed chunks.", 4, (("agent", 'odd "\\\n'),)),
    ]
    text = Metrics().render(gauges)
    assert text.count("# TYPE memd_chunks gauge") == 1
    assert 'memd_chunks{agent="odd \\"\\\\\\n"} 4' in text.splitlines()
    assert all(SAMPLE.fullmatch(line) for line in text.splitlines() if not line.startswith("#"))
