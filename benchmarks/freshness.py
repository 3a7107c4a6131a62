"""How soon a note that was saved is found."""

import time
from collections.abc import Iterator

from benchmarks.daemon import UnexpectedAnswerError, settled_daemon
from benchmarks.report import Row
from benchmarks.run import Run
from benchmarks.timing import Times
from tests.daemons import LineClient, RunningDaemon

LIMIT_MS = 2_000.0
POLL_S = 0.02
GIVE_UP_S = 30.0


def measure(run: Run) -> Iterator[Row]:
    """Saves of a new word into one note and searches for it, one after the other."""
    prepared = run.workspaces.of_chunks(run.smallest)
    saves = run.pick(5, 30)
    seconds = []
    with settled_daemon(prepared) as daemon, LineClient(daemon.socket) as client:
        for number in range(saves):
            run.progress.say(f"saving a note, {number + 1} of {saves}")
            seconds.append(_save_to_found_s(daemon, client, number))
    times = Times.of(seconds)
    yield Row.at_most("save to searchable, p95", times.p95_ms, "ms", LIMIT_MS)
    yield Row("save to searchable, p50", times.p50_ms, "ms")


def _save_to_found_s(daemon: RunningDaemon, client: LineClient, number: int) -> float:
    word = f"fresh{time.time_ns()}x{number}"
    saved_at = time.perf_counter()
    daemon.write("memory/2026-01-11-fresh.md", f"# Saved\n\n- The newest word is {word}.\n")
    while time.perf_counter() - saved_at < GIVE_UP_S:
        hits = client.call("recall.search", query=word)["hits"]
        if any(word in hit["text"] for hit in hits):
            return time.perf_counter() - saved_at
        time.sleep(POLL_S)
    raise UnexpectedAnswerError("a saved note was not found")
