"""A real systemd: process 1 of namespaces of its own, over a throw-away copy of this machine's files.

Nothing outside is touched: files go to a layer in memory, and cgroups, processes, mounts and network are
its own.
"""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LIMIT_S = 60.0
SYSTEMD = Path("/lib/systemd/systemd")
MEMD = "/opt/memd/memd"
USER, UID = "alice", 4321
ROOT = Path(__file__).parents[3]

BOOT = """
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/up" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" "$1/root"
cd "$1/root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
mkdir -p dev/shm dev/pts opt/py opt/site opt/repo opt/memd old
mount -t tmpfs tmpfs dev/shm
ln -s /proc/self/fd dev/fd
ln -s pts/ptmx dev/ptmx
mount --bind "$2" opt/py
mount --bind "$3" opt/site
mount --bind "$4" opt/repo
rm -rf etc/systemd/system etc/systemd/user
mkdir -p etc/systemd/system etc/systemd/user
printf '[Unit]\\nAllowIsolate=yes\\nDefaultDependencies=no\\n' >etc/systemd/system/test.target
pivot_root . old
exec chroot . /bin/sh -c 'umount -l /old; exec env -i container=other PATH=/usr/bin:/bin:/usr/sbin:/sbin \
    /lib/systemd/systemd --unit=test.target --log-target=null --show-status=no'
"""

USER_MANAGER = f"""[Service]
Type=notify
User={USER}
Environment=XDG_RUNTIME_DIR=/run/user/{UID} HOME=/home/{USER}
ExecStartPre=+/usr/bin/install -d -o {USER} -m 700 /run/user/{UID}
ExecStart=/lib/systemd/systemd --user
Slice=user.slice
Delegate=yes
"""
"""What user@.service does, without the login daemon and the bus that it needs."""

SCRIPT = f"""#!/bin/sh
export LD_LIBRARY_PATH=/opt/py/lib PYTHONDONTWRITEBYTECODE=1
exec /opt/py/bin/{Path(sys.executable).resolve().name} -c '
import sys
del sys.argv[0]
sys.path[:0] = ["/opt/repo", "/opt/site"]
from openclaw_memd.cli.main import entry_point
entry_point()
' "$0" "$@"
"""


class Machine:
    """The inside of the namespaces, seen from outside."""

    def __init__(self, init: int) -> None:
        self._init = init

    def run(self, *words: str, given: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Run a program in it, as root."""
        settings = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", "LANG": "C.UTF-8", **env}
        return subprocess.run(
            ("nsenter", "-t", str(self._init), "-m", "-p", "-u", "-i", "-n", "-C", "-r", "-w", *words),
            env=settings,
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def as_user(self, *words: str, given: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Run a program in it, as the user."""
        who = ("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups")
        own = {"HOME": f"/home/{USER}", "USER": USER, "XDG_RUNTIME_DIR": f"/run/user/{UID}", **env}
        return self.run(*who, *words, given=given, **own)

    def write(self, path: str, text: str, *, mode: str = "644", owner: str = "root") -> None:
        """Write a file in it."""
        done = self.run("sh", "-c", 'mkdir -p "$(dirname "$1")" && cat >"$1"', "sh", path, given=text)
        assert done.returncode == 0, done.stderr
        self.run("chmod", mode, path)
        self.run("chown", "-R", owner, str(Path(path).parent) if owner != "root" else path)


def why_not() -> str | None:
    """Why no systemd can be started here, None when it can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root can make the namespaces"
    if not SYSTEMD.exists() or any(shutil.which(name) is None for name in ("unshare", "nsenter", "setpriv")):
        return "systemd is not installed"
    if _cgroups() is None:
        return "no cgroup can be made here"
    return None


@contextmanager
def booted(folder: Path) -> Iterator[Machine]:
    """A machine with systemd as process 1, and the user's own systemd."""
    group = _cgroups()
    assert group is not None
    group = group / f"memd-test-{os.getpid()}"
    group.mkdir()
    words = (
        "setpriv",
        "--pdeathsig=KILL",
        "unshare",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount",
        "--uts",
        "--ipc",
        "--net",
        "--cgroup",
    )
    places = (str(folder), sys.base_prefix, sysconfig.get_path("purelib"), str(ROOT))
    process = subprocess.Popen(
        (
            "sh",
            "-c",
            'echo $$ >"$0/cgroup.procs" && exec "$@"',
            str(group),
            *words,
            "sh",
            "-c",
            BOOT,
            "sh",
            *places,
        ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        machine = Machine(_await_init(process))
        await_true(lambda: machine.run("systemctl", "is-system-running").stdout.strip() == "running")
        machine.run("useradd", "-m", "-u", str(UID), USER)
        machine.write(MEMD, SCRIPT, mode="755")
        machine.write("/etc/systemd/system/alice.service", USER_MANAGER)
        machine.run("systemctl", "daemon-reload")
        started = machine.run("systemctl", "start", "alice.service")
        assert started.returncode == 0, started.stderr
        yield machine
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        await_true(lambda: not (group / "cgroup.events").read_text().startswith("populated 1"))
        for inner in sorted((path for path in group.rglob("*") if path.is_dir()), reverse=True):
            inner.rmdir()
        group.rmdir()


def await_true(holds: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
    """Wait for what systemd does by itself."""
    ends_at = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < ends_at, "it did not come to be"
        time.sleep(0.05)


def _await_init(process: subprocess.Popen[bytes]) -> int:
    """The process that becomes systemd, once it is that."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    ends_at = time.monotonic() + LIMIT_S
    while time.monotonic() < ends_at:
        if process.poll() is not None:
            assert process.stderr is not None
            raise RuntimeError(f"the namespaces were not made: {process.stderr.read().decode()}")
        with suppress(OSError, ValueError):
            init = int(children.read_text())
            if Path(f"/proc/{init}/comm").read_text() == "systemd\n":
                return init
        time.sleep(0.02)
    raise RuntimeError("systemd did not start")


def _cgroups() -> Path | None:
    """A folder of cgroups of version 2 that takes new ones."""
    for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2" and os.access(place, os.W_OK):
            return Path(place)
    return None
