"""A clean stop: what is in flight is answered, and nobody can hold it up."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.daemon.clients import QUICK
from tests.daemons import LineClient, RunningDaemon, short_folder

STOP_LIMIT_S = 5.0


@pytest.fixture
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=QUICK) as running:
        running.write("memory/a.md", "firstword\n")
        running.settle()
        yield running


def connect(daemon: RunningDaemon) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(daemon.socket))
    return client


def test_clients_that_are_stuck_hold_up_no_stop(daemon: RunningDaemon) -> None:
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "rpc.discover"}).encode() + b"\n"
    with (
        connect(daemon) as silent,
        connect(daemon) as halfway,
        connect(daemon) as deaf,
        connect(daemon) as web,
    ):
        halfway.sendall(b'{"jsonrpc":"2.0",')
        deaf.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                deaf.send(request)
        web.sendall(b"POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")
        silent.settimeout(30)

        os.kill(daemon.pid, signal.SIGTERM)

        assert daemon.process is not None
        assert daemon.process.wait(timeout=STOP_LIMIT_S + 5) == 0
        assert silent.recv(1) == b""


def test_an_interrupt_stops_it_too_and_leaves_databases_that_are_closed(daemon: RunningDaemon) -> None:
    os.kill(daemon.pid, signal.SIGINT)

    assert daemon.process is not None
    assert daemon.process.wait(timeout=20) == 0
    names = {path.name for path in daemon.state_folder().iterdir()}
    assert names == {"index-1.db", "state.db", "vectors.db", "lock", "workspace.json"}


@pytest.mark.slow
def test_a_call_in_flight_is_answered_before_the_end(daemon: RunningDaemon) -> None:
    for number in range(300):
        daemon.write(f"memory/{number}.md", f"note number{number}\n")
    with LineClient(daemon.socket) as client:
        client.call("status")
        client.send("index.sync")
        client.send("recall.search", query="firstword")
        os.kill(daemon.pid, signal.SIGTERM)

        answers = [client.receive(), client.receive()]

    assert all("result" in answer for answer in answers)
