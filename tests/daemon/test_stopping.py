"""A clean stop: what is in flight is answered, and nobody can hold it up."""

import json
import os
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import LIMIT_S, LineClient, RunningDaemon, short_folder


@pytest.fixture
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as running:
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
        silent.settimeout(LIMIT_S)

        os.kill(daemon.pid, signal.SIGTERM)

        assert daemon.process is not None
        assert daemon.process.wait(timeout=LIMIT_S) == 0
        assert silent.recv(1) == b""


def test_an_interrupt_stops_it_too_and_leaves_databases_that_are_closed(daemon: RunningDaemon) -> None:
    os.kill(daemon.pid, signal.SIGINT)

    assert daemon.process is not None
    assert daemon.process.wait(timeout=LIMIT_S) == 0
    names = {path.name for path in daemon.state_folder().iterdir()}
    assert names == {"index-1.db", "state.db", "vectors.db", "lock", "workspace.json"}


@pytest.mark.slow
def test_a_call_in_flight_is_answered_before_the_end(daemon: RunningDaemon) -> None:
    """Locks hold the calls up until the stop has begun."""
    folder = daemon.state_folder()
    with (
        closing(sqlite3.connect(folder / "index-1.db", isolation_level=None)) as index,
        closing(sqlite3.connect(folder / "state.db", isolation_level=None)) as ledger,
        LineClient(daemon.socket) as client,
    ):
        daemon.write("memory/b.md", "secondword\n")
        for database in (index, ledger):
            database.execute("BEGIN IMMEDIATE")
        client.send("index.sync")
        client.send("note.append", text="- it is noted")
        client.call("status")  # what was asked before has been read
        os.kill(daemon.pid, signal.SIGTERM)
        daemon.wait_until(lambda: '"event": "stopping"' in daemon.read_log())
        for database in (index, ledger):
            database.execute("ROLLBACK")

        answers = [client.receive(), client.receive()]

    assert all("result" in answer for answer in answers)
