"""``memd remember``."""

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import DONE, FAILED, USAGE
from tests.cli.fake_daemon import FakeDaemon
from tests.cli.terminals import type_memd
from tests.daemons import RunningDaemon, daemon_env, run_memd

ANSWER = {"file": "MEMORY.md", "line": 3, "end_line": 4, "hash": "0" * 64, "superseded": [], "appended": True}


def test_a_script_is_the_owner_only_when_it_says_so(writable: RunningDaemon) -> None:
    denied = writable.memd("remember", "The heron nests late.")
    assert (denied.returncode, denied.stdout) == (FAILED, "")
    assert "--as-owner" in denied.stderr

    done = writable.memd("remember", "The heron nests late.", "--as-owner", "--key", "heron")
    assert (done.returncode, done.stdout[:10], done.stderr) == (DONE, "MEMORY.md#", "")
    assert "heron" in writable.memd("search", "heron nests").stdout


def test_the_owner_on_a_terminal_replaces_and_sees_what_went(writable: RunningDaemon) -> None:
    writable.memd("remember", "The otter swims at dawn.", "--as-owner", "--key", "otter")
    done = type_memd("remember", "The otter swims at night.", "--key", "otter", env=writable.env)
    place, replaced = done.stdout.splitlines()
    assert place.startswith("MEMORY.md#L")
    assert replaced.startswith("  instead of: - The otter swims at dawn.")
    again = writable.memd("remember", "the otter swims at night", "--as-owner")
    assert again.stdout == f"{place}  [there already]\n"


def test_a_warning_is_no_failure(writable: RunningDaemon) -> None:
    done = writable.memd("remember", "Ana lives in Graz.", "--file", "USER.md", "--as-owner")
    assert (done.returncode, done.stdout[:8]) == (DONE, "USER.md#")
    assert done.stderr == "warning: not an instruction: begin with Always, Never or Prefer\n"


def test_every_option_is_sent(fake: FakeDaemon, folder: Path) -> None:
    fake.answers["memory.remember"] = lambda _: ANSWER
    arguments = [
        "It",
        "rains.",
        "--file",
        "USER.md",
        "--importance",
        "3",
        "--trigger",
        "a b",
        "--trigger",
        "c",
    ]
    arguments += ["--key", "k", "--project", "o/r", "--replaces", "It snows.", "--review", "2026-02-01"]
    arguments += ["--expires", "2026-03-01", "--as-owner", "--json"]
    done = run_memd("remember", *arguments, env=daemon_env(folder))
    assert json.loads(done.stdout) == ANSWER
    (sent,) = fake.asked("memory.remember")
    assert sent.pop("context")["sender"]["is_owner"] is True
    assert sent == {
        "text": "It rains.",
        "file": "USER.md",
        "importance": 3,
        "triggers": ["a b", "c"],
        "supersedes_key": "k",
        "project": "o/r",
        "replaces": "It snows.",
        "review": "2026-02-01",
        "expires": "2026-03-01",
    }


def test_the_text_may_come_from_standard_input(fake: FakeDaemon, folder: Path) -> None:
    fake.answers["memory.remember"] = lambda _: ANSWER
    done = run_memd("remember", "-", "--as-owner", env=daemon_env(folder), given="one\ntwo\n")
    assert done.stdout == "MEMORY.md#L3-L4\n"
    assert [sent["text"] for sent in fake.asked("memory.remember")] == ["one\ntwo\n"]


def test_no_letter_of_an_old_entry_drives_the_terminal(fake: FakeDaemon, folder: Path) -> None:
    odd: dict[str, Any] = {"superseded": ["- a\x1b[2J\n  b"], "warning": "x\x1by"}
    fake.answers["memory.remember"] = lambda _: ANSWER | odd
    done = run_memd("remember", "c", "--as-owner", env=daemon_env(folder))
    assert done.stdout == "MEMORY.md#L3-L4\n  instead of: - a[2J\n  instead of:   b\n"
    assert done.stderr == "warning: xy\n"


@pytest.mark.parametrize("arguments", [("a", "--file", "SOUL.md"), ("a", "--importance", "high")])
def test_a_wrong_command_line_is_refused(folder: Path, arguments: tuple[str, ...]) -> None:
    assert run_memd("remember", *arguments, env=daemon_env(folder)).returncode == USAGE
