"""Modes of everything that memd makes, looked at all the time from before it starts: never open to others."""

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.counts import tell
from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder

ROUNDS = int(os.environ.get("MEMD_MODE_ROUNDS", "1"))
OTHERS = 0o077
OWNER = {"session_id": "s1", "session_kind": "interactive", "chat_type": "direct"} | {
    "sender": {"id": "u1", "is_owner": True}
}

pytestmark = pytest.mark.fault


class Sampler:
    """Looks at everything below some folders in a tight loop; ``found`` are those that others may use."""

    def __init__(self, *folders: Path) -> None:
        self.found: dict[str, str] = {}
        self.seen: set[str] = set()
        self.looks = 0
        self._folders = folders
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)

    @contextmanager
    def looking(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            self._thread.join()

    def _look_on(self) -> None:
        while not self._is_over.is_set():
            for folder in self._folders:
                self._look(folder)
            self.looks += 1

    def _look(self, path: Path) -> None:
        try:
            status = path.lstat()
            if status.st_mode & OTHERS and not stat.S_ISLNK(status.st_mode):
                self.found[path.name] = stat.filemode(status.st_mode)
            self.seen.add(path.name)
            if stat.S_ISDIR(status.st_mode):
                for entry in os.scandir(path):
                    self._look(Path(entry.path))
        except OSError:
            pass  # it went meanwhile


@pytest.mark.slow
def test_nothing_is_open_to_others_for_an_instant() -> None:
    seen: set[str] = set()
    found: dict[str, str] = {}
    looks = 0
    for _ in range(ROUNDS):
        with short_folder() as folder:
            daemon = RunningDaemon(folder, env=PATIENT, umask=0)
            daemon.socket = folder / "run/m.sock"
            daemon.env["MEMD_SOCKET"] = str(daemon.socket)
            places = (folder / "state", folder / "run", folder / "data", daemon.workspace / "memory/.dreams")
            sampler = Sampler(*places)
            with sampler.looking():
                daemon.start()
                use_everything(daemon)
                daemon.kill()
                daemon.start()
                daemon.settle()
                daemon.stop()
            seen |= sampler.seen
            found |= sampler.found
            looks += sampler.looks
    assert found == {}
    assert {
        "state.db",
        "state.db-wal",
        "state.db-shm",
        "index-1.db",
        "vectors.db",
        "m.sock",
        "m.sock.lock",
    } <= seen
    tell("modes", f"{looks} looks at {len(seen)} names, 0 open to others")


def use_everything(daemon: RunningDaemon) -> None:
    daemon.call("note.append", text="- it is noted", context=OWNER)
    daemon.call("memory.remember", text="It is known.", context=OWNER)
    daemon.call("memory.remember", text="It is known too.", context=OWNER)
    daemon.call("index.rebuild", wait=True)
    daemon.call("dream.run", wait=True)
    daemon.call("forget", query="noted", dry_run=False, wait=True)
    names = {method["name"] for method in daemon.call("rpc.discover")["methods"]}
    if "backup.create" in names:
        daemon.call("backup.create", wait=True)


@pytest.mark.slow
def test_temporary_versions_of_a_curated_file_are_as_private_as_the_file() -> None:
    with short_folder() as folder:
        daemon = RunningDaemon(folder, env=PATIENT, umask=0)
        memory = daemon.write("MEMORY.md", "# Memory\n")
        memory.chmod(0o600)
        daemon.workspace.chmod(0o700)
        with daemon:
            sampler = Sampler(*(daemon.workspace / name for name in ("MEMORY.md",)))
            whole = Sampler(daemon.workspace)
            with sampler.looking(), whole.looking():
                for number in range(10):
                    daemon.call("memory.remember", text=f"It is known, number {number}.", context=OWNER)
                daemon.wait_until(lambda: not list(daemon.workspace.glob(".memd-*")))
            beside = {name: mode for name, mode in whole.found.items() if name.startswith(".memd-")}
            assert sampler.found == beside == {}
            assert any(name.startswith(".memd-") for name in whole.seen)
