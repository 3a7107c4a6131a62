"""Few descriptors: memd keeps some for itself and says so; who takes the rest harms nobody for long."""

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from openclaw_memd.daemon.descriptors import FEWEST_CONNECTIONS, RESERVED, room_for_connections
from openclaw_memd.gateway.refusals import EVERY_S
from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

FEW = 140
OWNER: dict[str, Any] = {"session_id": "s1", "session_kind": "interactive", "chat_type": "direct"} | {
    "sender": {"id": "u1", "is_owner": True}
}
WANTED = {"MEMD_LIMITS__CONNECTIONS": "500"}

pytestmark = pytest.mark.fault


@pytest.mark.parametrize(
    ("wanted", "descriptors", "room"),
    [
        (64, 1024, 64),
        (64, 256, 64),
        (65, 256, 64),
        (4096, 4096, 1984),
        (64, RESERVED, FEWEST_CONNECTIONS),
        (2, 20, 2),
    ],
)
def test_connections_leave_room_for_the_daemon_itself(wanted: int, descriptors: int, room: int) -> None:
    found, told = room_for_connections(wanted, descriptors)
    assert found == room
    assert (told is None) == (room == wanted)


@contextmanager
def few_descriptors(count: int) -> Iterator[RunningDaemon]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))

    with short_folder() as folder:
        daemon = RunningDaemon(folder, env=PATIENT | WANTED, preexec_fn=limit)
        daemon.write("memory/a.md", "firstword\n")
        with daemon:
            daemon.settle()
            yield daemon


@contextmanager
def crowd(daemon: RunningDaemon, count: int) -> Iterator[None]:
    """Connections that say nothing."""
    held = []
    try:
        for _ in range(count):
            one = socket.socket(socket.AF_UNIX)
            held.append(one)
            one.settimeout(0.5)
            try:
                one.connect(str(daemon.socket))
            except OSError:
                break  # the queue of those who wait is full as well
        yield
    finally:
        for one in held:
            one.close()


@pytest.mark.slow
def test_a_crowd_takes_no_descriptor_that_the_daemon_needs() -> None:
    with few_descriptors(FEW) as daemon, LineClient(daemon.socket) as client:
        assert any("ulimit -n" in warning for warning in client.call("status")["warnings"])
        with crowd(daemon, 200):
            for _ in range(3):
                assert client.call("recall.search", query="firstword")["hits"]
            assert client.call("recall.get", path="memory/a.md")["text"] == "firstword"
            assert not client.call("note.append", text="- in a crowd", context=OWNER)["spooled"]
            assert client.call("memory.remember", text="It is crowded.", context=OWNER)["appended"]
            assert client.call("index.rebuild", wait=True)["skipped"] == 0
        daemon.wait_until(lambda: is_answered(daemon))
        assert daemon.search_paths("firstword") == ["memory/a.md"]
        assert "Traceback" not in daemon.read_log()


def is_answered(daemon: RunningDaemon) -> bool:
    try:
        return bool(daemon.call("status")["agents"][0]["freshness"] == "fresh")
    except (OSError, DaemonError):
        return False


@pytest.mark.slow
def test_without_any_descriptor_it_waits_and_says_so_in_one_line() -> None:
    with few_descriptors(FEW) as daemon, LineClient(daemon.socket) as client:
        client.call("status")  # the connection is accepted
        began_at = time.monotonic()
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (10, FEW))  # fewer than it has open
        with crowd(daemon, 20):
            daemon.wait_until(lambda: '"descriptors"' in daemon.read_log())
            assert client.call("status")["pid"] == daemon.pid
            blind = client.call("recall.search", query="firstword")
            assert (blind["hits"], blind["freshness"], blind["empty_reason"]) == ([], "partial", "stale")
            answer = client.call("note.append", text="- it waits", context=OWNER)
            assert (answer["appended"], answer["spooled"]) == (True, True)
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (FEW, FEW))
        daemon.wait_until(lambda: is_answered(daemon))
        daemon.wait_until(lambda: daemon.agent()["spool"]["items"] == 0)
        daemon.settle()
        assert daemon.search_paths("waits") == [answer["path"]]
        assert daemon.search_paths("firstword") == ["memory/a.md"]
        told = [line for line in daemon.log.read_text().splitlines() if '"descriptors"' in line]
        assert 1 <= len(told) <= 2 + (time.monotonic() - began_at) // EVERY_S  # the last one is a count
