"""What a service manager sees: readiness, signs of life, the end, and sockets that it hands over."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import LIMIT_S, MEMD, RunningDaemon, short_folder

HAND_OVER = (
    "import os, sys\n"
    "os.dup2(int(sys.argv[1]), 3)\n"
    "os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES='memd.socket')\n"
    "os.execv(sys.argv[2], sys.argv[2:])\n"
)
"""Hands a socket over as systemd does: as descriptor 3, with the pid of the process that will be memd."""


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as path:
        yield path


@contextmanager
def notify_socket(folder: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(folder / "notify"))
        channel.settimeout(LIMIT_S)
        yield channel


def read_until(channel: socket.socket, wanted: str) -> list[str]:
    """Assignments as they come, up to and with the ``wanted`` one."""
    found: list[str] = []
    while wanted not in found:
        found += channel.recv(4096).decode().split("\n")
    return found


def test_it_is_ready_when_the_socket_answers_and_says_when_it_stops(folder: Path) -> None:
    daemon = RunningDaemon(folder, env={"NOTIFY_SOCKET": str(folder / "notify")})
    with notify_socket(folder) as channel:
        daemon.launch()
        try:
            told = read_until(channel, "READY=1")
            assert told[:2] == ["STATUS=opening workspace 1 of 1", "EXTEND_TIMEOUT_USEC=60000000"]
            assert daemon.call("status")["pid"] == daemon.pid
        finally:
            daemon.stop()
        assert read_until(channel, "STOPPING=1") == ["STOPPING=1"]


@pytest.mark.slow
def test_it_gives_signs_of_life_as_often_as_asked_and_none_while_it_hangs(folder: Path) -> None:
    env = {"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "400000"}
    with notify_socket(folder) as channel, RunningDaemon(folder, env=env) as daemon:
        for _ in range(3):
            read_until(channel, "WATCHDOG=1")
        os.kill(daemon.pid, signal.SIGSTOP)
        try:
            channel.settimeout(1.0)
            with pytest.raises(TimeoutError):
                read_until(channel, "nothing")
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        channel.settimeout(LIMIT_S)
        read_until(channel, "WATCHDOG=1")


@pytest.mark.slow
def test_it_answers_while_the_first_index_of_many_files_is_made(folder: Path) -> None:
    daemon = RunningDaemon(folder, env=PATIENT)
    for number in range(1_000):
        daemon.write(f"memory/{number}.md", f"note number{number}\n" + "padding words here\n" * 20)

    with daemon:
        agent = daemon.agent()
        assert agent["files"] < 1_000
        assert agent["freshness"] in ("stale", "partial")
        daemon.wait_until(lambda: any(job["total"] == 1_000 for job in daemon.call("status")["jobs"]))
        answer = daemon.call("recall.search", query="nowhereword")
        assert (answer["hits"], answer["freshness"], answer["empty_reason"]) == ([], "partial", "stale")
        status = daemon.call("status")
        (job,) = status["jobs"]
        assert (status["state"], job["kind"], job["state"]) == ("ok", "sync", "running")
        assert 0 <= job["done"] < job["total"]
        daemon.wait_until(lambda: daemon.agent()["freshness"] == "fresh")
        assert daemon.agent()["files"] == 1_000
        assert daemon.search_paths("number999") == ["memory/999.md"]


@contextmanager
def activated(folder: Path) -> Iterator[RunningDaemon]:
    """A daemon that a listening socket was handed to, as a socket unit does it."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "m.sock"))
        listening.listen()
        command = (sys.executable, "-c", HAND_OVER, str(listening.fileno()), *MEMD)
        env = {"MEMD_SOCKET": str(folder / "unused.sock")}
        daemon = RunningDaemon(folder, env=env, command=command, pass_fds=[listening.fileno()])
        with daemon:
            yield daemon


@pytest.mark.slow
def test_a_socket_that_is_handed_over_is_served_and_stays_after_the_stop(folder: Path) -> None:
    with activated(folder) as daemon:
        assert daemon.call("status")["pid"] == daemon.pid
        assert not (folder / "unused.sock").exists()
        assert daemon.stop() == 0
        assert (folder / "m.sock").is_socket()
        with socket.socket(socket.AF_UNIX) as waiting:  # the next daemon will answer it
            waiting.connect(str(folder / "m.sock"))
            waiting.sendall(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')
            daemon.launch()
            waiting.settimeout(LIMIT_S)
            assert b'"pid"' in waiting.recv(65536)
