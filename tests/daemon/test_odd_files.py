"""One odd file is skipped and named with its reason; the others are indexed."""

import json
import os
from collections.abc import Iterator

import pytest

from tests.daemon import unprivileged
from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder
from tests.files.unprivileged import NOBODY

NOTES = {
    "memory/a.md": "goodword of apples in the cellar\n",
    "memory/b.md": "every winter the goodword needs new tyres\n",
    "memory/c.md": "call the plumber about that goodword\n",
}
GOOD = list(NOTES)


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        running = RunningDaemon(folder, env=PATIENT, command=unprivileged.COMMAND)
        for name, text in NOTES.items():
            running.write(name, text)
        (folder / "target.md").write_text("goodword behind a link\n", encoding="utf-8")
        (running.workspace / "USER.md").symlink_to(folder / "target.md")
        running.write("memory/closed.md", "goodword\n").chmod(0)
        os.mkfifo(running.workspace / "memory/pipe.md")
        (running.workspace / "memory/latin.md").write_bytes(b"goodword caf\xe9\n")
        (running.workspace / "memory/binary.md").write_bytes(b"goodword \0 end\n")
        (running.workspace / os.fsdecode(b"memory/n\xe4me.md")).write_text("goodword\n", encoding="utf-8")
        running.write("memory/big.md", "goodword " * 600_000)
        if os.geteuid() == 0:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        with running:
            running.wait_until(lambda: running.agent()["watch"]["last_scan_at"] is not None)
            yield running


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root is let in everywhere")
def test_root_may_ask_the_daemon_of_another_user(daemon: RunningDaemon) -> None:
    assert daemon.socket.stat().st_uid == NOBODY
    assert daemon.call("status")["pid"] == daemon.pid


def test_the_good_notes_are_found(daemon: RunningDaemon) -> None:
    assert sorted(daemon.search_paths("goodword", min_score=0)) == GOOD


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("USER.md", "symlink"),
        ("memory/closed.md", "unreadable"),
        ("memory/pipe.md", "not_regular"),
        ("memory/latin.md", "not_utf8"),
        ("memory/binary.md", "binary"),
        ("memory/n\\xe4me.md", "name_not_utf8"),
        ("memory/big.md", "too_large"),
    ],
)
def test_status_names_each_odd_file_and_why_it_is_left_out(
    daemon: RunningDaemon, path: str, reason: str
) -> None:
    skipped = {one["path"]: one["reason"] for one in daemon.agent()["skipped"]}

    assert skipped[path] == reason


def test_the_command_line_counts_them_and_names_them_as_json(daemon: RunningDaemon) -> None:
    assert (
        f"{len(daemon.agent()['skipped'])} files, all in memd status --json" in daemon.memd("status").stdout
    )
    skipped = json.loads(daemon.memd("status", "--json").stdout)["agents"][0]["skipped"]
    assert {"path": "memory/pipe.md", "reason": "not_regular"} in skipped


def test_an_odd_file_that_is_mended_is_found(daemon: RunningDaemon) -> None:
    (daemon.workspace / "memory/binary.md").write_text("mendedword\n", encoding="utf-8")

    daemon.wait_until(lambda: daemon.search_paths("mendedword") == ["memory/binary.md"])
    daemon.wait_until(lambda: "memory/binary.md" not in [one["path"] for one in daemon.agent()["skipped"]])
    (daemon.workspace / "memory/binary.md").write_bytes(b"goodword \0 end\n")
    daemon.wait_until(lambda: daemon.agent()["files"] == len(GOOD))


def test_files_that_go_while_they_are_looked_at_harm_nobody(daemon: RunningDaemon) -> None:
    for number in range(60):
        note = daemon.write(f"memory/short/{number}.md", f"fleeting{number}\n")
        if number % 3 == 0:
            daemon.call("index.sync", wait=False)
        note.unlink()

    daemon.wait_until(lambda: daemon.agent()["files"] == len(GOOD) and daemon.agent()["pending"] == 0)
    assert sorted(daemon.search_paths("goodword", min_score=0)) == GOOD
