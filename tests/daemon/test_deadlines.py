"""An answer by the deadline, whatever is locked, large or busy."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.daemon.clients import QUICK
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

NOTES = 400
ENV = QUICK | {"MEMD_LIMITS__SYNC_MS": "50000"}
"""A sync may wait for a lock behind another one that waits for it too."""


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=ENV) as running:
        for number in range(NOTES):
            running.write(f"memory/{number}.md", f"note number{number}\n")
        running.settle()
        yield running


def error_of(daemon: RunningDaemon, method: str, **params: object) -> tuple[int, str]:
    with LineClient(daemon.socket) as client, pytest.raises(DaemonError) as failed:
        client.call(method, **params)
    return failed.value.error["code"], failed.value.error["data"]["kind"]


@pytest.mark.slow
def test_a_locked_database_keeps_no_reader_waiting_and_is_written_when_it_is_free(
    daemon: RunningDaemon,
) -> None:
    path = daemon.state_folder() / "index-1.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        daemon.write("memory/late.md", "lateword\n")
        assert error_of(daemon, "index.sync", deadline_ms=300) == (-32007, "deadline")
        for _ in range(20):
            answer = daemon.call("recall.search", query="number7", deadline_ms=1500)
            assert [hit["path"] for hit in answer["hits"]] == ["memory/7.md"]
            assert answer["freshness"] == "stale"
        assert daemon.agent()["pending"] >= 1
        other.execute("ROLLBACK")

    daemon.wait_until(lambda: daemon.search_paths("lateword") == ["memory/late.md"])


@pytest.mark.slow
def test_a_lock_that_outlasts_all_patience_is_told_and_survived(daemon: RunningDaemon) -> None:
    path = daemon.state_folder() / "index-1.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        daemon.write("memory/later.md", "laterword\n")
        assert error_of(daemon, "index.sync") == (-32004, "unavailable")
        other.execute("ROLLBACK")

    daemon.wait_until(lambda: daemon.search_paths("laterword") == ["memory/later.md"])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("word " * 100_000, (-32005, "too_large")),
        ("\ud800", (-32700, "parse")),
    ],
    ids=["500 kB", "a lone surrogate"],
)
def test_a_query_that_cannot_be_is_refused(
    daemon: RunningDaemon, query: str, expected: tuple[int, str]
) -> None:
    assert error_of(daemon, "recall.search", query=query) == expected


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "*",
        "number7 OR (",
        "NEAR(number7, 2",
        "col:number7",
        "-number7",
        "^number7",
        "number7'; DROP TABLE x",
    ],
)
def test_signs_of_the_query_language_below_mean_nothing(daemon: RunningDaemon, query: str) -> None:
    paths = daemon.search_paths(query, min_score=0)

    assert ("memory/7.md" in paths) is ("number7" in query)


def test_calls_are_answered_by_their_deadline_during_a_rebuild(daemon: RunningDaemon) -> None:
    asked = 0
    for _ in range(100):  # one may be over before anybody has asked
        job = daemon.call("index.rebuild")["job_id"]
        while any(one["id"] == job and one["state"] != "done" for one in daemon.call("job.list")["jobs"]):
            assert daemon.call("recall.search", query="number7", deadline_ms=1500)["hits"]
            asked += 1
        if asked:
            break
    assert asked


def test_a_deadline_of_nothing_is_told_as_such(daemon: RunningDaemon) -> None:
    path = daemon.state_folder() / "index-1.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        daemon.write("memory/0.md", "changed\n")

        assert error_of(daemon, "index.sync", deadline_ms=1) == (-32007, "deadline")
        other.execute("ROLLBACK")
    daemon.settle()
