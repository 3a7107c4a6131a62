"""Much is written while many ask: nobody meets a locked database."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import LineClient, RunningDaemon, short_folder

FILES = 100
CHUNKS_PER_FILE = 150
CHUNKS = FILES * CHUNKS_PER_FILE
CLIENTS = 8
SHORT_CHUNKS = {"MEMD_CHUNKING__TOKENS": "32", "MEMD_CHUNKING__OVERLAP": "0"}
LINE = "unique{number} " + "filler words to make one chunk of the least size that there is, all alike. " * 2


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT | SHORT_CHUNKS) as running:
        running.write("memory/first.md", "firstword\n")
        running.settle()
        yield running


def ask_until(daemon: RunningDaemon, ended: Callable[[], bool], method: str, **params: Any) -> int:
    """Ask over one connection again and again; how many answers there were. Any error ends the test."""
    answers = 0
    with LineClient(daemon.socket) as client:
        while not ended():
            client.call(method, **params)
            answers += 1
    return answers


@pytest.mark.slow
def test_searches_and_status_answer_while_many_chunks_are_published(daemon: RunningDaemon) -> None:
    target = daemon.folder / "large"
    target.mkdir()
    for file in range(FILES):
        lines = (LINE.format(number=file * CHUNKS_PER_FILE + line) for line in range(CHUNKS_PER_FILE))
        (target / f"{file}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with ThreadPoolExecutor(CLIENTS + 1) as pool:
        target.rename(daemon.workspace / "memory/large")
        syncing = pool.submit(daemon.call, "index.sync", wait=False)
        asking = [
            pool.submit(ask_until, daemon, lambda: is_published(daemon), "recall.search", query="firstword")
            for _ in range(CLIENTS // 2)
        ] + [
            pool.submit(ask_until, daemon, lambda: is_published(daemon), "status")
            for _ in range(CLIENTS // 2)
        ]

        assert all(asked.result(timeout=600) > 1 for asked in asking)
        syncing.result(timeout=600)

    daemon.settle()
    assert daemon.agent()["chunks"] >= CHUNKS
    assert daemon.search_paths(f"unique{CHUNKS - 1}") == [f"memory/large/{FILES - 1}.md"]
    assert "lock" not in daemon.read_log()


def is_published(daemon: RunningDaemon) -> bool:
    agent = daemon.agent()
    return bool(agent["chunks"] >= CHUNKS and agent["freshness"] == "fresh")


@pytest.mark.slow
def test_a_rebuild_beside_searches_and_writes_loses_nothing(daemon: RunningDaemon) -> None:
    job = daemon.call("index.rebuild")["job_id"]

    def is_done() -> bool:
        assert daemon.search_paths("firstword") == ["memory/first.md"]
        return any(one["id"] == job and one["state"] == "done" for one in daemon.call("job.list")["jobs"])

    daemon.write("memory/meanwhile.md", "meanwhileword\n")
    assert daemon.call("index.rebuild")["job_id"] == job
    daemon.wait_until(is_done, limit_s=600)

    daemon.settle()
    assert daemon.search_paths("meanwhileword") == ["memory/meanwhile.md"]
