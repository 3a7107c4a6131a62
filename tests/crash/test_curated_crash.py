"""kill -9 of a daemon that rewrites curated files beside an editor: what was answered is there, once."""

import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.files.beside import is_beside
from tests.counts import add
from tests.crash.batches import FEWER_KILLS, Batch, batches
from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

MOST_S = 0.8
BURST = 5  # lines; a rewrite beside more of them would never come to its end
OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}
pytestmark = [pytest.mark.crash, pytest.mark.slow]


class Editor:
    """Appends lines as a shell does, with a breath now and then, until it is ended."""

    def __init__(self, path: Path, name: str) -> None:
        self.lines: list[str] = []
        self._path = path
        self._name = name
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._append)

    def __enter__(self) -> "Editor":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _append(self) -> None:
        while not self._is_over.wait(0.01 if len(self.lines) % BURST else 0.1):
            line = f"- edited {self._name} {len(self.lines)}"
            with self._path.open("ab", buffering=0) as file:
                file.write(f"{line}\n".encode())
            self.lines.append(line)


def remember_until_killed(daemon: RunningDaemon, name: str, after_s: float) -> tuple[list[str], list[str]]:
    """The lines that were answered, and the one that was asked for when the daemon was killed."""
    answered: list[str] = []
    asked: list[str] = []
    refused: set[str] = set()
    timer = threading.Timer(after_s, daemon.kill)
    timer.start()
    with suppress(OSError, ValueError), LineClient(daemon.socket) as client:
        while True:
            asked.append(f"- Remembered {name} {len(asked)}.")
            try:
                client.call("memory.remember", context=OWNER, text=asked[-1].removeprefix("- "))
            except DaemonError as error:
                refused.add(error.error["data"]["kind"])
            else:
                answered.append(asked[-1])
    timer.join()
    assert refused <= {"conflict"}
    return answered, asked


@pytest.mark.parametrize("batch", batches(FEWER_KILLS), ids=str)
def test_what_was_answered_is_there_once_and_no_edit_is_lost(batch: Batch) -> None:
    rng = batch.random()
    answered: list[str] = []
    asked: list[str] = []
    edited: list[str] = []
    with short_folder() as folder:
        daemon = RunningDaemon(folder, env=PATIENT)
        daemon.start()
        file = daemon.workspace / "MEMORY.md"
        file.write_text("# Memory\n\n", encoding="utf-8")
        try:
            for number in range(batch.kills):
                with Editor(file, f"{number}r") as editor:
                    more, sent = remember_until_killed(daemon, f"{number}r", 0.05 + rng.random() * MOST_S)
                    answered += more
                    asked += sent
                    daemon.start()
                edited += editor.lines
            daemon.wait_until(lambda: not any(is_beside(path.name) for path in daemon.workspace.iterdir()))
            text = file.read_text(encoding="utf-8")
            lines = Counter(line.split(" <!--")[0] for line in text.splitlines())
        finally:
            daemon.stop()
    assert [line for line in (*answered, *edited) if lines[line] != 1] == []
    assert [line for line in asked if lines[line] > 1] == []
    assert edited
    add(
        "rewrites",
        "lost or doubled",
        kills=batch.kills,
        entries=len(answered),
        lines_of_an_editor=len(edited),
    )
