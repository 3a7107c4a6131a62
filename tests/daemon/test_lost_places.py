"""The workspace or the state folder is taken away while the daemon runs."""

import shutil
from collections.abc import Iterator

import pytest

from tests.daemon.clients import QUICK, page
from tests.daemons import RunningDaemon, short_folder

NOTE = "memory/2026-01-11.md"
QUICKLY_S = 8.0


@pytest.fixture(scope="module")
def living() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=QUICK) as running:
        yield running


@pytest.fixture
def daemon(living: RunningDaemon) -> RunningDaemon:
    """A daemon with one note; what one test does to its folders must not reach the next."""
    if (living.folder / "elsewhere").exists():
        (living.folder / "elsewhere").rename(living.workspace)
    (living.workspace / "memory/later.md").unlink(missing_ok=True)
    living.write(NOTE, "lastingword\n")
    living.wait_until(lambda: living.agent()["watch"]["mode"] == "events")
    living.settle()
    living.wait_until(lambda: bool(living.agent()["files"] == 1))
    return living


def await_loss(daemon: RunningDaemon) -> None:
    daemon.wait_until(lambda: daemon.agent()["freshness"] == "partial")


def await_return(daemon: RunningDaemon) -> None:
    daemon.wait_until(lambda: daemon.search_paths("lastingword") == [NOTE])
    daemon.wait_until(lambda: daemon.agent()["freshness"] == "fresh")
    assert (daemon.agent()["files"], daemon.call("status")["warnings"]) == (1, [])
    daemon.write("memory/later.md", "laterword\n")
    daemon.wait_until(lambda: daemon.search_paths("laterword") == ["memory/later.md"])


def test_a_workspace_that_is_removed_is_said_to_be_gone(daemon: RunningDaemon) -> None:
    shutil.rmtree(daemon.workspace)
    await_loss(daemon)

    answer = daemon.call("recall.search", query="lastingword")
    assert (answer["hits"], answer["freshness"], answer["empty_reason"]) == ([], "partial", "stale")
    agent = daemon.agent()
    assert (agent["files"], agent["chunks"], agent["sources"]) == (0, 0, [])
    (warning,) = daemon.call("status")["warnings"]
    assert "agents.main.workspace" in warning
    assert 'memd_files{agent="main"} 0' in page(daemon, "/metrics").text


def test_a_sync_after_the_workspace_went_says_partial_at_once(daemon: RunningDaemon) -> None:
    daemon.workspace.rename(daemon.folder / "elsewhere")
    daemon.call("index.sync")

    assert daemon.call("recall.search", query="lastingword")["freshness"] == "partial"


def test_a_workspace_that_is_renamed_away_and_back_is_as_before(daemon: RunningDaemon) -> None:
    daemon.workspace.rename(daemon.folder / "elsewhere")
    await_loss(daemon)
    (daemon.folder / "elsewhere").rename(daemon.workspace)

    await_return(daemon)


def test_a_workspace_that_is_made_anew_is_followed_and_its_state_kept(daemon: RunningDaemon) -> None:
    state = daemon.state_folder()
    shutil.rmtree(daemon.workspace)
    await_loss(daemon)
    daemon.write(NOTE, "lastingword\n")

    await_return(daemon)
    daemon.wait_until((daemon.workspace / "memory/.dreams/memd.json").exists)
    daemon.stop()
    daemon.start()
    assert daemon.state_folder() == state
    assert daemon.call("status")["warnings"] == []


@pytest.mark.parametrize("what", ["folder", "ledger"])
def test_a_state_that_is_taken_away_ends_the_daemon_and_a_start_makes_it_anew(
    daemon: RunningDaemon, what: str
) -> None:
    folder, before = daemon.state_folder(), daemon.log.stat().st_size
    if what == "folder":
        folder.rename(daemon.folder / "taken")  # at once: the daemon still writes into it
        assert page(daemon, "/health").status_code == 503
    else:
        for part in folder.glob("state.db*"):
            part.unlink()

    assert daemon.process is not None
    assert daemon.process.wait(timeout=QUICKLY_S) == 1
    told = daemon.log.read_bytes()[before:].decode()
    assert "the state folder" in told.splitlines()[-1]
    assert '"level": "critical"' in told

    daemon.start()
    daemon.wait_until(lambda: daemon.search_paths("lastingword") == [NOTE])
    (warning,) = daemon.call("status")["warnings"]
    assert "was lost" in warning
