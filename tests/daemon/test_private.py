"""What memd writes is for its user alone, whatever the umask."""

import json
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import unprivileged
from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, run_memd, short_folder
from tests.files.unprivileged import NOBODY, as_nobody

pytestmark = pytest.mark.slow

STATUS = b'{"jsonrpc":"2.0","id":1,"method":"status"}\n'
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as path:
        yield path


def modes_below(folder: Path) -> dict[str, int]:
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode)
        for path in (folder, *folder.rglob("*"))
    }


@pytest.mark.parametrize("umask", [0o000, 0o077], ids=oct)
def test_state_socket_locks_and_marker_are_closed_to_others(folder: Path, umask: int) -> None:
    daemon = RunningDaemon(folder, env=PATIENT, umask=umask)
    daemon.socket = folder / "run/m.sock"
    daemon.env["MEMD_SOCKET"] = str(daemon.socket)
    with daemon:
        daemon.write("memory/a.md", "firstword\n")
        daemon.settle()
        found = {
            name: mode
            for place in (folder / "state", folder / "run", daemon.workspace / "memory/.dreams")
            for name, mode in modes_below(place).items()
            if mode not in (0o600, 0o700)
        }
        folders = [
            folder / "run",
            folder / "state",
            daemon.state_folder(),
            daemon.workspace / "memory/.dreams",
        ]
        files = [path for path in daemon.state_folder().iterdir() if path.is_file()]
        names = {path.name for path in files}

        assert found == {}
        assert [stat.S_IMODE(path.stat().st_mode) for path in folders] == [0o700] * 4
        assert stat.S_IMODE(daemon.socket.stat().st_mode) == 0o600
        assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o600] * len(files)
        assert {
            "index-1.db",
            "index-1.db-wal",
            "index-1.db-shm",
            "state.db-wal",
            "vectors.db",
            "lock",
        } <= names


@needs_root
def test_another_user_is_refused_even_where_modes_would_let_him_in(folder: Path) -> None:
    with RunningDaemon(folder) as daemon:
        folder.chmod(0o711)
        daemon.socket.chmod(0o666)

        def ask() -> bytes:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(daemon.socket))
                try:
                    client.sendall(STATUS)
                    return client.recv(65536)
                except OSError:
                    return b""

        assert as_nobody(ask) == b""
        assert ask() != b""
        refused = [line for line in daemon.read_log().splitlines() if '"reason": "peer"' in line]
        assert [json.loads(line)["uid"] for line in refused] == [NOBODY]


def test_a_socket_folder_that_others_can_write_to_is_refused(folder: Path) -> None:
    daemon = RunningDaemon(folder)
    daemon.workspace.mkdir()
    folder.chmod(0o777)

    done = run_memd("run", "--workspace", str(daemon.workspace), env=daemon.env)

    assert done.returncode == 78
    assert f"others can write to {folder}; chmod go-w {folder}" in done.stderr


@needs_root
def test_a_workspace_that_cannot_be_written_to_is_served_with_a_warning(folder: Path) -> None:
    daemon = RunningDaemon(folder, env=PATIENT, command=unprivileged.COMMAND)
    daemon.write("memory/a.md", "firstword\n")
    os.chown(folder, NOBODY, NOBODY)
    with daemon:
        daemon.settle()
        assert daemon.search_paths("firstword") == ["memory/a.md"]
        (warning,) = daemon.call("status")["warnings"]
        assert "cannot be written to" in warning
        assert "warning: " in daemon.memd("status").stdout
    assert not (daemon.workspace / "memory/.dreams").exists()
