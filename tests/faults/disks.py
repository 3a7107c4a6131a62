"""Small disks that only a daemon of a test sees: to be filled, or made read-only."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.daemons import LIMIT_S


def can_mount() -> bool:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    return subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False).returncode == 0


def fill(disk: Path) -> Path:
    """Take all the room that is left."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    return ballast


@dataclass(frozen=True, slots=True)
class Disk:
    """``seen`` is where it is seen from here, ``inside`` the command that enters its namespace."""

    seen: Path
    inside: tuple[str, ...]
    place: Path

    def protect(self, folder: str) -> None:
        """Make a folder of it read-only, as a disk becomes that fails while files of it are open."""
        path = str(self.place / folder)
        self._mount("--bind", path, path)
        self._mount("-o", "remount,bind,ro", path)

    def release(self, folder: str) -> None:
        """Make the folder writable again."""
        self._run("umount", "--lazy", str(self.place / folder))

    def _mount(self, *arguments: str) -> None:
        self._run("mount", *arguments)

    def _run(self, *command: str) -> None:
        subprocess.run([*self.inside, *command], check=True, timeout=LIMIT_S)


@contextmanager
def small_disk(place: Path) -> Iterator[Disk]:
    """A disk of 8 MB at ``place`` that outlives daemons; the test is skipped where that is not allowed."""
    if not can_mount():
        pytest.skip("mounting needs root and a mount namespace")
    place.mkdir()
    script = f"mount -t tmpfs -o size=8m,mode=700 tmpfs {place} && echo mounted && exec cat"
    command = ["unshare", "-m", "sh", "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"mounted\n"
        yield Disk(Path(f"/proc/{holder.pid}/root{place}"), ("nsenter", "-m", "-t", str(holder.pid)), place)
        holder.stdin.close()
