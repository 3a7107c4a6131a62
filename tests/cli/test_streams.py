"""Words and streams as they come: not UTF-8, ASCII only, closed, full."""

import json
import subprocess
from pathlib import Path

import pytest

from openclaw_memd.cli.exits import DONE, FAILED, USAGE
from tests.daemons import MEMD, RunningDaemon, daemon_env

ASCII_ONLY = [
    {"PYTHONIOENCODING": "ascii"},
    {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
]


def memd(*arguments: str | bytes, env: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run((*MEMD, *arguments), env=env, capture_output=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def spoken(daemon: RunningDaemon) -> RunningDaemon:
    """A daemon that knows words outside ASCII."""
    daemon.write("memory/ü.md", "# Straße\n\n- Grüße aus Zürich 🚲 日本\n")
    daemon.settle()
    return daemon


@pytest.mark.parametrize(
    "arguments",
    [(b"\xff",), (b"search", b"\xff"), (b"get", b"memory/\xe9.md"), (b"status", b"--agent", b"\xff")],
)
def test_an_argument_that_is_not_utf8_is_a_usage_error(folder: Path, arguments: tuple[bytes, ...]) -> None:
    done = memd(*arguments, env=daemon_env(folder))
    as_json = memd(*arguments, "--json", env=daemon_env(folder))

    told = f"argument {len(arguments)} is not UTF-8"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (USAGE, b"", f"memd: {told}\n")
    assert (as_json.returncode, as_json.stderr) == (USAGE, b"")
    assert json.loads(as_json.stdout)["error"]["message"] == told


@pytest.mark.parametrize("locale", ASCII_ONLY, ids=["stream", "locale"])
def test_a_stream_that_takes_ascii_only_gets_escapes(spoken: RunningDaemon, locale: dict[str, str]) -> None:
    for arguments in (("search", "Zürich"), ("get", "memory/ü.md"), ("status",)):
        shown = memd(*arguments, env=spoken.env | locale)
        as_json = memd(*arguments, "--json", env=spoken.env | locale)

        assert (shown.returncode, as_json.returncode) == (DONE, DONE), shown.stderr
        assert shown.stdout.isascii()
        assert as_json.stdout.isascii()
        json.loads(as_json.stdout)
    assert "Gr\\xfc\\xdfe aus Z\\xfcrich \\U0001f6b2 \\u65e5" in memd(
        "get", "memory/ü.md", env=spoken.env | locale
    ).stdout.decode("ascii")


@pytest.mark.parametrize("locale", ASCII_ONLY, ids=["stream", "locale"])
def test_json_says_the_same_whatever_the_stream_takes(spoken: RunningDaemon, locale: dict[str, str]) -> None:
    arguments = ("get", "memory/ü.md", "--json")

    everything = memd(*arguments, env=spoken.env)
    escaped = memd(*arguments, env=spoken.env | locale)

    assert "Zürich 🚲" in everything.stdout.decode()
    assert json.loads(everything.stdout) == json.loads(escaped.stdout)


@pytest.mark.parametrize(
    "arguments", ["--help", "search the --json", "config example", "status --help", "nonsense"]
)
def test_a_reader_that_goes_away_ends_the_command_quietly(daemon: RunningDaemon, arguments: str) -> None:
    command = " ".join(MEMD) + f" {arguments} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; sleep 0; {command}"],
        env=daemon.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    expected = USAGE if arguments == "nonsense" else DONE
    assert done.stdout == f"{expected}\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.parametrize("arguments", [("--help",), ("status",), ("status", "--json")])
def test_a_full_disk_is_said_and_no_traceback(daemon: RunningDaemon, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            (*MEMD, *arguments), env=daemon.env, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )

    assert done.returncode == FAILED
    assert done.stderr.decode() == "memd: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_harm_nothing(daemon: RunningDaemon, closed: str) -> None:
    for arguments in ("status", "search gateway", "get MEMORY.md --json"):
        done = subprocess.run(
            ["bash", "-c", f"exec {' '.join(MEMD)} {arguments} {closed}"],
            env=daemon.env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == DONE
        assert "Traceback" not in done.stderr


def test_a_closed_input_holds_no_text(daemon: RunningDaemon) -> None:
    for arguments, code in (("note", USAGE), ("note -", FAILED), ("forget --session s1", FAILED)):
        done = subprocess.run(
            ["bash", "-c", f"exec {' '.join(MEMD)} {arguments} <&-"],
            env=daemon.env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code
        assert "Traceback" not in done.stderr
