"""The process ends at any step of an import or an undo: nothing is lost, and the same call goes on."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.files import renaming
from openclaw_memd.files.foreign import opened_folder
from openclaw_memd.files.import_asides import at_spot
from tests.ops.imports.worlds import KilledError, World, open_world

HEAD = "memory/imports/path/notes/"
OFFERED = {f"{HEAD}{name}.md": f"- theirs {name}\n" for name in ("a", "b", "c", "d")}
BEFORE = {f"{HEAD}b.md": "- mine b\n", f"{HEAD}d.md": "- mine d\n", f"{HEAD}own.md": "- own\n"}
AFTER = {**BEFORE, **OFFERED}


def fill(world: World, *names: str) -> None:
    for path, text in OFFERED.items():
        if not names or path in names:
            world.offer(f"notes/{path.removeprefix(HEAD)}", text)
    for path, text in BEFORE.items():
        world.write(path, text)


async def count_steps(base: Path, *, undo: bool) -> int:
    async with open_world(base) as world:
        fill(world)
        done = await world.apply("path", world.home / "notes", replace=True)
        if not undo:
            return len(world.steps)
        before = len(world.steps)
        assert done.id is not None
        await world.imports.undo(done.id)
        return len(world.steps) - before


@pytest.mark.parametrize("after", range(9))
async def test_an_import_that_was_killed_goes_on_when_made_again(tmp_path: Path, after: int) -> None:
    if after == 0:
        assert await count_steps(tmp_path / "count", undo=False) == 9
    async with open_world(tmp_path) as world:
        fill(world)
        world.kill_at = after
        with pytest.raises(KilledError):
            await world.apply("path", world.home / "notes", replace=True)
        for path, text in BEFORE.items():
            assert world.read(path) in (text, OFFERED.get(path))
    async with open_world(tmp_path) as world:
        await world.imports.recover()
        done = await world.apply("path", world.home / "notes", replace=True)
        assert world.files() == AFTER
        receipts = await world.imports.receipts()
        assert [row.state for row in receipts] == ["done"]
        assert done.id in (receipts[0].id, None)
        await world.imports.undo(receipts[0].id)
        assert world.files() == BEFORE


@pytest.mark.parametrize("after", range(6))
async def test_an_undo_that_was_killed_goes_on_when_made_again(tmp_path: Path, after: int) -> None:
    if after == 0:
        assert await count_steps(tmp_path / "count", undo=True) == 6
    async with open_world(tmp_path) as world:
        fill(world)
        done = await world.apply("path", world.home / "notes", replace=True)
        assert done.id is not None
        world.kill_at = len(world.steps) + after
        with pytest.raises(KilledError):
            await world.imports.undo(done.id)
    async with open_world(tmp_path) as world:
        await world.imports.recover()
        await world.imports.undo(done.id)
        assert world.files() == BEFORE
        assert (await world.imports.receipts())[0].state == "undone"


@pytest.mark.parametrize("undo", [False, True])
async def test_a_kill_between_two_system_calls_leaves_nothing_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, undo: bool
) -> None:
    """The process ends right before each of the calls that change names; then the daemon starts anew."""
    names = [f"{HEAD}a.md", f"{HEAD}b.md"]  # one that is new, and one that has another's place
    after = {**BEFORE, **{name: OFFERED[name] for name in names}}
    fuse = Fuse(monkeypatch)
    number = 0
    while True:
        base = tmp_path / str(number)
        async with open_world(base) as world:
            fill(world, *names)
            import_id = None
            try:
                fuse.left = None if undo else number
                import_id = (await world.apply("path", world.home / "notes", replace=True)).id
                fuse.left = number
                if undo:
                    await world.imports.undo(import_id or "")
            except KilledError:
                pass
            else:
                break
            finally:
                fuse.left = None
        async with open_world(base) as world:
            await world.imports.recover()
            assert not [path for path in world.files() if "/.memd-" in path]
            assert BEFORE.keys() <= world.files().keys()
            if undo:
                await world.imports.undo(import_id or "")
                assert world.files() == BEFORE
            else:
                await world.apply("path", world.home / "notes", replace=True)
                assert world.files() == after
        number += 1
    assert number >= 7  # as many places to end were tried


async def test_what_an_editor_wrote_meanwhile_gets_its_place_back(tmp_path: Path) -> None:
    """The names were exchanged, what came out was not what had been backed up, and then the process ended."""
    path = f"{HEAD}b.md"
    async with open_world(tmp_path) as world:
        fill(world)
        world.kill_at = 4
        with pytest.raises(KilledError):
            await world.apply("path", world.home / "notes", replace=True)
        world.write(path, OFFERED[path])
        with opened_folder(world.folder) as root, at_spot(root, path) as spot:
            world.write(HEAD + spot.new, "- mine, edited\n")
    async with open_world(tmp_path) as world:
        await world.imports.recover()
        assert world.read(path) == "- mine, edited\n"


async def test_what_nobody_knows_is_never_removed(tmp_path: Path) -> None:
    """The same, and by now the place has been written to by hand as well."""
    path = f"{HEAD}b.md"
    async with open_world(tmp_path) as world:
        fill(world)
        world.kill_at = 4
        with pytest.raises(KilledError):
            await world.apply("path", world.home / "notes", replace=True)
        world.write(path, "- by hand\n")
        with opened_folder(world.folder) as root, at_spot(root, path) as spot:
            world.write(HEAD + spot.new, "- one\n")
            world.write(HEAD + spot.old, "- two\n")
    async with open_world(tmp_path) as world:
        await world.imports.recover()
        assert world.read(path) == "- by hand\n"
        kept = {text for name, text in world.files().items() if ".before-import" in name}
        assert kept == {"- one\n", "- two\n"}


class Fuse:
    """Ends the process before the call number ``left`` of those that change names; None: never."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left: int | None = None
        for module, name in (
            (renaming, "rename_new"),
            (renaming, "exchange_names"),
            (os, "rename"),
            (os, "unlink"),
        ):
            monkeypatch.setattr(module, name, self._fused(getattr(module, name)))

    def _fused(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if self.left is not None:
                self.left -= 1
                if self.left < 0:
                    raise KilledError
            return real(*args, **options)

        return call
