"""``memd lint``, with a daemon and without one."""

import json
from pathlib import Path

import pytest

from openclaw_memd.cli.exits import BAD_CONFIG, DONE, FAILED, USAGE
from tests.cli.fake_daemon import FakeDaemon
from tests.daemons import daemon_env, run_memd

BAD = "# Core\r\n\r\n- It rains. <!-- importance: 11 -->\r\n"


@pytest.fixture
def env(folder: Path) -> dict[str, str]:
    (folder / "ws").mkdir()
    return daemon_env(folder, MEMD_WORKSPACE=str(folder / "ws"))


def test_the_daemon_is_asked_where_one_runs(fake: FakeDaemon, env: dict[str, str]) -> None:
    finding = {"file": "MEMORY.md", "line": 3, "rule": "secret", "detail": "it\x1b holds"}
    fake.answers["memory.lint"] = lambda _: {"findings": [finding]}
    done = run_memd("lint", "MEMORY.md", env=env)
    assert (done.returncode, done.stdout) == (FAILED, "MEMORY.md:3  secret  it holds\n")
    assert (done.stderr, fake.asked("memory.lint")) == ("1 finding\n", [{"file": "MEMORY.md"}])


def test_without_a_daemon_the_files_are_read_here(env: dict[str, str], folder: Path) -> None:
    (folder / "ws/MEMORY.md").write_text(BAD, newline="")
    (folder / "ws/Memory.md").write_text("- old\n")
    (folder / "ws/USER.md").symlink_to("MEMORY.md")
    done = run_memd("lint", "--json", env=env)
    found = [(one["file"], one["line"], one["rule"]) for one in json.loads(done.stdout)["findings"]]
    assert done.returncode == FAILED
    assert found == [
        ("MEMORY.md", 3, "bad_importance"),
        ("Memory.md", 1, "name_case"),
        ("USER.md", 1, "unreadable"),
    ]
    assert len(run_memd("lint", "USER.md", env=env).stdout.splitlines()) == 1
    assert (folder / "ws/MEMORY.md").read_bytes() == BAD.encode()


def test_nothing_to_look_at_is_said(env: dict[str, str]) -> None:
    done = run_memd("lint", env=env)
    assert (done.returncode, done.stdout) == (DONE, "nothing to look at\n")


def test_the_budget_is_the_configured_one(env: dict[str, str], folder: Path) -> None:
    (folder / "ws/USER.md").write_text(
        "<!-- observed: 2026-01-11 | status: active -->\n- Always " + "x " * 200
    )
    done = run_memd("lint", env=env | {"MEMD_INJECT__USER_CHARS": "300"})
    assert done.stdout == "USER.md:2  over_budget  the file has 456 characters, 300 are of use\n"
    assert run_memd("lint", env=env).returncode == DONE


def test_what_cannot_be_looked_at_is_refused(env: dict[str, str], folder: Path) -> None:
    assert run_memd("lint", "SOUL.md", env=env).returncode == USAGE
    assert run_memd("lint", "--agent", "nobody", env=env).returncode == BAD_CONFIG
    (folder / "ws").rmdir()
    gone = run_memd("lint", env=env)
    assert (gone.returncode, str(folder) in gone.stderr) == (BAD_CONFIG, False)
