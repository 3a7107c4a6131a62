import itertools
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.errors import UnavailableError
from openclaw_memd.supervisor import Health, ServiceManager, keep_running


@pytest.fixture
def autojump_clock() -> MockClock:
    return MockClock(autojump_threshold=0)


async def test_a_failing_task_comes_back_with_growing_delays(autojump_clock: MockClock) -> None:
    starts: list[float] = []
    health = Health("watcher")

    async def fail() -> None:
        starts.append(trio.current_time())
        raise OSError("gone")

    with trio.move_on_after(200):
        await keep_running("watcher", fail, health)
    gaps = [round(later - earlier) for earlier, later in itertools.pairwise(starts)]
    assert gaps == [1, 2, 4, 8, 16, 32, 60, 60]
    assert (health.restarts, health.last_error, health.running) == (len(starts), "OSError", False)


async def test_a_steady_task_starts_again_soon(autojump_clock: MockClock) -> None:
    starts: list[float] = []

    async def run_long_then_fail() -> None:
        starts.append(trio.current_time())
        await trio.sleep(500)
        raise RuntimeError

    with trio.move_on_after(2000):
        await keep_running("filler", run_long_then_fail)
    assert [round(later - earlier) for earlier, later in itertools.pairwise(starts)] == [501] * 3


async def test_a_task_that_returns_is_done() -> None:
    async def finish() -> None:
        await trio.lowlevel.checkpoint()

    await keep_running("once", finish)


@pytest.mark.parametrize("abstract", [False, True])
def test_notifications_reach_the_manager(tmp_path: Path, abstract: bool) -> None:
    name = f"@memd-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + name[1:] if abstract else name)
        manager.settimeout(5)
        assert ServiceManager({"NOTIFY_SOCKET": name}).notify("READY=1", "STATUS=up")
        assert manager.recv(100) == b"READY=1\nSTATUS=up"


def test_no_manager_is_no_trouble(tmp_path: Path) -> None:
    assert not ServiceManager({}).notify("READY=1")
    assert not ServiceManager({"NOTIFY_SOCKET": str(tmp_path / "gone")}).notify("READY=1")


async def test_the_watchdog_is_fed_only_with_proof(tmp_path: Path, autojump_clock: MockClock) -> None:
    proofs = 0

    async def prove() -> None:
        nonlocal proofs
        proofs += 1
        if proofs > 3:
            await trio.sleep_forever()

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.setblocking(False)
        env = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "4000000"}
        with trio.move_on_after(60):
            await ServiceManager(env).feed_watchdog(prove)
        signs = 0
        while True:
            try:
                assert manager.recv(100) == b"WATCHDOG=1"
            except BlockingIOError:
                break
            signs += 1
    assert signs == 3
    assert proofs > 4


def test_a_watchdog_meant_for_another_process_is_not_ours() -> None:
    assert ServiceManager({"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"}).watchdog_interval_s is None
    ours = {"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": str(os.getpid())}
    assert ServiceManager(ours).watchdog_interval_s == 2
    assert ServiceManager({"WATCHDOG_USEC": "soon"}).watchdog_interval_s is None


async def test_an_expected_failure_is_told_in_its_own_words(autojump_clock: MockClock) -> None:
    health = Health("indexing")

    async def fail() -> None:
        raise UnavailableError("the disk is full", reason="disk_full")

    with trio.move_on_after(0.5):
        await keep_running("indexing", fail, health)
    assert health.last_error == "the disk is full"


def test_a_process_that_hangs_ends_all_the_same() -> None:
    program = (
        "import threading, openclaw_memd.supervisor as s\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "s.leave_within(0.05, code=3)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], timeout=30, check=False)
    assert done.returncode == 3
