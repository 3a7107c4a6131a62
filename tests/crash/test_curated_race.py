"""Editors write as fast as they can while the file is rewritten: no line of theirs is missing in the end."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest
import trio

from openclaw_memd.errors import ConflictError
from openclaw_memd.files import renaming
from tests.crash.editors import WAYS
from tests.curated.worlds import World, open_world

IS_LONG = "MEMD_CRASH_ROUNDS" in os.environ
PARTS = 3
EDITS = 4_000 if IS_LONG else 1_000  # of each part
SETTLE_S = 2.0 if IS_LONG else 1.0  # an editor that waits longer for a processor, its file open, loses lines
LIMIT_S = 60.0

# Without an exchange of names a file that is renamed into place at the same instant can be lost.
COMBINATIONS = [(way, is_weak) for way in WAYS for is_weak in (False, True) if way != "rename" or not is_weak]

pytestmark = pytest.mark.crash


class Editor:
    """The process of an editor."""

    def __init__(self, way: str, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.editors", way, str(path), str(PARTS), str(EDITS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def __enter__(self) -> Self:
        self._process.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._process.kill()
        self._process.__exit__(*error)

    async def wait_for(self, line: bytes) -> None:
        assert self._process.stdout is not None
        assert await trio.to_thread.run_sync(self._process.stdout.readline) == line

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(b"go\n")
        self._process.stdin.flush()


@dataclass
class Acknowledged:
    """Lines that were acknowledged; ``more`` is set with the next one."""

    lines: list[str] = field(default_factory=list)
    more: trio.Event = field(default_factory=trio.Event)

    def add(self, line: str) -> None:
        self.lines.append(line)
        self.more.set()
        self.more = trio.Event()


@pytest.mark.parametrize(("way", "is_weak"), COMBINATIONS)
async def test_no_line_of_an_editor_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, is_weak: bool
) -> None:
    if is_weak:
        monkeypatch.setattr(renaming, "find_renameat2", lambda: None)
    async with open_world(tmp_path, settle_s=SETTLE_S, file_bytes=1 << 24) as world:
        world.write(b"# Memory\n")
        with Editor(way, world.path) as editor:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(world.writer.run)
                await editor.wait_for(b"ready\n")
                ours = Acknowledged()
                async with trio.open_nursery() as rewriting:
                    rewriting.start_soon(rewrite_on, world, ours)
                    for _ in range(PARTS):
                        editor.go()
                        await editor.wait_for(b"done\n")
                        with trio.fail_after(LIMIT_S):
                            await ours.more.wait()  # beside the editor it may always be too late
                    rewriting.cancel_scope.cancel()
                assert await world.writer.asides.settled(within_s=LIMIT_S)
                lines = Counter(world.read().decode().splitlines())
                nursery.cancel_scope.cancel()
        assert [line for number in range(PARTS * EDITS) if not lines[line := f"- {way} {number}"]] == []
        assert len(ours.lines) >= PARTS
        if way in ("append", "echo"):  # the others save what they read before
            assert [line for line in ours.lines if lines[line] != 1] == []
            assert [line for line, count in lines.items() if count > 1] == []
        assert world.asides() == []
        assert world.rows("SELECT count(*) FROM curated_rewrites") == [(0,)]


async def rewrite_on(world: World, ours: Acknowledged) -> None:
    """Add lines all the time, until cancelled."""
    for number in range(1 << 30):
        line = f"- ours {number}"
        try:
            with trio.CancelScope(shield=True):
                await world.add(line)
        except ConflictError:
            await trio.sleep(0.001)
        else:
            ours.add(line)
            await trio.sleep(0.01)
