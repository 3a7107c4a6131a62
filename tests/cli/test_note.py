"""``memd note`` and ``memd flush`` against a daemon."""

import json
from pathlib import Path

import pytest

from openclaw_memd.cli.exits import DONE, FAILED
from tests.cli.fake_daemon import FakeDaemon
from tests.cli.terminals import type_memd
from tests.daemons import RunningDaemon, daemon_env, run_memd


def read_back(daemon: RunningDaemon, citation: str) -> str:
    """The text that stands at a printed place."""
    path, _, lines = citation.split("  ", maxsplit=1)[0].partition("#L")
    start, _, end = lines.partition("-L")
    text = (daemon.workspace / path).read_text(encoding="utf-8").splitlines()
    return "\n".join(text[int(start) - 1 : int(end or start)])


def test_words_become_an_entry_and_its_place_is_told(writable: RunningDaemon) -> None:
    done = writable.memd("note", "Ana", "has", "the key.", "--as-owner")

    assert done.returncode == DONE
    assert done.stdout.endswith("  [agent]\n")
    assert read_back(writable, done.stdout) == "- Ana has the key."
    assert done.stderr == ""


def test_what_is_said_of_an_entry_is_written_behind_it(writable: RunningDaemon) -> None:
    done = writable.memd(
        "note",
        "Deploy from blue.",
        *("--importance", "8", "--trigger", "release", "--trigger", "rollout"),
        *("--key", "deploy", "--project", "github.com/o/r", "--as-owner"),
    )

    line = read_back(writable, done.stdout)
    assert line.startswith("- Deploy from blue. <!-- ")
    for said in ("importance: 8", "trigger: release", "rollout", "key: deploy", "project: github.com/o/r"):
        assert said in line


@pytest.mark.parametrize("dash", [(), ("-",), ("--file", "-")], ids=" ".join)
def test_standard_input_is_written_as_it_is(writable: RunningDaemon, dash: tuple[str, ...]) -> None:
    text = "## Standup\n\nWe met.\n- One thing."
    done = writable.memd("note", *dash, "--slug", f"in{len(dash)}", "--as-owner", given=text)

    assert read_back(writable, done.stdout) == text
    assert f"-in{len(dash)}.md#L3-L6" in done.stdout


def test_a_file_is_written_as_it_is_unless_something_is_said_of_it(
    writable: RunningDaemon, folder: Path
) -> None:
    (folder / "n.md").write_text("\ufeffFirst.\r\nSecond.\r\n", encoding="utf-8")

    plain = writable.memd("note", "--file", str(folder / "n.md"), "--as-owner")
    entry = writable.memd("note", "--file", str(folder / "n.md"), "--key", "k", "--as-owner")

    assert read_back(writable, plain.stdout) == "First.\nSecond."
    assert read_back(writable, entry.stdout) == "- First.\n  Second.\n  <!-- key: k -->"


def test_a_script_writes_what_nobody_vouches_for(writable: RunningDaemon) -> None:
    done = writable.memd("note", "The web says so.")

    assert done.stdout.endswith("  [untrusted]\n")
    assert "-untrusted.md#L" in done.stdout
    assert read_back(writable, done.stdout) == "- The web says so."
    assert done.stderr == "nobody vouches for it; with --as-owner it would be the owner's turn\n"


def test_a_terminal_writes_for_the_owner(writable: RunningDaemon) -> None:
    done = type_memd("note", "Typed by hand.", env=writable.env)

    assert done.stdout.endswith("  [agent]\n")
    assert read_back(writable, done.stdout) == "- Typed by hand."


def test_on_a_terminal_nothing_is_read_unless_it_is_asked_for(writable: RunningDaemon) -> None:
    none = type_memd("note", env=writable.env)
    typed = type_memd("note", "-", env=writable.env, keys="Typed line.\n\x04")

    assert "a text is needed, or `-` to read it from standard input" in none.stderr
    assert read_back(writable, typed.stdout) == "Typed line."


def test_words_behind_two_hyphens_are_words(writable: RunningDaemon) -> None:
    done = writable.memd("note", "--as-owner", "--", "--json", "is an option")

    assert read_back(writable, done.stdout) == "- --json is an option"


