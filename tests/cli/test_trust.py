"""``memd trust``."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import DONE, FAILED
from tests.cli.fake_daemon import FakeDaemon, RefusalError
from tests.cli.terminals import type_memd
from tests.daemons import RunningDaemon, daemon_env, run_memd


def origins(daemon: RunningDaemon, word: str) -> set[str]:
    hits = json.loads(daemon.memd("search", word, "--json").stdout)["hits"]
    return {hit["origin"] for hit in hits}


def test_lines_are_raised_and_lowered_by_the_place_that_search_shows(writable: RunningDaemon) -> None:
    writable.memd("note", "A platypus swims.")
    writable.settle()
    place = writable.memd("search", "platypus").stdout.split("  ")[0]

    denied = writable.memd("trust", place)
    assert (denied.returncode, denied.stdout) == (FAILED, "")
    assert origins(writable, "platypus") == {"untrusted"}

    raised = writable.memd("trust", place, "--as-owner")
    *shown, told = raised.stdout.splitlines()
    assert (raised.returncode, told[-11:]) == (DONE, "now trusted")
    assert shown[-1] == "  - A platypus swims."
    writable.settle()
    assert origins(writable, "platypus") == {"agent"}
    assert writable.memd("trust", place, "--as-owner").stdout.splitlines()[-1] == "nothing to change"

    lowered = writable.memd("trust", place, "--lower", "--json")
    assert json.loads(lowered.stdout)["changed"] >= 1
    writable.settle()
    assert origins(writable, "platypus") == {"untrusted"}


def test_the_owner_on_a_terminal_may_raise(writable: RunningDaemon) -> None:
    writable.write("memory/trip-untrusted.md", "- A numbat runs far.\n- A dunnart hides.\n")
    writable.settle()

    assert "[untrusted]" in type_memd("search", "numbat", env=writable.env).stdout

    done = type_memd("trust", "memory/trip-untrusted.md", env=writable.env)
    writable.settle()

    assert done.stdout == "  - A numbat runs far.\n  - A dunnart hides.\n2 lines now trusted\n"
    assert origins(writable, "numbat") == {"agent"}


def got(text: str, first: int = 1, **more: Any) -> dict[str, Any]:
    lines = text.count("\n") + 1
    return {
        "status": "ok",
        "text": text,
        "from": first,
        "lines": lines,
        "total_lines": first + lines - 1,
        **more,
    }


@pytest.mark.parametrize(
    ("place", "answer", "sent"),
    [
        ("a.md#L3-L4", got("b\nc", 3), {"start_line": 3, "end_line": 4}),
        ("a.md#L3", got("\tb\r", 3), {"start_line": 3, "end_line": 3}),
        ("a.md", got("a\n\nc"), {"start_line": 1, "end_line": 3}),
    ],
)
def test_the_lines_that_are_shown_are_those_that_are_named(
    fake: FakeDaemon, folder: Path, place: str, answer: dict[str, Any], sent: Any
) -> None:
    fake.answers |= {"recall.get": lambda _: answer, "memory.trust": lambda _: {"changed": 1}}
    assert run_memd("trust", place, env=daemon_env(folder)).returncode == DONE
    [asked] = fake.asked("recall.get")
    assert (asked["from"], "context" in asked) == (sent["start_line"], False)
    [named] = fake.asked("memory.trust")
    wanted = sha256(answer["text"].encode()).hexdigest()
    assert named == {"path": "a.md", "origin": "agent", "hash": wanted, **sent}


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "not_found", "text": ""},
        got("b", 3, next_from=4),
        got("b\nc", 5),
        got("b\nc", 3, next_char=9),
    ],
)
def test_lines_that_cannot_be_shown_whole_are_named_by_their_numbers(
    fake: FakeDaemon, folder: Path, answer: dict[str, Any]
) -> None:
    fake.answers |= {"recall.get": lambda _: answer, "memory.trust": lambda _: {"changed": 1}}
    done = run_memd("trust", "a.md#L3-L4", env=daemon_env(folder))
    assert done.stdout.splitlines()[-1] == "1 line now trusted"
    assert fake.asked("memory.trust") == [{"path": "a.md", "origin": "agent", "start_line": 3, "end_line": 4}]


def test_as_json_nothing_is_shown_but_the_result(fake: FakeDaemon, folder: Path) -> None:
    fake.answers |= {"recall.get": lambda _: got("a"), "memory.trust": lambda _: {"changed": 1}}
    done = run_memd("trust", "a.md#L1", "--json", env=daemon_env(folder))
    assert json.loads(done.stdout) == {"changed": 1}


def test_a_long_text_is_not_shown_whole_and_no_letter_drives_the_terminal(
    fake: FakeDaemon, folder: Path
) -> None:
    fake.answers |= {
        "recall.get": lambda _: got("a\x1b[2J\n" * 99 + "z"),
        "memory.trust": lambda _: {"changed": 1},
    }
    done = run_memd("trust", "a.md", env=daemon_env(folder))
    shown = done.stdout.splitlines()
    assert (shown[0], len(shown)) == ("  a[2J", 22)
    assert shown[-2] == "  and 80 more lines"


def test_what_cannot_be_read_is_left_to_the_daemon(fake: FakeDaemon, folder: Path) -> None:
    def refuse(_: dict[str, Any]) -> Any:
        raise RefusalError("too large", kind="too_large", reason="too_large")

    fake.answers |= {"recall.get": refuse, "memory.trust": lambda _: {"changed": 1}}
    assert run_memd("trust", "a.md#L3", env=daemon_env(folder)).returncode == DONE
    assert fake.asked("memory.trust") == [{"path": "a.md", "origin": "agent", "start_line": 3, "end_line": 3}]
