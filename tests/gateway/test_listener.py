import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.config.paths import MAX_SOCKET_BYTES
from openclaw_memd.gateway.listener import (
    AlreadyRunningError,
    Listener,
    SocketPathError,
    inherit_from_launchd,
    inherit_listener,
    open_listener,
)
from tests.gateway.clients import short_dir

HOLD = """
import os, sys
from pathlib import Path
from openclaw_memd.gateway.listener import open_listener
os.umask(int(sys.argv[2], 8))
listener = open_listener(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path() -> Iterator[Path]:
    with short_dir() as folder:
        yield Path(folder) / "run" / "memd.sock"


def hold(path: Path, umask: str = "022") -> subprocess.Popen[str]:
    """Another process that listens."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), umask],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def run(program: str, *args: str, **environ: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program, *args],
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def can_connect(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as sock:
        return sock.connect_ex(str(path)) == 0


@pytest.mark.parametrize("umask", ["000", "022", "077", "777"])
def test_modes_do_not_depend_on_the_umask(path: Path, umask: str) -> None:
    process = hold(path, umask)
    try:
        assert mode(path.parent) == 0o700
        assert mode(path) == 0o600
        assert mode(Path(f"{path}.lock")) == 0o600
    finally:
        end(process)


BIND = """
import os, sys
from pathlib import Path
from openclaw_memd.gateway.listener import open_listener

def note(event, args):
    if event == "os.chmod" and isinstance(args[0], str) and Path(args[0]).is_socket():
        print(oct(os.stat(args[0]).st_mode & 0o777))

os.umask(0)
sys.addaudithook(note)
open_listener(Path(sys.argv[1]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the folder alone guards that instant")
def test_the_socket_has_its_mode_from_the_moment_that_it_is_bound(path: Path) -> None:
    assert run(BIND, str(path)) == "0o600\n"


def test_a_second_daemon_is_told_and_the_first_goes_on(path: Path) -> None:
    process = hold(path)
    try:
        with pytest.raises(AlreadyRunningError) as caught:
            open_listener(path)
        assert caught.value.exit_code == 75
        assert can_connect(path)
    finally:
        end(process)


def test_a_socket_left_by_a_killed_daemon_is_replaced_at_once(path: Path) -> None:
    end(hold(path))
    assert path.is_socket()
    assert not can_connect(path)
    listener = open_listener(path)
    try:
        assert can_connect(path)
    finally:
        listener.close()


def test_what_the_lock_file_says_means_nothing(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    Path(f"{path}.lock").write_text(f"{os.getpid()}\n")
    open_listener(path).close()
    assert Path(f"{path}.lock").read_text() == f"{os.getpid()}\n"


def test_a_start_that_was_killed_half_way_is_cleared_up(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path.with_name("memd.soc~")))
    open_listener(path).close()
    assert [entry.name for entry in path.parent.iterdir()] == ["memd.sock.lock"]


def test_somebody_who_listens_without_our_lock_is_left_alone(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
        sock.listen()
        with pytest.raises(AlreadyRunningError):
            open_listener(path)
        assert can_connect(path)


def test_the_socket_goes_at_stop_and_the_lock_file_stays(path: Path) -> None:
    open_listener(path).close()
    assert not path.exists()
    assert Path(f"{path}.lock").exists()
    open_listener(path).close()


def test_a_file_that_took_our_place_stays_at_stop(path: Path) -> None:
    listener = open_listener(path)
    path.unlink()
    path.write_text("somebody else's")
    listener.close()
    assert path.read_text() == "somebody else's"


def test_only_a_socket_is_replaced(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_text("notes")
    with pytest.raises(SocketPathError, match="not a socket") as caught:
        open_listener(path)
    assert caught.value.exit_code == 78
    assert path.read_text() == "notes"


def test_a_link_is_no_lock(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    target = path.with_name("elsewhere")
    Path(f"{path}.lock").symlink_to(target)
    with pytest.raises(SocketPathError):
        open_listener(path)
    assert not target.exists()


def test_the_longest_path_works_and_one_more_byte_is_explained() -> None:
    with short_dir() as folder:
        name = "é" * ((MAX_SOCKET_BYTES - len(folder) - 1) // 2)
        longest = Path(folder) / (name + "x" * (MAX_SOCKET_BYTES - len(os.fsencode(f"{folder}/{name}"))))
        open_listener(longest).close()
        with pytest.raises(SocketPathError, match=f"{MAX_SOCKET_BYTES + 1} bytes"):
            open_listener(Path(f"{longest}x"))


def test_a_folder_that_others_can_write_to_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.parent.chmod(0o777)
    with pytest.raises(SocketPathError, match="chmod go-w"):
        open_listener(path)
    path.parent.chmod(0o1777)  # others cannot replace what is ours there
    listener = open_listener(path)
    assert mode(path) == 0o600
    listener.close()


def test_a_folder_below_one_that_others_can_write_to_is_refused(path: Path) -> None:
    deep = path.parent / "private" / "sub" / path.name
    path.parent.mkdir()
    path.parent.chmod(0o777)
    with pytest.raises(SocketPathError, match="others can write to"):
        open_listener(deep)
    assert not deep.parent.parent.exists()


def test_a_folder_that_is_a_file_is_explained(path: Path) -> None:
    path.parent.write_text("")
    with pytest.raises(SocketPathError):
        open_listener(path)


INHERIT = """
import os, sys
from openclaw_memd.gateway.listener import inherit_listener
os.dup2(int(sys.argv[1]), 3)  # as a service manager does between its fork and the start
os.environ["LISTEN_PID"] = str(os.getpid())
listener = inherit_listener()
inheritable = os.get_inheritable(3)
connection, _ = listener.sockets[0].accept()
connection.sendall(f"{len(listener.sockets)} {inheritable} {'LISTEN_FDS' in os.environ}".encode())
listener.close()
"""


INHERIT_NOTHING = """
import os
from openclaw_memd.gateway.listener import SocketPathError, inherit_listener
os.environ["LISTEN_PID"] = str(os.getpid())
try:
    inherit_listener()
except SocketPathError as error:
    print(error)
"""


def test_a_socket_of_the_service_manager_is_used_and_its_file_left_alone(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as manager:
        manager.bind(str(path))
        manager.listen()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))  # before the daemon starts: it waits in the queue
            subprocess.run(
                [sys.executable, "-c", INHERIT, str(manager.fileno())],
                env={**os.environ, "LISTEN_FDS": "1"},
                pass_fds=[manager.fileno()],
                check=True,
            )
            assert client.recv(100) == b"1 False False"
        assert path.is_socket()


@pytest.mark.parametrize(
    "environ",
    [{}, {"LISTEN_PID": "1", "LISTEN_FDS": "1"}, {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "0"}],
)
def test_without_sockets_for_this_process_nothing_is_inherited(environ: dict[str, str]) -> None:
    assert inherit_listener(environ) is None


def test_what_is_handed_over_must_be_a_listening_socket() -> None:
    with pytest.raises(SocketPathError, match="not a number"):
        inherit_listener({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "x"})
    assert run(INHERIT_NOTHING, LISTEN_FDS="1") == "file descriptor 3 is not a socket\n"


@pytest.mark.skipif(sys.platform == "darwin", reason="there it asks launchd")
def test_without_launchd_there_is_nothing_of_launchd() -> None:
    assert inherit_from_launchd("memd") is None


def identity(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino


def test_a_socket_file_that_was_removed_is_made_again_as_private_as_before(path: Path) -> None:
    listener = open_listener(path)
    try:
        old = listener.sockets
        assert not listener.is_lost()
        lock = identity(Path(f"{path}.lock"))
        path.unlink()
        assert listener.is_lost()
        before = os.umask(0)
        try:
            listener.remake()
        finally:
            os.umask(before)
            for sock in old:
                sock.close()
        assert not listener.is_lost()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert identity(Path(f"{path}.lock")) == lock
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
        with pytest.raises(AlreadyRunningError):
            open_listener(path)
    finally:
        listener.close()
    assert not path.exists()


def test_a_folder_that_was_removed_is_made_again_with_its_lock(path: Path) -> None:
    listener = open_listener(path)
    old = listener.sockets
    shutil.rmtree(path.parent)
    listener.remake()
    for sock in old:
        sock.close()
    try:
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        path.unlink()  # so that only the lock can keep a second one out
        with pytest.raises(AlreadyRunningError):
            open_listener(path)
    finally:
        listener.close()


def test_what_another_made_in_the_place_of_a_lost_socket_is_left_alone(path: Path) -> None:
    listener = open_listener(path)
    try:
        path.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(path))
            other.listen()
            theirs = identity(path)
            assert listener.is_lost()
            with pytest.raises(AlreadyRunningError):
                listener.remake()
        path.unlink()
        path.write_text("precious")
        with pytest.raises(SocketPathError):
            listener.remake()
        assert path.read_text() == "precious"
        assert theirs != listener.identity
    finally:
        listener.close()
    assert path.read_text() == "precious"


def test_a_daemon_that_took_a_lost_lock_keeps_it(path: Path) -> None:
    listener = open_listener(path)
    try:
        path.unlink()
        Path(f"{path}.lock").unlink()
        second = hold(path)
        try:
            path.unlink()
            with pytest.raises(AlreadyRunningError):
                listener.remake()
        finally:
            second.communicate("", timeout=60)
    finally:
        listener.close()


def test_the_sockets_of_a_service_manager_are_never_lost(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as manager:
        manager.bind(str(path))
        path.unlink()
        assert not Listener((manager,)).is_lost()
