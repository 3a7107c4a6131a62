"""What people see."""

import json
import subprocess

import pytest

from openclaw_memd.cli.main import COMMANDS
from openclaw_memd.cli.output import amount, duration, plain, plain_line, size
from openclaw_memd.version import VERSION
from tests.cli.terminals import run_on_terminal
from tests.daemons import LIMIT_S, MEMD, RunningDaemon, daemon_env, run_memd


def test_the_version_is_told() -> None:
    assert run_memd("--version", env={}).stdout == f"memd {VERSION}\n"


def test_help_names_every_command(daemon: RunningDaemon) -> None:
    shown = daemon.memd("--help").stdout

    for command in COMMANDS:
        assert f"\n  {command} " in shown


def test_a_hit_is_shown_with_its_place_and_text(daemon: RunningDaemon) -> None:
    done = daemon.memd("search", "bicycle")

    place, *text = done.stdout.splitlines()
    assert place.startswith("memory/2026-01-11.md#L")
    assert "  - Repaired the bicycle." in text
    assert done.stderr.startswith("1 hit, keyword, ")


def test_a_search_without_hits_says_why(daemon: RunningDaemon) -> None:
    assert daemon.memd("search", "nowhereword").stdout == "nothing matches\n"
    assert daemon.memd("search", "???").stdout == "the query has nothing to search for\n"


def test_explain_shows_the_factors(daemon: RunningDaemon) -> None:
    assert "recency 1" in daemon.memd("search", "gateway port", "--explain").stdout


def test_words_of_a_query_need_no_quotes(daemon: RunningDaemon) -> None:
    together = daemon.memd("search", "gateway port", "--json")
    apart = daemon.memd("search", "gateway", "port", "--json")

    assert json.loads(together.stdout)["hits"] == json.loads(apart.stdout)["hits"] != []


def test_lines_are_shown_and_where_to_read_on(daemon: RunningDaemon) -> None:
    done = daemon.memd("get", "memory/2026-01-11.md", "--from", "3", "--lines", "1")

    assert done.stdout == "- Repaired the bicycle.\n"
    assert done.stderr == "more from line 4 of 4\n"


def test_status_is_a_page_for_people(daemon: RunningDaemon) -> None:
    shown = daemon.memd("status").stdout

    assert shown.startswith(f"memd {VERSION}  ok  up ")
    assert f"main  {daemon.workspace}\n  index      3 files, 3 chunks, fresh  (memory 3)\n" in shown
    assert "  vectors    off: search is by keyword\n" in shown
    assert "  watch      events, last scan " in shown


def test_sync_counts_files(daemon: RunningDaemon) -> None:
    assert daemon.memd("sync").stdout.startswith("0 added, 0 changed, 0 removed, 3 unchanged, ")


def test_any_method_can_be_called(daemon: RunningDaemon) -> None:
    done = daemon.memd("rpc", "recall.get", '{"path": "MEMORY.md", "from": 3, "lines": 1}')

    assert json.loads(done.stdout)["text"] == "- The gateway port is 8123."


def test_a_rebuild_is_followed_or_only_started(daemon: RunningDaemon) -> None:
    followed = daemon.memd("rebuild")
    started = daemon.memd("rebuild", "--no-wait")

    assert followed.stdout.startswith("3 files indexed, ")
    assert followed.stderr == "Rebuilding ...\n"
    assert started.stdout.startswith("started as job ")
    daemon.wait_until(lambda: all(job["state"] == "done" for job in daemon.call("job.list")["jobs"]))


def test_colours_are_for_terminals_that_want_them(daemon: RunningDaemon) -> None:
    assert "\x1b[36mMEMORY.md#L" in run_on_terminal("search", "gateway", env=daemon.env)
    assert "\x1b" not in run_on_terminal("search", "gateway", env=daemon.env | {"NO_COLOR": "1"})
    assert "\x1b" not in run_on_terminal("search", "gateway", env=daemon.env | {"TERM": "dumb"})
    assert "\x1b" not in daemon.memd("search", "gateway").stdout


def test_a_note_cannot_drive_the_terminal(daemon: RunningDaemon) -> None:
    found = daemon.memd("search", "evil word").stdout
    read = daemon.memd("get", "memory/odd.md").stdout

    assert "evil [31mword here" in found
    assert read == "evil [31mword here\n"


def test_progress_is_one_line_on_a_terminal(daemon: RunningDaemon) -> None:
    shown = run_on_terminal("rebuild", env=daemon.env)

    assert shown.count("\n") <= 2
    assert shown.endswith(" s)\n")


def test_a_reader_that_goes_away_is_no_error(daemon: RunningDaemon) -> None:
    with subprocess.Popen(
        (*MEMD, "rpc", "rpc.discover"), env=daemon.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=LIMIT_S) == 0


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (amount(1, "file"), "1 file"),
        (amount(1200, "chunk"), "1,200 chunks"),
        (size(999), "999 B"),
        (size(94_208), "94 kB"),
        (size(5_100_000), "5 MB"),
        (size(2_500_000_000), "2.5 GB"),
        (duration(5.9), "5 s"),
        (duration(61), "1 min 1 s"),
        (duration(3 * 3600 + 120), "3 h 2 min"),
        (duration(90_000), "1 d 1 h"),
        (plain("a\x1b[31m\u202eb\n\tc\x00"), "a[31mb\n\tc"),
    ],
)
def test_numbers_and_text_are_plain(shown: str, expected: str) -> None:
    assert shown == expected


def test_models_are_listed_without_a_daemon(tmp_path_factory: pytest.TempPathFactory) -> None:
    env = daemon_env(tmp_path_factory.mktemp("home"))

    done = run_memd("model", "list", env=env)
    as_json = run_memd("model", "list", "--json", env=env)

    assert "multilingual-e5-small" in done.stdout
    assert "not installed" in done.stdout
    assert {"multilingual-e5-small", "minilm"} <= {model["name"] for model in json.loads(as_json.stdout)}


def test_a_name_with_line_ends_stays_on_its_line() -> None:
    assert plain_line("x.md\nMEMORY.md#L1  0.99\t\x1b[2J") == "x.md\\nMEMORY.md#L1  0.99\\t[2J"
