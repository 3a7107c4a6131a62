"""Counts for ``/metrics``, in Prometheus' text format (version 0.0.4)."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from openclaw_memd.gateway.metric_kinds import KINDS, Sample

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"

BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds: from a trivial call to the longest deadline."""

_TIMES = "memd_call_seconds"


@dataclass(slots=True)
class _Histogram:
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_S) + 1))
    total_s: float = 0.0

    def add(self, took_s: float) -> None:
        self.buckets[bisect_left(BUCKETS_S, took_s)] += 1
        self.total_s += took_s


class Metrics:
    """What the gateway counts: calls by method and outcome, how long they took, and what came of them."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], int] = {}
        self._times: dict[str, _Histogram] = {}
        self._counts: dict[tuple[str, tuple[str, ...]], int] = {}

    def count_call(self, method: str, outcome: str, took_s: float) -> None:
        """Count a call; ``outcome`` is ``ok``, ``cancelled`` or the kind of an error."""
        self._calls[method, outcome] = self._calls.get((method, outcome), 0) + 1
        times = self._times.get(method)
        if times is None:
            times = self._times[method] = _Histogram()
        times.add(took_s)

    def count(self, name: str, *labels: str, by: int = 1) -> None:
        """Add to the counter ``name``; ``labels`` are the values of its labels, codes of our own."""
        if by:
            key = (name, labels)
            self._counts[key] = self._counts.get(key, 0) + by

    def samples(self) -> Iterator[Sample]:
        """Everything counted so far but the times."""
        for key, count in self._calls.items():
            yield Sample("memd_calls_total", count, key)
        for (name, labels), count in self._counts.items():
            yield Sample(name, count, labels)

    def render(self, more: Iterable[Sample]) -> str:
        """Everything counted so far and ``more``, by metric in the order of ``KINDS``."""
        found: defaultdict[str, list[Sample]] = defaultdict(list)
        for sample in (*self.samples(), *more):
            found[sample.name].append(sample)
        lines: list[str] = []
        for name, kind in KINDS.items():
            if name == _TIMES:
                body = [line for method in sorted(self._times) for line in self._render_times(method)]
            else:
                samples = sorted(found.pop(name, ()), key=lambda sample: sample.labels)
                body = [_line(name, kind.labels, sample.labels, sample.value) for sample in samples]
            if body:
                lines += [f"# HELP {name} {kind.meaning}", f"# TYPE {name} {kind.type}", *body]
        if found:
            raise KeyError(f"metrics that nobody declared: {', '.join(sorted(found))}")
        return "\n".join(lines) + "\n"

    def _render_times(self, method: str) -> Iterator[str]:
        times, count = self._times[method], 0
        bounds = [*(f"{bound:g}" for bound in BUCKETS_S), "+Inf"]
        for bound, added in zip(bounds, times.buckets, strict=True):
            count += added
            yield _line(f"{_TIMES}_bucket", ("method", "le"), (method, bound), count)
        yield _line(f"{_TIMES}_sum", ("method",), (method,), times.total_s)
        yield _line(f"{_TIMES}_count", ("method",), (method,), count)


def _line(name: str, labels: tuple[str, ...], values: tuple[str, ...], value: float) -> str:
    shown = ",".join(f'{label}="{_escape(text)}"' for label, text in zip(labels, values, strict=True))
    return f"{name}{{{shown}}} {_number(value)}" if shown else f"{name} {_number(value)}"


def _number(value: float) -> str:
    if math.isfinite(value):
        return str(int(value)) if value == int(value) else repr(float(value))
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
