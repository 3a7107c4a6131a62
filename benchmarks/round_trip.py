"""A trivial call over the socket, by each protocol."""

from collections.abc import Iterator

from benchmarks.latency import call_by_http, call_by_line, echo, running, serve
from benchmarks.latency import measure as measure_calls
from benchmarks.report import Row
from benchmarks.run import Run
from benchmarks.timing import Times

LINE_LIMIT_US = 150.0
HTTP_LIMIT_US = 1_000.0


def measure(run: Run) -> Iterator[Row]:
    """Lines and HTTP; the floor is a server that answers each line with a constant."""
    calls = run.pick(500, 5_000)
    run.progress.say("calling by line and by HTTP")
    with running(echo) as path:
        floor = Times.of(measure_calls(call_by_line, path, calls))
    with running(serve) as path:
        line = Times.of(measure_calls(call_by_line, path, calls))
        http = Times.of(measure_calls(call_by_http, path, calls))
    yield Row.at_most("trivial call by line, p50", line.p50_ms * 1000, "us", LINE_LIMIT_US)
    yield Row("trivial call by line, p50 against an echo", line.p50_ms * 1000, "us", floor.p50_ms * 1000)
    yield Row.at_most("trivial call by HTTP, p50", http.p50_ms * 1000, "us", HTTP_LIMIT_US)
