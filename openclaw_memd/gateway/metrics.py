"""Counts for ``/metrics``, in Prometheus' text format (version 0.0.4)."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from openclaw_memd.gateway.services import Gauge

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"

BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds: from a trivial call to the longest deadline."""


@dataclass(slots=True)
class _Histogram:
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_S) + 1))
    total_s: float = 0.0

    def add(self, took_s: float) -> None:
        self.buckets[bisect_left(BUCKETS_S, took_s)] += 1
        self.total_s += took_s


class Metrics:
    """Calls by method and outcome, and how long they took."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], int] = {}
        self._times: dict[str, _Histogram] = {}

    def count_call(self, method: str, outcome: str, took_s: float) -> None:
        """Count a call; ``outcome`` is ``ok``, ``cancelled`` or the kind of an error."""
        self._calls[method, outcome] = self._calls.get((method, outcome), 0) + 1
        times = self._times.get(method)
        if times is None:
            times = self._times[method] = _Histogram()
        times.add(took_s)

    def render(self, gauges: Iterable[Gauge]) -> str:
        """Everything counted so far, and ``gauges``."""
        lines = ["# HELP memd_calls_total Calls by method and outcome.", "# TYPE memd_calls_total counter"]
        for (method, outcome), count in sorted(self._calls.items()):
            lines.append(_sample("memd_calls_total", count, ("method", method), ("outcome", outcome)))
        lines += ["# HELP memd_call_seconds Time of calls.", "# TYPE memd_call_seconds histogram"]
        for method, times in sorted(self._times.items()):
            lines += _render_histogram(method, times)
        seen: set[str] = set()
        for gauge in sorted(gauges, key=lambda gauge: gauge.name):
            if gauge.name not in seen:
                lines += [f"# HELP {gauge.name} {gauge.meaning}", f"# TYPE {gauge.name} gauge"]
                seen.add(gauge.name)
            lines.append(_sample(gauge.name, gauge.value, *gauge.labels))
        return "\n".join(lines) + "\n"


def _render_histogram(method: str, times: _Histogram) -> list[str]:
    lines, count = [], 0
    bounds = [*(f"{bound:g}" for bound in BUCKETS_S), "+Inf"]
    for bound, added in zip(bounds, times.buckets, strict=True):
        count += added
        lines.append(_sample("memd_call_seconds_bucket", count, ("method", method), ("le", bound)))
    lines.append(_sample("memd_call_seconds_sum", times.total_s, ("method", method)))
    lines.append(_sample("memd_call_seconds_count", count, ("method", method)))
    return lines


def _sample(name: str, value: float, *labels: tuple[str, str]) -> str:
    shown = ",".join(f'{label}="{_escape(text)}"' for label, text in labels)
    return f"{name}{{{shown}}} {value}" if shown else f"{name} {value}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
