"""Editors write as fast as they can while the file is rewritten: no line of theirs is missing in the end."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Self

import pytest
import trio

from openclaw_memd.errors import ConflictError
from openclaw_memd.files import renaming
from tests.crash.editors import WAYS
from tests.curated.worlds import World, open_world

IS_LONG = "MEMD_CRASH_ROUNDS" in os.environ
EDITS = 10_000 if IS_LONG else 1_000
SETTLE_S, WAIT_S = (2.0, 3.0) if IS_LONG else (0.1, 0.4)

# Without an exchange of names a file that is renamed into place at the same instant can be lost.
COMBINATIONS = [(way, is_weak) for way in WAYS for is_weak in (False, True) if way != "rename" or not is_weak]

pytestmark = pytest.mark.crash


class Editor:
    """The process of an editor."""

    def __init__(self, way: str, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.editors", way, str(path), str(EDITS)],
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
                rewriting = trio.CancelScope()
                ours: list[str] = []
                nursery.start_soon(rewrite_on, world, ours, rewriting)
                editor.go()
                await editor.wait_for(b"done\n")
                rewriting.cancel()
                await trio.sleep(WAIT_S)
                lines = Counter(world.read().decode().splitlines())
                nursery.cancel_scope.cancel()
        assert [line for number in range(EDITS) if not lines[line := f"- {way} {number}"]] == []
        assert ours or way == "save"  # which is in the middle of it most of the time
        if way in ("append", "echo"):  # the others save what they read before
            assert [line for line in ours if lines[line] != 1] == []
            assert [line for line, count in lines.items() if count > 1] == []
        assert await world.writer.asides.settled(within_s=10)
        assert world.asides() == []
        assert world.rows("SELECT count(*) FROM curated_rewrites") == [(0,)]


async def rewrite_on(world: World, ours: list[str], scope: trio.CancelScope) -> None:
    """Add lines all the time; ``ours`` are those that were acknowledged."""
    with scope:
        for number in range(1 << 30):
            line = f"- ours {number}"
            try:
                with trio.CancelScope(shield=True):
                    await world.add(line)
            except ConflictError:
                await trio.sleep(0.001)
            else:
                ours.append(line)
                await trio.sleep(0.01)
