"""Files and folders that become links and back, all the time, while memd reads and writes them."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.counts import tell
from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

SECONDS = float(os.environ.get("MEMD_SWAP_SECONDS", "3"))
CANARY = "xylocarpusquartz"
OWNER: dict[str, Any] = {"session_id": "s1", "session_kind": "interactive", "chat_type": "direct"} | {
    "sender": {"id": "u1", "is_owner": True}
}
KINDS = {"denied", "conflict", "unavailable", "not_found", "deadline", "invalid_params"}

pytestmark = pytest.mark.fault


class Swapper:
    """Puts a link to ``target`` in the place of ``path`` and back, by renames, until it is over."""

    def __init__(self, path: Path, target: Path) -> None:
        self.path = path
        self.turns = 0
        self._aside = path.with_name(f".{path.name}.real")
        self._link = path.with_name(f".{path.name}.link")
        self._target = target

    def swap(self) -> None:
        """To the link and back. What somebody makes in the gap is put aside, never over the real one."""
        with suppress(OSError):
            self.path.rename(self._aside)
            self._link.symlink_to(self._target)
            self._link.replace(self.path)
            self.turns += 1
        time.sleep(0.0005)
        with suppress(OSError):
            if self.path.is_symlink():
                self.path.unlink()
            if self._aside.exists() and not self.path.exists():
                self._aside.rename(self.path)
        time.sleep(0.0005)


@contextmanager
def swapping(*swappers: Swapper) -> Iterator[None]:
    is_over = threading.Event()

    def run(swapper: Swapper) -> None:
        while not is_over.is_set():
            swapper.swap()

    threads = [threading.Thread(target=run, args=(one,), daemon=True) for one in swappers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


@pytest.fixture
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        running = RunningDaemon(folder, env=PATIENT)
        outside = folder / "outside"
        outside.mkdir()
        for name in ("secret.md", "a.md", "deep.md"):
            (outside / name).write_text(f"- {CANARY} is outside\n")
        running.write("MEMORY.md", "# Memory\n\n- A word of ours. <!-- trigger: ours -->\n")
        running.write("memory/a.md", "- word of ours\n")
        running.write("memory/folder/deep.md", "- deep word of ours\n")
        running.write("AGENTS.md", "# Ours\n")
        with running:
            running.settle()
            yield running


def asks(note: str) -> list[Callable[[LineClient, int], Any]]:
    return [
        lambda client, _: client.call("recall.search", query=f"word {CANARY}", corpus="all", min_score=0),
        lambda client, _: client.call("recall.get", path="memory/a.md"),
        lambda client, _: client.call("recall.get", path="memory/folder/deep.md"),
        lambda client, _: client.call("recall.get", path="MEMORY.md"),
        lambda client, _: client.call("inject.bootstrap", context=OWNER),
        lambda client, turn: client.call("inject.turn", text="ours", turn_id=str(turn), context=OWNER),
        lambda client, turn: client.call("note.append", text=f"- line{turn}", context=OWNER),
        lambda client, turn: client.call("memory.remember", text=f"Fact {turn}.", context=OWNER),
        lambda client, _: client.call("memory.lint"),
        lambda client, _: client.call("memory.trust", path=note, origin="untrusted"),
        lambda client, _: client.call("index.sync", force=True),
        lambda client, _: client.call("index.rebuild", wait=True),
        lambda client, _: client.call("dream.run", wait=True),
        lambda client, turn: client.call("forget", query=f"line{turn - 5}", dry_run=False, wait=True),
    ]


@pytest.mark.slow
def test_no_swap_lets_anything_in_or_out(daemon: RunningDaemon) -> None:
    outside = daemon.folder / "outside"
    before = {path.name: path.read_bytes() for path in outside.iterdir()}
    note = daemon.call("note.append", text="- it began", context=OWNER)["path"]
    daemon.call("dream.run", wait=True)
    swappers = [
        Swapper(daemon.workspace / "memory/a.md", outside / "a.md"),
        Swapper(daemon.workspace / "memory/folder", outside),
        Swapper(daemon.workspace / "MEMORY.md", outside / "secret.md"),
        Swapper(daemon.workspace / "AGENTS.md", outside / "secret.md"),
        Swapper(daemon.workspace / note, outside / "secret.md"),
        Swapper(daemon.workspace / "DREAMS.md", outside / "secret.md"),
    ]
    answers = refusals = turn = 0
    ends_at = time.monotonic() + SECONDS
    with swapping(*swappers), LineClient(daemon.socket) as client:
        while time.monotonic() < ends_at or turn < 2 * len(asks(note)):
            for ask in asks(note)[: 8 if turn % 10 else None]:
                turn += 1
                try:
                    answer = ask(client, turn)
                    answers += 1
                except DaemonError as error:
                    answer = error.error
                    assert answer["data"]["kind"] in KINDS, answer
                    refusals += 1
                assert CANARY not in json.dumps(answer)
    for swapper in swappers:
        assert swapper.turns > 10
    daemon.settle()
    assert daemon.call("recall.search", query=CANARY, corpus="all", min_score=0)["hits"] == []
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == before
    for path in daemon.state_folder().iterdir():
        assert CANARY.encode() not in path.read_bytes(), path.name
    assert '"call failed"' not in daemon.log.read_text(), daemon.read_log()
    swaps = sum(swapper.turns for swapper in swappers)
    tell("swaps", f"{swaps}, {answers} answers, {refusals} refusals, 0 leaks")
