"""Clients that dribble, stop halfway or never read: they are bounded, and nobody else waits for them."""

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.counts import tell
from tests.daemon.clients import PATIENT
from tests.daemons import LIMIT_S, LineClient, RunningDaemon, short_folder

EACH = int(os.environ.get("MEMD_SLOW_CLIENTS", "8"))
READ_S = 3.0
DRIBBLE_S = 0.02
WRITE_S = 5.0
"""`openclaw_memd.gateway.stream.WRITE_S`: how long an answer may stay unread."""

PROMPT_S = 2.5
"""Less than whoever had to wait for one of them would wait; not less, since a busy machine takes its time."""

REQUEST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "status", "params": {}}).encode() + b"\n"
POST = (
    b"POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: "
    + str(len(REQUEST)).encode()
    + b"\r\n\r\n"
    + REQUEST
)
LARGE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "rpc.discover", "params": {}}).encode() + b"\n"

pytestmark = pytest.mark.fault


@pytest.fixture
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        limits = {"MEMD_LIMITS__READ_S": str(READ_S)}
        with RunningDaemon(folder, env=PATIENT | limits) as running:
            running.write("memory/a.md", "firstword\n")
            running.settle()
            yield running


class Crowd:
    """Threads that each hold a connection; ``said`` is what they were told, in the order of their starts."""

    def __init__(self, daemon: RunningDaemon) -> None:
        self.said: list[bytes] = []
        self.is_over = threading.Event()
        self._daemon = daemon
        self._threads: list[threading.Thread] = []

    def dribble(self, message: bytes, pause_s: float = DRIBBLE_S) -> None:
        """One byte at a time."""

        def send(connection: socket.socket) -> None:
            for byte in message:
                connection.sendall(bytes([byte]))
                time.sleep(pause_s)

        self._start(send)

    def stop_halfway(self, message: bytes) -> None:
        self._start(lambda connection: connection.sendall(message[: len(message) // 2]))

    def never_read(self) -> None:
        """Ask and ask for long answers, until the daemon takes no more."""

        def ask(connection: socket.socket) -> None:
            connection.settimeout(0.2)
            with suppress(TimeoutError):
                while not self.is_over.is_set():
                    connection.sendall(LARGE)
            self.is_over.wait(30)

        self._start(ask)

    def join(self) -> None:
        self.is_over.set()
        for thread in self._threads:
            thread.join(timeout=LIMIT_S)
            assert not thread.is_alive()

    def _start(self, work: Any) -> None:
        number = len(self.said)
        self.said.append(b"")

        def run() -> None:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(LIMIT_S)
                connection.connect(str(self._daemon.socket))
                with suppress(OSError):
                    work(connection)
                    while part := connection.recv(65_536):
                        self.said[number] += part
                        if self.said[number].endswith(b"\n") or b"HTTP/1.1 200" in self.said[number]:
                            break

        self._threads.append(threading.Thread(target=run, daemon=True))
        self._threads[-1].start()


def open_descriptors(daemon: RunningDaemon) -> int:
    return len(list(Path(f"/proc/{daemon.pid}/fd").iterdir()))


@pytest.mark.slow
def test_others_are_answered_promptly_beside_them(daemon: RunningDaemon) -> None:
    with LineClient(daemon.socket) as client:
        client.call("status")
        before = open_descriptors(daemon)
        crowd = Crowd(daemon)
        for _ in range(EACH):
            crowd.dribble(REQUEST)
            crowd.dribble(POST)
            crowd.stop_halfway(REQUEST)
            crowd.stop_halfway(POST[:60])
            crowd.never_read()
        late = []
        ends_at = time.monotonic() + WRITE_S + 2 * READ_S
        while time.monotonic() < ends_at:
            began_at = time.monotonic()
            assert client.call("recall.search", query="firstword")["hits"]
            late.append(time.monotonic() - began_at)
            time.sleep(0.02)
        crowd.join()
        daemon.wait_until(lambda: open_descriptors(daemon) <= before)
        assert max(late) < PROMPT_S
        assert client.call("status")["state"] == "ok"
    assert "Traceback" not in daemon.read_log()
    slowest_ms = max(late) * 1_000
    tell(
        "slow clients", f"{len(crowd.said)}, {len(late)} answers beside them, the slowest {slowest_ms:.0f} ms"
    )


def test_a_request_that_dribbles_in_time_is_answered_and_half_a_one_is_turned_away(
    daemon: RunningDaemon,
) -> None:
    crowd = Crowd(daemon)
    short = b'{"jsonrpc":"2.0","id":1,"method":"x"}\n'
    crowd.dribble(short, pause_s=0.002)  # a small part of the time that it has, also with long awakenings
    crowd.stop_halfway(REQUEST)
    crowd.stop_halfway(POST[:60])
    crowd.join()
    answered, halfway, half_header = crowd.said
    assert json.loads(answered)["error"]["data"]["kind"] == "method_not_found"
    assert json.loads(halfway)["error"]["data"]["kind"] == "deadline"
    assert half_header.startswith(b"HTTP/1.1 408")
