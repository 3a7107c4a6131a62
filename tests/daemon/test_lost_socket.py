"""A cleaner of temporary files, or a careless command, removes the socket of a daemon that runs."""

import os
import shutil
import signal
import stat

import pytest

from tests.daemons import LineClient, RunningDaemon, short_folder


@pytest.mark.slow
def test_a_socket_file_that_is_removed_comes_back_and_nobody_notices() -> None:
    with short_folder() as folder, RunningDaemon(folder) as daemon, LineClient(daemon.socket) as kept:
        pid = kept.call("status")["pid"]
        for _ in range(2):
            daemon.socket.unlink()
            daemon.wait_until(daemon.socket.exists)

            assert stat.S_IMODE(daemon.socket.stat().st_mode) == 0o600
            assert daemon.call("status")["pid"] == pid
            assert kept.call("status")["pid"] == pid
        assert "the socket file was lost and is made again" in daemon.read_log()
        assert daemon.stop() == 0
        assert not daemon.socket.exists()


@pytest.mark.slow
def test_a_socket_folder_that_is_removed_comes_back() -> None:
    with short_folder() as folder:
        daemon = RunningDaemon(folder, env={"MEMD_SOCKET": str(folder / "run" / "m.sock")})
        daemon.socket = folder / "run" / "m.sock"
        with daemon:
            shutil.rmtree(daemon.socket.parent)
            daemon.wait_until(daemon.socket.exists)

            assert stat.S_IMODE(daemon.socket.parent.stat().st_mode) == 0o700
            assert daemon.call("status")["pid"] == daemon.pid


@pytest.mark.slow
def test_a_second_daemon_in_the_place_of_a_lost_socket_is_left_alone() -> None:
    """Its lock file is lost as well, so nothing kept the second one from starting."""
    with short_folder() as one, short_folder() as other, RunningDaemon(one) as first:
        second = RunningDaemon(other, env={"MEMD_SOCKET": str(first.socket)})
        second.socket = first.socket
        os.kill(first.pid, signal.SIGSTOP)  # it looks too often for the second one to be quicker
        first.socket.unlink()
        first.socket.with_name("m.sock.lock").unlink()
        with second:
            os.kill(first.pid, signal.SIGCONT)
            first.wait_until(lambda: "cannot be made again" in first.read_log())
            assert second.call("status")["pid"] == second.pid
        first.wait_until(first.socket.exists)
        assert first.call("status")["pid"] == first.pid
