"""One daemon for a socket and for a workspace; what a dead one left behind stops nobody."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.cli.exits import BAD_CONFIG, LOCKED
from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, run_memd, short_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as path:
        yield path


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as running:
        running.write("memory/a.md", "firstword\n")
        running.settle()
        yield running


@pytest.mark.slow
def test_a_second_daemon_on_the_same_socket_leaves_the_first_alone(daemon: RunningDaemon) -> None:
    inode = daemon.socket.stat().st_ino

    second = run_memd("run", "--workspace", str(daemon.workspace), env=daemon.env)

    assert second.returncode == LOCKED
    assert second.stderr == "memd: a daemon already runs on this socket\n"
    assert daemon.socket.stat().st_ino == inode
    assert daemon.search_paths("firstword") == ["memory/a.md"]


@pytest.mark.parametrize("state", ["state", "other"])
def test_a_second_daemon_on_the_same_workspace_is_refused(daemon: RunningDaemon, state: str) -> None:
    other = daemon.folder / "o.sock"
    env = daemon.env | {"MEMD_SOCKET": str(other), "MEMD_STATE_DIR": str(daemon.folder / state)}

    second = run_memd("run", "--workspace", str(daemon.workspace), env=env)

    assert second.returncode == LOCKED
    assert second.stderr == "memd: another daemon has this workspace\n"
    assert not other.exists()
    assert daemon.search_paths("firstword") == ["memory/a.md"]


@pytest.mark.slow
def test_two_daemons_for_two_workspaces_run_side_by_side(daemon: RunningDaemon) -> None:
    with short_folder() as folder:
        other = RunningDaemon(folder, env=PATIENT | {"MEMD_STATE_DIR": str(daemon.folder / "state")})
        other.write("memory/b.md", "secondword\n")
        with other:
            other.settle()
            assert other.search_paths("secondword") == ["memory/b.md"]
            assert daemon.search_paths("secondword") == []


def test_the_command_line_writes_nothing_beside_a_running_daemon(daemon: RunningDaemon) -> None:
    daemon.write("memory/b.md", "secondword\n")

    forced = daemon.memd("sync", "--force", "--json")
    found = daemon.memd("search", "secondword", "--json")

    assert (forced.returncode, found.returncode) == (0, 0)
    assert '"path": "memory/b.md"' in found.stdout
    assert daemon.pid == daemon.call("status")["pid"]


def test_a_killed_daemon_s_socket_and_locks_are_taken_over_at_once(daemon: RunningDaemon) -> None:
    daemon.kill()
    assert daemon.socket.is_socket()
    assert (daemon.folder / "m.sock.lock").exists()

    daemon.start()

    assert daemon.search_paths("firstword") == ["memory/a.md"]


@pytest.mark.slow
def test_a_lock_file_that_names_a_living_process_holds_nobody_up(folder: Path) -> None:
    (folder / "m.sock.lock").write_text(f"{os.getpid()}\n", encoding="ascii")

    with RunningDaemon(folder) as daemon:
        assert daemon.call("status")["pid"] == daemon.pid


def test_a_file_in_the_socket_s_place_is_not_removed(folder: Path) -> None:
    daemon = RunningDaemon(folder)
    daemon.workspace.mkdir()
    daemon.socket.write_text("precious", encoding="ascii")

    done = run_memd("run", "--workspace", str(daemon.workspace), env=daemon.env)

    assert done.returncode == BAD_CONFIG
    assert daemon.socket.read_text(encoding="ascii") == "precious"


def test_a_stopped_daemon_leaves_no_socket(daemon: RunningDaemon) -> None:
    assert daemon.stop() == 0

    assert not daemon.socket.exists()
    daemon.start()


@pytest.mark.slow
def test_a_moved_workspace_says_how_to_take_its_state_along(daemon: RunningDaemon) -> None:
    daemon.stop()
    moved = daemon.folder / "moved"
    daemon.workspace.rename(moved)
    with short_folder() as folder:
        env = daemon.env | {"MEMD_SOCKET": str(folder / "m.sock")}
        again = RunningDaemon(folder, env=env)
        again.workspace = moved
        with again:
            again.settle()
            (warning,) = again.call("status")["warnings"]

    assert "this workspace was moved here" in warning
    assert "/" not in warning
