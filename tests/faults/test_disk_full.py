"""A full disk under the state folder: reading goes on, status tells, and room is all that is needed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.clients import PATIENT, page
from tests.daemons import LIMIT_S, MEMD, DaemonError, RunningDaemon, short_folder
from tests.faults.disks import can_mount, fill, small_disk

SMALL = 'mount -t tmpfs -o size=8m,mode=700 tmpfs "$MEMD_STATE_DIR" && exec "$@"'
LARGE_NOTE = "".join(f"filler{number} " for number in range(6_000))

OWNER = {"sender": {"is_owner": True}, "chat_type": "direct"}

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    """A daemon whose state lies on a small disk that only it sees; each test leaves room on it."""
    if not can_mount():
        pytest.skip("mounting needs root and a mount namespace")
    with short_folder() as folder:
        (folder / "state").mkdir()
        command = ("unshare", "-m", "sh", "-c", SMALL, "memd", *MEMD)
        with RunningDaemon(folder, env=PATIENT, command=command) as running:
            running.write("memory/a.md", "firstword\n")
            running.settle()
            yield running


def disk_of(daemon: RunningDaemon) -> Path:
    return Path(f"/proc/{daemon.pid}/root{daemon.folder}/state")


def kind_of_failure(daemon: RunningDaemon, method: str, **params: Any) -> tuple[str, str]:
    with pytest.raises(DaemonError) as failed:
        daemon.call(method, **params)
    data = failed.value.error["data"]
    return data["kind"], data.get("reason", "")


def test_reading_goes_on_and_writing_comes_back_with_the_room(daemon: RunningDaemon) -> None:
    ballast = fill(disk_of(daemon))
    daemon.write("memory/b.md", f"secondword\n\n{LARGE_NOTE}\n")

    assert kind_of_failure(daemon, "index.sync") == ("unavailable", "disk_full")
    daemon.wait_until(lambda: "the disk is full" in " ".join(daemon.call("status")["warnings"]))
    status = daemon.call("status")
    assert status["state"] == "degraded"
    assert daemon.search_paths("firstword") == ["memory/a.md"]
    assert daemon.call("recall.get", path="memory/a.md")["text"] == "firstword"
    assert "the disk is full" in daemon.memd("status").stdout

    ballast.unlink()

    daemon.wait_until(lambda: "memory/b.md" in daemon.search_paths("secondword"))
    daemon.wait_until(lambda: daemon.call("status")["state"] == "ok")
    assert daemon.call("status", deep=True)["warnings"] == []


def test_what_the_disk_refused_is_a_warning_until_a_write_works(daemon: RunningDaemon) -> None:
    ballast = fill(disk_of(daemon))
    text = LARGE_NOTE[:50_000]

    assert kind_of_failure(daemon, "note.append", text=text, context=OWNER)[0] == "unavailable"
    status = daemon.call("status")
    assert status["state"] == "degraded"
    assert "the last write to the ledger failed: the disk is full" in status["warnings"]
    assert page(daemon, "/health").status_code == 200  # its writer lives: a restart would not help
    ballast.unlink()

    daemon.call("note.append", text=text, context=OWNER)
    daemon.wait_until(lambda: daemon.call("status")["state"] == "ok")


def test_a_rebuild_without_room_fails_and_harms_nothing(daemon: RunningDaemon) -> None:
    files = daemon.settle()["files"]
    ballast = fill(disk_of(daemon))

    assert kind_of_failure(daemon, "index.rebuild", wait=True) == ("unavailable", "disk_full")
    assert daemon.search_paths("firstword") == ["memory/a.md"]
    ballast.unlink()

    assert daemon.call("index.rebuild", wait=True)["added"] == files
    assert daemon.search_paths("firstword") == ["memory/a.md"]


def test_a_start_without_room_fails_in_plain_words() -> None:
    if not can_mount():
        pytest.skip("mounting needs root and a mount namespace")
    with short_folder() as folder:
        (folder / "state").mkdir()
        full = SMALL.replace("size=8m", "size=16k")
        command = ("unshare", "-m", "sh", "-c", full, "memd", *MEMD)
        daemon = RunningDaemon(folder, env=PATIENT, command=command)
        daemon.launch()
        assert daemon.process is not None
        assert daemon.process.wait(timeout=LIMIT_S) == 1
        assert daemon.read_log().startswith("memd: the disk ")


def test_the_command_line_says_why_a_rebuild_was_not_done(daemon: RunningDaemon) -> None:
    ballast = fill(disk_of(daemon))

    done = daemon.memd("rebuild")
    ballast.unlink()

    assert (done.returncode, done.stdout) == (1, "")
    assert "the disk is full" in done.stderr


@pytest.mark.slow
def test_a_start_on_a_disk_that_became_full_fails_in_plain_words_and_loses_nothing() -> None:
    with short_folder() as folder, small_disk(folder / "state") as disk:
        daemon = RunningDaemon(folder, env=PATIENT, command=(*disk.inside, *MEMD))
        with daemon:
            daemon.write("memory/a.md", "firstword\n")
            daemon.settle()
        ballast = fill(disk.seen)
        daemon.launch()
        assert daemon.process is not None
        assert daemon.process.wait(timeout=LIMIT_S) == 1
        assert daemon.read_log().rstrip().endswith("memd: the disk is full")
        ballast.unlink()

        with daemon:
            daemon.wait_until(lambda: daemon.search_paths("firstword") == ["memory/a.md"])
            assert daemon.call("status")["warnings"] == []
