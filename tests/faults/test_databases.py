"""Whatever is done to the index's files, the daemon answers from the notes again, by itself."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, RunningDaemon, short_folder

NOTES = 60

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def living() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        running = RunningDaemon(folder, env=PATIENT)
        for number in range(NOTES):
            running.write(f"memory/{number}.md", f"note number{number}\n\n" + "more of it\n" * number)
        with running:
            yield running


@pytest.fixture
def daemon(living: RunningDaemon) -> RunningDaemon:
    """A daemon with a whole index; what one test does to it must not reach the next."""
    if living.process is None:
        living.start()
    living.settle()
    living.wait_until(lambda: bool(living.agent()["files"] == NOTES))
    return living


def index_of(daemon: RunningDaemon) -> Path:
    return daemon.state_folder() / "index-1.db"


def answers(daemon: RunningDaemon) -> bool:
    """Whether every note is found where it is; an index that is being mended may say so meanwhile."""
    try:
        return all(
            daemon.search_paths(f"number{number}")[:1] == [f"memory/{number}.md"]
            for number in range(0, NOTES, 7)
        )
    except DaemonError as refused:
        if refused.error["data"]["kind"] != "unavailable":
            raise
        return False


def assert_recovers(daemon: RunningDaemon) -> None:
    """Old notes are found, a new one too, and the database is sound."""
    daemon.wait_until(lambda: answers(daemon))
    fresh = daemon.workspace / "memory/fresh.md"
    fresh.write_text("freshword\n", encoding="utf-8")
    daemon.wait_until(lambda: daemon.search_paths("freshword") == ["memory/fresh.md"])
    fresh.unlink()
    daemon.wait_until(lambda: daemon.agent()["files"] == NOTES and daemon.agent()["freshness"] == "fresh")
    assert daemon.call("status", deep=True)["state"] == "ok"


def remove_side_files(index: Path) -> None:
    for suffix in ("-wal", "-shm"):
        index.with_name(index.name + suffix).unlink()


def remove_log(index: Path) -> None:
    index.with_name(index.name + "-wal").unlink()


def remove_all(index: Path) -> None:
    for path in index.parent.glob("index-1.db*"):
        path.unlink()


def swap_for_an_empty_index(index: Path) -> None:
    other = index.with_name("other.db")
    with closing(sqlite3.connect(index)) as source, closing(sqlite3.connect(other)) as target:
        source.backup(target)
        target.executescript("DELETE FROM chunks; DELETE FROM files;")
    other.replace(index)


def swap_for_its_own_copy(index: Path) -> None:
    other = index.with_name("other.db")
    shutil.copyfile(index, other)  # without the log
    other.replace(index)


def swap_for_garbage(index: Path) -> None:
    other = index.with_name("other.db")
    other.write_bytes(b"garbage " * 10_000)
    other.replace(index)


def overwrite_the_middle(index: Path) -> None:
    with index.open("r+b") as file:
        file.seek(index.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096 * 4)


def overwrite_all_but_the_head(index: Path) -> None:
    with index.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (index.stat().st_size - 4096))


@pytest.mark.slow
@pytest.mark.parametrize(
    "break_it",
    [
        remove_side_files,
        remove_log,
        remove_all,
        swap_for_an_empty_index,
        swap_for_its_own_copy,
        swap_for_garbage,
    ],
    ids=lambda function: function.__name__,
)
def test_it_recovers_from_what_happens_while_it_runs(
    daemon: RunningDaemon, break_it: Callable[[Path], None]
) -> None:
    break_it(index_of(daemon))

    assert_recovers(daemon)


@pytest.mark.slow
@pytest.mark.parametrize(
    "break_it",
    [remove_all, swap_for_garbage, overwrite_the_middle, overwrite_all_but_the_head],
    ids=lambda function: function.__name__,
)
def test_it_recovers_from_what_happened_while_it_was_stopped(
    daemon: RunningDaemon, break_it: Callable[[Path], None]
) -> None:
    daemon.stop()
    break_it(index_of(daemon))
    daemon.start()

    assert_recovers(daemon)


@pytest.mark.slow
def test_it_recovers_from_a_copy_without_its_log(daemon: RunningDaemon) -> None:
    daemon.kill()
    index_of(daemon).with_name("index-1.db-wal").unlink()
    daemon.start()

    assert_recovers(daemon)


def test_damaged_pages_are_found_by_a_deep_look(daemon: RunningDaemon) -> None:
    overwrite_the_middle(index_of(daemon))

    daemon.call("status", deep=True)

    assert_recovers(daemon)


def test_a_damaged_index_is_kept_aside_and_told_of(daemon: RunningDaemon) -> None:
    daemon.stop()
    swap_for_garbage(index_of(daemon))
    daemon.start()

    (warning,) = daemon.call("status")["warnings"]
    assert warning.startswith("the index database was damaged and is set aside as ")
    aside = daemon.state_folder() / warning.rpartition(" ")[2]
    assert aside.read_bytes().startswith(b"garbage ")
