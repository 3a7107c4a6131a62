"""The daemon's socket: made so that only its user can reach it, and never taken from a daemon that lives."""

import contextlib
import os
import socket
import stat
import sys
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import structlog

from openclaw_memd.config.exposure import find_exposure
from openclaw_memd.config.paths import MAX_SOCKET_BYTES
from openclaw_memd.files.lock import take_flock

log = structlog.get_logger("memd.listener")

_BACKLOG = 128
_FIRST_FD = 3  # SD_LISTEN_FDS_START


class AlreadyRunningError(Exception):
    """Another daemon has this socket."""

    exit_code: ClassVar[int] = 75


class SocketPathError(Exception):
    """There cannot be a socket at this place; the message says why."""

    exit_code: ClassVar[int] = 78


@dataclass(slots=True, eq=False)
class Listener:
    """Listening sockets. ``path`` and ``lock`` are None for those that a service manager made."""

    sockets: tuple[socket.socket, ...]
    path: Path | None = None
    lock: int | None = None
    identity: tuple[int, int] | None = None

    def close(self) -> None:
        """Stop listening, and remove the socket file if it is still ours. The lock file stays."""
        if self.path is not None and _identity(self.path) == self.identity:
            self.path.unlink(missing_ok=True)
        for sock in self.sockets:
            sock.close()
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def is_lost(self) -> bool:
        """Whether the socket file is gone, or is no longer ours. Those of a service manager never are."""
        return self.path is not None and _identity(self.path) != self.identity

    def remake(self) -> None:
        """Listen at ``path`` again, as :func:`open_listener` does and under the same lock.

        The old sockets stay open, to be closed by whoever accepts on them. If the lock file is lost as well,
        a new one must be had first.

        Raises:
            AlreadyRunningError: another daemon has the lock or the socket by now.
            SocketPathError: there cannot be a socket any more.
        """
        if self.path is None or self.lock is None:
            raise RuntimeError("only a socket of our own is made again")
        with _explained(self.path):
            _prepare_folder(self.path.parent)
            status = os.fstat(self.lock)
            if _identity(_lock_path(self.path)) != (status.st_dev, status.st_ino):
                lost, self.lock = self.lock, _take_lock(self.path)
                os.close(lost)
            _refuse_living(self.path)
            self.sockets = (_listen(self.path),)
            self.identity = _identity(self.path)


def open_listener(path: Path) -> Listener:
    """Listen at ``path``, in place of a socket that nobody listens on any more.

    The file has mode 0600 from its first instant whatever the umask, and it can be connected to from the
    moment it has its name. A missing folder is made with mode 0700.

    Raises:
        AlreadyRunningError: a daemon holds the lock beside ``path``, or somebody listens there.
        SocketPathError: the path is too long, a folder of it is open to others, or something else is there.
    """
    name = os.fsencode(path)
    if len(name) > MAX_SOCKET_BYTES:
        raise SocketPathError(
            f"the socket path has {len(name)} bytes and the system takes {MAX_SOCKET_BYTES}: {path}"
        )
    with _explained(path):
        _prepare_folder(path.parent)
        lock = _take_lock(path)
        try:
            _refuse_living(path)
            sock = _listen(path)
            return Listener((sock,), path, lock, _identity(path))
        except BaseException:
            os.close(lock)
            raise


def inherit_listener(environ: MutableMapping[str, str] = os.environ) -> Listener | None:
    """The sockets that systemd hands over (LISTEN_FDS); None when there are none for this process.

    Their files are the service manager's and are left alone. The variables are removed, so that no child
    takes the sockets for its own.

    Raises:
        SocketPathError: something other than a listening Unix stream socket was handed over.
    """
    if environ.get("LISTEN_PID") != str(os.getpid()):
        return None
    fds = environ.get("LISTEN_FDS", "")
    if not fds.isascii() or not fds.isdigit():
        raise SocketPathError("LISTEN_FDS is not a number")
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        environ.pop(name, None)
    return _adopt(range(_FIRST_FD, _FIRST_FD + int(fds))) if int(fds) else None


def inherit_from_launchd(name: str) -> Listener | None:
    """The sockets that launchd holds for this job under ``name``; None when there are none, or no launchd."""
    if sys.platform == "darwin":
        import ctypes

        libc = ctypes.CDLL(None)
        fds, count = ctypes.POINTER(ctypes.c_int)(), ctypes.c_size_t()
        if libc.launch_activate_socket(name.encode(), ctypes.byref(fds), ctypes.byref(count)) == 0:
            found = [fds[index] for index in range(count.value)]
            libc.free(fds)
            return _adopt(found) if found else None
    return None


def _adopt(fds: Sequence[int]) -> Listener:
    sockets = []
    for fd in fds:
        try:
            sock = socket.socket(fileno=fd)
        except OSError as error:
            raise SocketPathError(f"file descriptor {fd} is not a socket") from error
        listens = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        if sock.family != socket.AF_UNIX or sock.type != socket.SOCK_STREAM or not listens:
            raise SocketPathError(f"file descriptor {fd} is not a listening Unix stream socket")
        os.set_inheritable(fd, False)
        sockets.append(sock)
    return Listener(tuple(sockets))


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SocketPathError(f"cannot listen at {path}: {error.strerror or error}") from error


def _prepare_folder(folder: Path) -> None:
    exposure = find_exposure(folder)
    if exposure is not None:
        raise SocketPathError(f"the socket must be where only its user can put one: {exposure}")
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            folder.chmod(0o700)  # an unusual umask may have taken our own rights away
    mode = folder.stat().st_mode
    if mode & 0o077:
        log.warning("socket folder is not private", mode=oct(stat.S_IMODE(mode)))


def _lock_path(path: Path) -> Path:
    return Path(f"{path}.lock")


def _take_lock(path: Path) -> int:
    """A descriptor that holds the lock. Only the kernel's lock counts, not the file or what is in it.

    What is in it is our process id, for the message of a client that gets no answer.
    """
    lock = os.open(_lock_path(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            os.fchmod(lock, 0o600)
        take_flock(lock)
    except BlockingIOError:
        os.close(lock)
        raise AlreadyRunningError("a daemon already runs on this socket") from None
    except BaseException:
        os.close(lock)
        raise
    with contextlib.suppress(OSError):  # as on a full disk
        os.ftruncate(lock, 0)
        os.pwrite(lock, b"%d\n" % os.getpid(), 0)
    return lock


def _refuse_living(path: Path) -> None:
    """Somebody may listen without our lock: a socket that a service manager made, or another program."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise SocketPathError(f"not a socket, so not replaced: {path}")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except BlockingIOError:  # its backlog is full
            pass
        except (ConnectionRefusedError, FileNotFoundError):
            return
    raise AlreadyRunningError("somebody already listens on this socket")


def _listen(path: Path) -> socket.socket:
    """Bind and listen under another name, then take the real one, so that clients never see a dead socket.

    The other name is as long as the real one, since length is limited. Only the holder of the lock uses it.
    """
    other = path.with_name(path.name[:-1] + ("+" if path.name.endswith("~") else "~"))
    if other.is_socket():
        other.unlink()
    sock = socket.socket(socket.AF_UNIX)
    try:
        if sys.platform == "linux":
            os.fchmod(sock.fileno(), 0o600)  # bind gives the file this mode, less the umask
        sock.bind(str(other))
        other.chmod(0o600)
        sock.listen(_BACKLOG)
        other.replace(path)
    except BaseException:
        sock.close()
        raise
    return sock


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
