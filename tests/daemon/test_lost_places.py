"""The workspace or the state folder is taken away while the daemon runs."""

import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.daemon.clients import PATIENT, page
from tests.daemons import LIMIT_S, LineClient, RunningDaemon, short_folder

NOTE = "memory/2026-01-11.md"
OWNER = {"sender": {"is_owner": True}, "chat_type": "direct"}


@pytest.fixture(scope="module")
def living() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as running:
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


def await_look(daemon: RunningDaemon) -> None:
    """Wait until the daemon has just looked whether its places are there, so that it does not for a while.

    It marks a workspace that was made anew when it looks.
    """
    kept, marker = daemon.folder / "kept", daemon.workspace / "memory/.dreams/memd.json"
    daemon.workspace.rename(kept)
    daemon.write(NOTE, "lastingword\n")
    daemon.wait_until(marker.exists)
    shutil.rmtree(kept)


def await_loss(daemon: RunningDaemon) -> None:
    daemon.wait_until(lambda: daemon.agent()["freshness"] == "partial")


def await_return(daemon: RunningDaemon) -> None:
    daemon.wait_until(lambda: daemon.search_paths("lastingword") == [NOTE])
    daemon.wait_until(lambda: daemon.agent()["freshness"] == "fresh")
    assert (daemon.agent()["files"], daemon.call("status")["warnings"]) == (1, [])
    daemon.write("memory/later.md", "laterword\n")
    daemon.wait_until(lambda: daemon.search_paths("laterword") == ["memory/later.md"])


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_a_note_goes_to_the_folder_that_took_the_workspace_s_place_a_moment_ago(
    daemon: RunningDaemon,
) -> None:
    """Notes are written into the folder at the path, also before anybody noticed that it is another one."""
    daemon.call("note.append", text="- it was noted", context=OWNER)
    moved = daemon.folder / "moved"
    daemon.workspace.rename(moved)
    (daemon.workspace / "memory").mkdir(parents=True)

    answer = daemon.call("note.append", text="- it is noted anew", context=OWNER)

    assert not answer["spooled"]
    assert (daemon.workspace / answer["path"]).read_text().endswith("- it is noted anew\n")
    assert "anew" not in (moved / answer["path"]).read_text()
    shutil.rmtree(daemon.workspace)
    moved.rename(daemon.workspace)
    (daemon.workspace / answer["path"]).unlink()


def test_a_note_for_a_workspace_that_has_just_gone_waits(daemon: RunningDaemon) -> None:
    daemon.workspace.rename(daemon.folder / "elsewhere")

    assert daemon.call("note.append", text="- it waits", context=OWNER)["spooled"]

    (daemon.folder / "elsewhere").rename(daemon.workspace)
    daemon.wait_until(lambda: daemon.agent()["spool"]["items"] == 0)
    notes = [path.read_text() for path in (daemon.workspace / "memory").glob("*.md")]
    assert sum(text.count("- it waits\n") for text in notes) == 1
    for path in (daemon.workspace / "memory").glob("*.md"):
        path.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["folder", "ledger"])
def test_a_state_that_is_taken_away_ends_the_daemon_and_a_start_makes_it_anew(
    daemon: RunningDaemon, what: str
) -> None:
    folder, before = daemon.state_folder(), daemon.log.stat().st_size
    await_look(daemon)
    if what == "folder":
        folder.rename(daemon.folder / "taken")  # at once: the daemon still writes into it
        assert page(daemon, "/health").status_code == 503
    else:
        for part in folder.glob("state.db*"):
            part.unlink()

    assert daemon.process is not None
    assert daemon.process.wait(timeout=LIMIT_S) == 1
    told = daemon.log.read_bytes()[before:].decode()
    assert "the state folder" in told.splitlines()[-1]
    assert '"level": "critical"' in told

    daemon.start()
    daemon.wait_until(lambda: daemon.search_paths("lastingword") == [NOTE])
    (warning,) = daemon.call("status")["warnings"]
    assert "was lost" in warning


@pytest.mark.slow
def test_a_ledger_that_goes_while_it_is_asked_is_not_made_anew_behind_its_users(
    daemon: RunningDaemon,
) -> None:
    """Before the look that notices the loss, nothing is taken in by a ledger that holds nothing else."""
    folder = daemon.state_folder()
    with LineClient(daemon.socket) as client:
        client.call("note.append", text="- it was there", context=OWNER)
        await_look(daemon)
        for part in folder.glob("state.db*"):
            part.unlink()
        answers = ask_until_it_ends(client)

    assert daemon.process is not None
    assert daemon.process.wait(timeout=LIMIT_S) == 1
    assert answers
    told = [answer["error"]["data"] for answer in answers]
    assert {one["kind"] for one in told} == {"unavailable"}
    assert "no_folder" in {one["reason"] for one in told} <= {"no_folder", "closed"}  # it ends meanwhile
    assert not (folder / "state.db").exists()
    daemon.start()


def ask_until_it_ends(client: LineClient) -> list[Any]:
    """The answers to notes that are appended without a pause, until the daemon ends."""
    answers = []
    ends_at = time.monotonic() + LIMIT_S
    try:
        while time.monotonic() < ends_at:
            client.send("note.append", text="- it is not taken in", context=OWNER)
            answers.append(client.receive())
    except OSError:
        return answers
    raise AssertionError("it does not end")
