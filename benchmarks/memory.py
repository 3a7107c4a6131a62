"""How much memory an idle daemon holds."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.daemon import search, settled_daemon, warm_up
from benchmarks.generated_vectors import fill_vectors
from benchmarks.model import NoModel
from benchmarks.report import Finding, Row, Skipped
from benchmarks.run import Run
from tests.daemons import LineClient

KEYWORD_LIMIT_MB = 80.0
VECTORS_LIMIT_MB = 110.0
QUESTIONS = 50
REST_S = 6.0


def measure(run: Run) -> Iterator[Finding]:
    """A daemon that has answered some searches and then rests, without vectors and with them."""
    if not Path("/proc/self/smaps_rollup").exists():
        yield Skipped("memory", "it is read from /proc, which this system has not")
        return
    questions = run.questions(QUESTIONS)
    prepared = run.workspaces.of_chunks(run.smallest)
    run.progress.say("measuring memory")
    with settled_daemon(prepared) as daemon:
        with LineClient(daemon.socket) as client:
            for question in questions:
                search(client, question, mode="keyword")
        yield from _rows(f"memory by keyword, {prepared.chunks:,} chunks", daemon.pid, KEYWORD_LIMIT_MB)
    if isinstance(run.model, NoModel):
        return
    fill_vectors(prepared, run.model.id, run.model.embed_queries(questions))
    with settled_daemon(prepared, run.model.env) as daemon:
        with LineClient(daemon.socket) as client:
            warm_up(client, questions)
        yield from _rows(f"memory with vectors, {prepared.chunks:,} chunks", daemon.pid, VECTORS_LIMIT_MB)
        for child in children(daemon.pid):
            yield Row("memory of the embedding process", read_mb(child, "status", "VmRSS"), "MB")


def _rows(what: str, pid: int, limit_mb: float) -> Iterator[Row]:
    time.sleep(REST_S)
    yield Row.at_most(f"{what}, resident", read_mb(pid, "status", "VmRSS"), "MB", limit_mb)
    yield Row(f"{what}, proportional share", read_mb(pid, "smaps_rollup", "Pss"), "MB")


def read_mb(pid: int, file: str, name: str) -> float:
    """One figure of a file of /proc/PID, in megabytes."""
    text = Path(f"/proc/{pid}/{file}").read_text(encoding="ascii")
    found = re.search(rf"^{name}:\s+(\d+) kB$", text, re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024 / 1e6


def children(pid: int) -> list[int]:
    """The processes that ``pid`` started and that still run."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()]
