"""What the index was made with: kept over restarts, and made anew when it is lost or differs."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder

pytestmark = pytest.mark.slow

NOTES = 500


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A workspace whose index was built, by a daemon that has stopped."""
    with short_folder() as path:
        with RunningDaemon(path, env=PATIENT) as daemon:
            for number in range(NOTES):
                daemon.write(f"memory/{number}.md", f"note number{number}\n")
            daemon.settle()
        yield path


def index_of(daemon: RunningDaemon) -> Path:
    return daemon.state_folder() / "index-1.db"


def test_an_index_that_was_built_is_searched_after_a_restart(folder: Path) -> None:
    daemon = RunningDaemon(folder, env=PATIENT)
    inode = index_of(daemon).stat().st_ino
    with daemon:
        assert daemon.search_paths("number417") == ["memory/417.md"]
        report = daemon.call("index.sync")
        assert (report["added"], report["changed"], report["unchanged"]) == (0, 0, NOTES)
        assert daemon.call("job.list")["jobs"] == []
        assert index_of(daemon).stat().st_ino == inode


def test_a_lost_identity_row_costs_a_rebuild_and_no_answer(folder: Path) -> None:
    daemon = RunningDaemon(folder, env=PATIENT)
    with sqlite3.connect(index_of(daemon)) as connection:
        assert connection.execute("DELETE FROM identity").rowcount == 1
    connection.close()
    with daemon:
        assert daemon.search_paths("number417") == ["memory/417.md"]
        await_rebuilt(daemon)
        assert daemon.search_paths("number417") == ["memory/417.md"]
    assert identity(daemon) == (400, 80)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"MEMD_CHUNKING__TOKENS": "100", "MEMD_CHUNKING__OVERLAP": "10"}, (100, 10)),
        ({"MEMD_SEARCH__LANGUAGES": '["de"]'}, (400, 80)),
    ],
    ids=["chunking", "languages"],
)
def test_other_settings_rebuild_the_index_while_the_old_one_answers(
    folder: Path, settings: dict[str, str], expected: tuple[int, int]
) -> None:
    daemon = RunningDaemon(folder, env=PATIENT | settings)
    with daemon:
        await_rebuilt(daemon)
        assert daemon.search_paths("number417") == ["memory/417.md"]
    assert identity(daemon) == expected


def await_rebuilt(daemon: RunningDaemon) -> None:
    """Wait for the rebuild that the daemon starts by itself, asking the index all the while."""

    def is_done() -> bool:
        assert daemon.search_paths("number5") == ["memory/5.md"]
        return [(job["kind"], job["state"]) for job in daemon.call("job.list")["jobs"]] == [
            ("rebuild", "done")
        ]

    daemon.wait_until(is_done)


def identity(daemon: RunningDaemon) -> tuple[int, int]:
    connection = sqlite3.connect(index_of(daemon))
    (row,) = connection.execute("SELECT chunk_tokens, chunk_overlap FROM identity").fetchall()
    connection.close()
    return row[0], row[1]