def test_options_stand_among_the_words(writable: RunningDaemon) -> None:
    done = writable.memd("note", "before", "--as-owner", "behind")

    assert read_back(writable, done.stdout) == "- before behind"


def test_the_bare_result_is_json(writable: RunningDaemon) -> None:
    answer = json.loads(writable.memd("note", "Some word.", "--json").stdout)

    assert (answer["origin"], answer["appended"], answer["spooled"]) == ("untrusted", True, False)


def test_a_text_that_is_not_utf8_is_refused(writable: RunningDaemon, folder: Path) -> None:
    (folder / "n.md").write_bytes(b"\xff\xfe")

    done = writable.memd("note", "--file", str(folder / "n.md"))

    assert (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr == f"memd: {folder}/n.md: not UTF-8\n"


def test_a_text_that_is_too_long_is_refused_with_the_limit(writable: RunningDaemon) -> None:
    note = writable.memd("note", "-", given="x" * 100_000)
    body = writable.memd("note", "-", given="x" * 2_000_000)

    assert (note.returncode, body.returncode) == (FAILED, FAILED)
    assert "note_bytes" in note.stderr
    assert "body_bytes" in body.stderr


def test_what_is_no_file_is_not_written_to(writable: RunningDaemon) -> None:
    first = writable.memd("note", "First word.", "--slug", "held", "--as-owner").stdout
    note = writable.workspace / first.partition("#")[0]
    moved = note.rename(note.with_suffix(".away"))
    note.mkdir()
    try:
        denied = writable.memd("note", "Second word.", "--slug", "held", "--as-owner")
    finally:
        note.rmdir()
        moved.rename(note)

    assert denied.returncode == FAILED
    assert "not_regular" in denied.stderr


def test_a_text_that_waits_to_be_written_is_said_to(fake: FakeDaemon, folder: Path) -> None:
    part = {"path": "memory/a.md", "start_line": None, "end_line": None, "hash": "", "spooled": True}
    other = {"path": "memory/a-untrusted.md", "start_line": 3, "end_line": 4, "hash": "", "spooled": False}
    fake.answers["flush.append"] = lambda _: {
        **part,
        "origin": "untrusted",
        "appended": True,
        "parts": [part | {"origin": "agent"}, other | {"origin": "untrusted"}],
    }

    done = run_memd("flush", "append", "word", "--cycle", "1", "--as-owner", env=daemon_env(folder))

    assert done.returncode == DONE
    assert done.stdout == (
        "memory/a.md  [agent, waits to be written]\nmemory/a-untrusted.md#L3-L4  [untrusted]\n"
    )
    assert done.stderr == ""


def test_a_plan_that_is_due_shows_the_prompts(writable: RunningDaemon) -> None:
    plan = ("flush", "plan", "--session", "s1", "--as-owner", "--projected")
    due = writable.memd(*plan, "190000", "--cycle", "due")
    not_due = writable.memd(*plan, "1", "--cycle", "other")
    large = writable.memd(*plan, "1", "--cycle", "large", "--transcript-bytes", "9000000", "--json")

    assert due.stdout.startswith("due: tokens\ninto memory/")
    assert "NO_REPLY" in due.stdout
    assert not_due.stdout == "not due: below_threshold\n"
    assert json.loads(large.stdout)["reason"] == "transcript_bytes"


def test_a_flush_saves_once_a_cycle(writable: RunningDaemon) -> None:
    flush = ("flush", "append", "--cycle", "c1", "--session", "s2", "--as-owner")
    first = writable.memd(*flush, "-", given="- Saved before the end.\n")
    again = writable.memd(*flush, "-", given="- Saved before the end.\n")
    silent = writable.memd(*flush, "NO_REPLY")

    assert read_back(writable, first.stdout) == "- Saved before the end."
    assert again.stdout.startswith(first.stdout.split("  ")[0])
    assert again.stdout.endswith("[agent, nothing new]\n")
    assert silent.stdout.endswith("[agent, nothing new]\n")
    assert "NO_REPLY" not in "".join(
        path.read_text(encoding="utf-8") for path in (writable.workspace / "memory").glob("*.md")
    )
