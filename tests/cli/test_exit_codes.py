"""Exit codes tell scripts what happened, and ``--json`` prints nothing but JSON."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from openclaw_memd.cli import client
from openclaw_memd.cli.client import call_at
from openclaw_memd.cli.exits import BAD_CONFIG, DONE, FAILED, NO_DAEMON, USAGE
from tests.cli.conftest import RunHere
from tests.daemons import RunningDaemon, daemon_env, run_memd, short_folder

CALLS = [
    ("status",),
    ("search", "word"),
    ("get", "MEMORY.md"),
    ("sync",),
    ("rebuild",),
    ("rpc", "status"),
    ("sessions",),
    ("flush", "plan", "--cycle", "1", "--projected", "1"),
    ("flush", "append", "NO_REPLY", "--cycle", "1"),
    ("trust", "MEMORY.md", "--as-owner"),
]
WRITES = [
    ("note", "word"),
    ("sessions", "end", "s1", "--capture"),
    ("trust", "MEMORY.md", "--lower"),
    ("forget", "--session", "s1"),
    ("forget", "--session", "s1", "--yes"),
]


def named(arguments: tuple[str, ...]) -> str:
    return arguments[0]


@pytest.mark.parametrize("arguments", [*CALLS, *WRITES], ids=" ".join)
def test_without_a_daemon_each_command_says_so(folder: Path, arguments: tuple[str, ...]) -> None:
    done = run_memd(*arguments, env=daemon_env(folder))

    assert (done.returncode, done.stdout) == (NO_DAEMON, "")
    assert done.stderr == f"memd: no daemon at {folder}/m.sock; start it with `memd run`\n"


@pytest.mark.parametrize("arguments", [*CALLS, *WRITES], ids=" ".join)
def test_without_a_daemon_json_is_all_that_is_printed(
    folder: Path, run_here: RunHere, arguments: tuple[str, ...]
) -> None:
    done = run_here(*arguments, "--json", env=daemon_env(folder))

    assert (done.returncode, done.stderr) == (NO_DAEMON, "")
    assert json.loads(done.stdout)["error"]["data"]["kind"] == "no_daemon"


def test_a_socket_that_nobody_listens_on_is_no_daemon(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / "m.sock"))

    assert run_memd("status", env=daemon_env(folder)).returncode == NO_DAEMON


@pytest.fixture
def halted(daemon: RunningDaemon) -> Iterator[RunningDaemon]:
    os.kill(daemon.pid, signal.SIGSTOP)
    yield daemon
    os.kill(daemon.pid, signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("status",), ("search", "word"), ("sync",)], ids=named)
def test_a_daemon_that_is_halted_is_told_from_one_that_is_busy(
    halted: RunningDaemon, arguments: tuple[str, ...]
) -> None:
    done = halted.memd(*arguments)

    assert done.returncode == NO_DAEMON
    assert done.stderr == f"memd: the daemon does not answer at {halted.socket} (pid {halted.pid})\n"


def test_a_halted_daemon_whose_queue_is_full_does_not_answer_either(halted: RunningDaemon) -> None:
    with ExitStack() as held:
        for _ in range(1024):
            waiting = held.enter_context(socket.socket(socket.AF_UNIX))
            waiting.setblocking(False)
            try:
                waiting.connect(str(halted.socket))
            except BlockingIOError:
                break
        else:
            pytest.skip("the queue has no end here")
        done = halted.memd("status", "--json")

    assert done.returncode == NO_DAEMON
    error = json.loads(done.stdout)["error"]
    assert (error["message"], error["data"]) == (
        "the daemon does not answer",
        {"kind": "no_daemon", "pid": halted.pid},
    )


@pytest.mark.slow
@pytest.mark.parametrize("key", ["MEMD_STATE_DIR", "MEMD_SOCKET"])
def test_no_daemon_starts_below_a_folder_that_others_can_write_to(folder: Path, key: str) -> None:
    (folder / "ws").mkdir()
    (folder / "pub/own").mkdir(parents=True)
    (folder / "pub").chmod(0o777)
    env = daemon_env(folder) | {key: str(folder / "pub/own/x")}
    done = run_memd("run", "--workspace", str(folder / "ws"), env=env)
    assert done.returncode == BAD_CONFIG
    assert f"others can write to {folder}/pub; chmod go-w {folder}/pub" in done.stderr
    assert done.stderr.startswith("memd: paths.state_dir: ") == (key == "MEMD_STATE_DIR")
    assert list((folder / "pub/own").iterdir()) == []


def test_only_where_there_is_no_daemon_one_is_to_be_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "ALIVE_WITHIN_S", 0.05)
    monkeypatch.setattr(client, "BUSY_WITHIN_S", 0.06)
    path = folder / "m.sock"
    with pytest.raises(client.NoDaemonError) as absent:
        call_at(path, "status", {}, timeout_s=1.0)
    assert absent.value.message == f"no daemon at {path}; start it with `memd run`"
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        for lock in ("", "not a number", "-1", "0", "99999999999999999999", str(2**22 + 1)):
            (folder / "m.sock.lock").write_text(lock)
            with pytest.raises(client.NoDaemonError) as unanswered:
                call_at(path, "status", {}, timeout_s=1.0)
            assert unanswered.value.message == f"the daemon does not answer at {path}"


@pytest.mark.parametrize("arguments", CALLS, ids=named)
def test_a_command_that_is_done_ends_with_0(
    daemon: RunningDaemon, run_here: RunHere, arguments: tuple[str, ...]
) -> None:
    plain = daemon.memd(*arguments)
    as_json = run_here(*arguments, "--json", env=daemon.env)

    assert (plain.returncode, as_json.returncode) == (DONE, DONE)
    json.loads(as_json.stdout)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("get", "memory/nothing.md"), "no such memory file"),
        (("get", "/etc/passwd"), "the path leads out of the memory (outside)"),
        (("search", "x" * 5000), "query"),
        (("search", "x", "--max-results", "0"), "max_results"),
        (("search", "x", "--agent", "nobody"), "no such agent"),
        (("rpc", "no.method"), "method"),
        (("note", "  "), "text"),
        (("note", "word", "--importance", "11"), "entries"),
        (("note", "--file", "/nowhere/note.md"), "/nowhere/note.md: No such file or directory"),
        (("sessions", "append", "-", "--session", "s1"), "there are no messages"),
        (("sessions", "--agent", "nobody"), "no such agent"),
        (("trust", "memory/none.md", "--lower"), "no such memory file"),
        (("trust", "MEMORY.md"), "with --as-owner the call would be the owner's"),
        (("rpc", "recall.search", '{"querry": "x"}'), "querry"),
    ],
)
def test_a_command_that_fails_ends_with_1_and_one_line(
    daemon: RunningDaemon, run_here: RunHere, arguments: tuple[str, ...], told: str
) -> None:
    plain = daemon.memd(*arguments)
    as_json = run_here(*arguments, "--json", env=daemon.env)

    assert (plain.returncode, plain.stdout) == (FAILED, "")
    assert told in plain.stderr
    assert plain.stderr.count("\n") == 1
    assert as_json.returncode == FAILED
    json.loads(as_json.stdout)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("serach", "x"),
        ("search",),
        ("search", "x", "--corpus", "everything"),
        ("status", "--deeep"),
        ("rpc", "status", "{"),
        ("rpc", "status", "[]"),
        ("rpc", "status", "[" * 100_000),
        ("get", "MEMORY.md", "--from", "x"),
        ("config", "chek"),
        ("--agent",),
        ("--agent", "main"),
        ("--nonsense", "status"),
        ("status", "more"),
        ("note", "word", "--file", "x"),
        ("note", "word", "--importance", "high"),
        ("flush",),
        ("flush", "append", "word"),
        ("flush", "plan", "--cycle", "1"),
        ("flush", "plan", "word", "--cycle", "1", "--projected", "1"),
        ("sessions", "lisst"),
        ("sessions", "list", "s1"),
        ("sessions", "append", "-"),
        ("sessions", "append", "--session", "s1"),
        ("sessions", "end"),
        ("trust",),
        ("forget",),
        ("forget", "--yes"),
        ("forget", "--dry-run"),
        ("run", "--workspace", ""),
        ("status", "--socket", ""),
        ("note", "word", "--config="),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_a_wrong_command_line_ends_with_2(
    folder: Path, run_here: RunHere, arguments: tuple[str, ...]
) -> None:
    done = run_here(*arguments, env=daemon_env(folder))
    before = run_here("--json", *arguments, env=daemon_env(folder))
    behind = run_here(*arguments, "--json", env=daemon_env(folder))

    assert (done.returncode, done.stdout) == (USAGE, "")
    assert done.stderr
    for as_json in (before, behind):
        assert (as_json.returncode, as_json.stderr) == (USAGE, "")
        error = json.loads(as_json.stdout)["error"]
        assert error["data"]["kind"] == "usage"
        assert f"memd: {error['message']}\n" in done.stderr or "--agent" in arguments


def test_behind_two_hyphens_there_are_words_only(folder: Path) -> None:
    option = run_memd("status", "--", "--deep", env=daemon_env(folder))
    word = run_memd("config", "--", "check", "--json", env=daemon_env(folder))

    assert (option.returncode, word.returncode) == (USAGE, USAGE)
    assert option.stderr.endswith("memd: unrecognized arguments: --deep\n")
    assert word.stderr.endswith("memd: unrecognized arguments: --json\n")


@pytest.mark.parametrize("arguments", [*CALLS, ("config", "check"), ("config", "example")], ids=" ".join)
def test_common_options_stand_before_or_behind_the_command(
    daemon: RunningDaemon, folder: Path, run_here: RunHere, arguments: tuple[str, ...]
) -> None:
    env = daemon.env | {"MEMD_SOCKET": f"{folder}/nobody"}
    options = ("--json", "--socket", str(daemon.socket), f"--config={folder}/none.toml")
    (folder / "none.toml").touch()

    before = run_here(*options, *arguments, env=env)
    behind = run_here(*arguments, *options, env=env)

    assert (before.returncode, behind.returncode) == (DONE, DONE), before.stderr
    assert json.loads(before.stdout).keys() == json.loads(behind.stdout).keys()


@pytest.mark.parametrize("words", [("--version",), ("--help",)])
def test_what_needs_no_command_is_json_as_well(folder: Path, words: tuple[str, ...]) -> None:
    for arguments in (("--json", *words), (*words, "--json")):
        done = run_memd(*arguments, env=daemon_env(folder))
        assert done.returncode == DONE
        json.loads(done.stdout)


def test_a_bad_configuration_is_json_as_well(folder: Path) -> None:
    commands = (("run",), ("config", "check"), ("model", "list"), ("status",), ("note", "word", "--as-owner"))
    for command in commands:
        done = run_memd(*command, "--json", "--config", str(folder / "none.toml"), env=daemon_env(folder))
        assert (done.returncode, done.stderr) == (BAD_CONFIG, "")
        assert json.loads(done.stdout)["error"]["data"]["kind"] == "bad_configuration"


@pytest.mark.parametrize("answer", ["hello", "[]", "{}", "5"])
def test_what_answers_and_is_not_memd_is_no_daemon(folder: Path, answer: str) -> None:
    other = (
        "import socket, sys\n"
        "listener = socket.socket(socket.AF_UNIX)\n"
        "listener.bind(sys.argv[1])\n"
        "listener.listen()\n"
        "print('ready', flush=True)\n"
        "connection, _ = listener.accept()\n"
        "connection.sendall(sys.argv[2].encode() + b'\\n')\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", other, str(folder / "m.sock"), answer],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        done = run_memd("status", env=daemon_env(folder))
        server.communicate(b"", timeout=60)

    assert done.returncode == NO_DAEMON
    assert done.stderr.startswith("memd: what answers is not memd at ")


def test_a_command_that_is_nearly_right_gets_a_hint(folder: Path) -> None:
    done = run_memd("serach", "x", env=daemon_env(folder))

    assert done.stderr == "memd: no command 'serach'; did you mean search?\n"


def test_a_workspace_that_is_missing_is_not_made(folder: Path) -> None:
    done = run_memd("run", "--workspace", str(folder / "ws"), env=daemon_env(folder))

    assert done.returncode == BAD_CONFIG
    assert (
        done.stderr
        == f"memd: {folder}/ws: the workspace does not exist: make it, bring it back or name another\n"
    )
    assert not (folder / "ws").exists()


def test_a_workspace_that_is_a_file_is_refused(folder: Path) -> None:
    (folder / "ws").write_text("", encoding="ascii")

    done = run_memd("run", "--workspace", str(folder / "ws"), env=daemon_env(folder))

    assert done.returncode == BAD_CONFIG
    assert done.stderr == f"memd: {folder}/ws: the workspace is not a folder\n"


@pytest.mark.slow
def test_a_required_embedder_that_cannot_be_reached_fails_the_search_alone(folder: Path) -> None:
    env = {
        "MEMD_EMBEDDING__PROVIDER": "openai",
        "MEMD_EMBEDDING__MODEL": "some-model",
        "MEMD_EMBEDDING__BASE_URL": "http://127.0.0.1:9/v1",
    }
    with RunningDaemon(folder, env=env) as daemon:
        daemon.write("memory/a.md", "firstword\n")
        sync = daemon.memd("sync")
        search = daemon.memd("search", "firstword", "--json")
        status = daemon.memd("status", "--json")

    assert (sync.returncode, search.returncode, status.returncode) == (DONE, FAILED, DONE)
    assert json.loads(search.stdout)["error"]["data"]["kind"] == "unavailable"
    report = json.loads(status.stdout)
    assert (report["state"], report["agents"][0]["chunks"], report["agents"][0]["vectors"]) == (
        "degraded",
        1,
        0,
    )


def test_an_empty_workspace_is_said_to_be_empty(folder: Path) -> None:
    with RunningDaemon(folder) as daemon:
        done = daemon.memd("sync")
        daemon.write("notes/a.md", "elsewhere\n")
        daemon.memd("sync")
        warned = daemon.memd("status").stdout

    assert done.returncode == DONE
    assert done.stdout.startswith(f"0 files found in {folder}/ws\n")
    assert '`[files] include = ["/notes/**/*.md"]`' in warned


def test_a_daemon_that_is_slow_is_waited_for() -> None:
    slow = (
        "import socket, sys, time\n"
        "listener = socket.socket(socket.AF_UNIX)\n"
        "listener.bind(sys.argv[1])\n"
        "listener.listen()\n"
        "print('ready', flush=True)\n"
        "connection, _ = listener.accept()\n"
        "connection.recv(65536)\n"
        "time.sleep(1.2)\n"
        'connection.sendall(b\'{"jsonrpc": "2.0", "id": 1, "result": {"late": true}}\\n\')\n'
    )
    with short_folder() as folder:
        path = folder / "s"
        with subprocess.Popen([sys.executable, "-c", slow, str(path)], stdout=subprocess.PIPE) as server:
            try:
                assert server.stdout is not None
                assert server.stdout.readline() == b"ready\n"
                assert call_at(path, "status", {}, timeout_s=30.0) == {"late": True}
            finally:
                server.kill()
