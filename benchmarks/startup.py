"""How soon a daemon answers, and how long the command line takes to ask it."""

import statistics
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.daemon import settled_daemon
from benchmarks.report import Row
from benchmarks.run import Run
from benchmarks.timing import interleave, timed_s
from tests.daemons import RunningDaemon

READY_LIMIT_S = 1.0
TIMES_BARE_PYTHON = 5.0


def measure(run: Run) -> Iterator[Row]:
    """Start to the first answer; ``memd status`` against a Python that does nothing."""
    prepared = run.workspaces.of_chunks(run.smallest)
    run.progress.say("starting daemons")
    starts = [_start_s(RunningDaemon(prepared.folder)) for _ in range(run.pick(3, 7))]
    what = f"start to ready, {prepared.chunks:,} chunks"
    yield Row.at_most(what, statistics.median(starts), "s", READY_LIMIT_S)
    run.progress.say("running memd status")
    with settled_daemon(prepared) as daemon:
        nothing = (sys.executable, "-c", "pass")
        ours, floor = interleave(
            lambda _: daemon.memd("status").check_returncode(),
            lambda _: subprocess.run(nothing, env=daemon.env, capture_output=True, check=True),
            range(run.pick(10, 40)),
        )
    yield Row.within("memd status", ours.p50_ms, "ms", floor=floor.p50_ms, times=TIMES_BARE_PYTHON)


def _start_s(daemon: RunningDaemon) -> float:
    try:
        return timed_s(daemon.start)
    finally:
        daemon.stop()
