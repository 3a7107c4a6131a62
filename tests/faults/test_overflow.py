"""More changes than the kernel keeps events for, while nobody reads them: all of them are found, soon."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.counts import tell
from tests.daemon.clients import PATIENT
from tests.daemons import LineClient, RunningDaemon, short_folder

FILES = int(os.environ.get("MEMD_OVERFLOW_FILES", "300"))
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
FOUND_LIMIT_S = 30.0 + FILES / 100
LETTERS = "bcdfghjklm"

pytestmark = [
    pytest.mark.fault,
    pytest.mark.slow,
    pytest.mark.skipif(not QUEUE.exists(), reason="only Linux has a queue that can be looked at"),
]


def word(number: int, turn: int) -> str:
    return "".join(LETTERS[int(digit)] for digit in f"{turn:03}{number:06}")


def change_all(daemon: RunningDaemon, turn: int) -> None:
    for number in range(FILES):
        path = daemon.workspace / f"memory/deep{number % 7}/{number}.md"
        path.write_text(f"# head\n\n{word(number, turn)} is here\n", encoding="utf-8")


@contextmanager
def asleep(daemon: RunningDaemon) -> Iterator[None]:
    os.kill(daemon.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(daemon.pid, signal.SIGCONT)


@pytest.fixture
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        running = RunningDaemon(folder, env=PATIENT)
        for number in range(7):
            (running.workspace / f"memory/deep{number}").mkdir(parents=True)
        change_all(running, 0)
        with running:
            running.settle()
            running.wait_until(lambda: running.agent()["watch"]["mode"] == "events")
            yield running


def test_what_changed_while_events_were_lost_is_found_by_itself(daemon: RunningDaemon) -> None:
    rounds = int(QUEUE.read_text()) // FILES // 2 + 3  # a write is two events at least
    with asleep(daemon):
        for turn in range(1, rounds):
            change_all(daemon, turn)
        gone = daemon.workspace / "memory/deep1/1.md"
        gone.unlink()
        fresh = daemon.workspace / "memory/new/nested/fresh.md"
        fresh.parent.mkdir(parents=True)
        fresh.write_text("freshword is here\n", encoding="utf-8")
    began_at = time.monotonic()
    last = rounds - 1
    sample = [number for number in range(FILES) if number != 1][:: max(1, FILES // 40)]
    with LineClient(daemon.socket) as client:

        def shows_all() -> bool:
            for number in sample:
                hits = client.call("recall.search", query=word(number, last))["hits"]
                if [hit["path"] for hit in hits] != [f"memory/deep{number % 7}/{number}.md"]:
                    return False
            return bool(client.call("recall.search", query="freshword")["hits"])

        daemon.wait_until(shows_all, limit_s=FOUND_LIMIT_S)
        assert client.call("recall.search", query=word(1, 0))["hits"] == []
        assert client.call("recall.search", query=word(sample[0], last - 1))["hits"] == []
    took_s = time.monotonic() - began_at
    tell(
        "overflow", f"{FILES} files, {(rounds - 1) * FILES} writes unseen, found in {took_s:.1f} s, 0 missing"
    )
    daemon.wait_until(lambda: daemon.agent()["files"] == FILES)
    daemon.write("memory/after.md", "afterword\n")
    daemon.wait_until(lambda: daemon.search_paths("afterword") == ["memory/after.md"])
