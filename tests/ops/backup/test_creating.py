"""An archive is of one moment, whole or not there, and nothing is left of one that was not made."""

import errno
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from openclaw_memd.errors import ConflictError, UnavailableError
from openclaw_memd.index import snapshots
from openclaw_memd.index.database import open_reader
from openclaw_memd.ops.backup import creating, packing, staging
from openclaw_memd.ops.backup.staging import Stage
from tests.ops.backup.archives import ID, Shop, open_shop

SCHEMA = "CREATE TABLE told (line TEXT NOT NULL) STRICT"


async def tell(shop: Shop, line: str) -> None:
    """What memd does: the ledger knows a line before the note has it, and both under the lock."""
    async with shop.turn:
        await shop.state.write(lambda connection: connection.execute("INSERT INTO told VALUES (?)", (line,)))
        with (shop.workspace / "memory/a.md").open("a") as note:
            note.write(f"{line}\n")


def compare(shop: Shop, archive: Path) -> tuple[set[str], set[str]]:
    """The lines of the note and of the ledger in an archive."""
    folder = shop.restore(archive, f"back-{archive.name}").folder
    note = set((folder / "workspace/main/memory/a.md").read_text().splitlines())
    connection = open_reader(folder / "state" / ID / "state.db")
    try:
        return note, {line for (line,) in connection.execute("SELECT line FROM told")}
    finally:
        connection.close()


async def test_files_and_ledger_are_of_one_moment_while_memd_writes(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        shop.write("memory/a.md", b"")
        shop.write("memory/large.md", b"x" * 3_000_000)
        await shop.state.write(lambda connection: connection.execute(SCHEMA))
        written: list[str] = []

        async def go_on() -> None:
            for number in range(100_000):
                await tell(shop, f"line {number}")
                written.append(f"line {number}")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(go_on)
            for number in range(5):
                before = set(written)
                made = await shop.make(f"{number}.tar.gz")
                note, told = compare(shop, made.path)
                assert note == told
                assert before <= note
            assert len(written) > 10
            nursery.cancel_scope.cancel()


async def test_where_others_write_all_the_time_the_ledger_knows_more_never_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_shop(tmp_path) as shop:
        shop.write("memory/a.md", b"")
        await shop.state.write(lambda connection: connection.execute(SCHEMA))
        count = 0
        real = snapshots.copy_database

        def write_first(connection: Any, target: Path, on_fixed: Any) -> int:
            nonlocal count
            count += 1
            with (shop.workspace / "memory/a.md").open("a") as note:
                note.write(f"somebody {count}\n")
            return real(connection, target, on_fixed)

        monkeypatch.setattr(creating, "copy_database", write_first)
        made = await shop.make()
        note, _ = compare(shop, made.path)
        assert count == 3
        assert note == {"somebody 1", "somebody 2"}


async def test_a_change_that_stamps_do_not_tell_is_copied(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        path = shop.write("MEMORY.md", b"one\n")
        (tmp_path / "stage").mkdir()
        stage = Stage(shop.roots, tmp_path / "stage", frozenset())
        stage.refresh()
        before = path.stat()
        path.write_bytes(b"two\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        stage.refresh()
        (staged,) = stage.staged
        assert staged.copy is not None
        assert stage.path(staged.copy).read_bytes() == b"two\n"
        path.unlink()
        stage.refresh()
        assert stage.staged == []
        assert list((tmp_path / "stage").iterdir()) == []


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("module", "name"),
    [(staging, "copy_file"), (packing, "write_member"), (os, "link"), (packing, "write_end")],
    ids=str,
)
async def test_a_full_disk_is_told_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    def full(*_args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with open_shop(tmp_path) as shop:
        shop.write("MEMORY.md")
        with monkeypatch.context() as patch:
            patch.setattr(module, name, full)
            with pytest.raises(UnavailableError) as refused:
                await shop.make()
        assert refused.value.reason == "disk_full"
        assert names(shop.archives) == []
        await shop.make()
        assert names(shop.archives) == ["a.tar.gz"]


async def test_what_comes_back_from_the_disk_otherwise_gets_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = packing.pack

    def rot(*args: Any, **more: Any) -> Any:
        manifest = real(*args, **more)
        with args[1].open("r+b") as file:
            file.seek(100)
            file.write(b"rot")
        return manifest

    async with open_shop(tmp_path) as shop:
        shop.write("MEMORY.md")
        monkeypatch.setattr(creating, "pack", rot)
        with pytest.raises(UnavailableError, match="not on the disk as it was written"):
            await shop.make()
        assert names(shop.archives) == []


async def test_nothing_is_overwritten(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        (shop.archives / "a.tar.gz").write_text("mine")
        with pytest.raises(ConflictError) as refused:
            await shop.make()
        assert refused.value.reason == "exists"
        assert (shop.archives / "a.tar.gz").read_text() == "mine"
        assert names(shop.archives) == ["a.tar.gz"]


def lies_in(descriptor: int, folder: Path) -> bool:
    return Path(f"/proc/self/fd/{descriptor}").resolve().is_relative_to(folder)


async def test_a_disk_without_links_and_modes_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(*_args: Any) -> None:
        raise PermissionError(errno.EPERM, "no such thing on this disk")

    async with open_shop(tmp_path) as shop:
        shop.write("MEMORY.md")
        copies = tmp_path / "copies"
        copies.mkdir()
        monkeypatch.setattr(os, "link", cannot)
        real = os.fchmod
        monkeypatch.setattr(
            os, "fchmod", lambda file, mode: real(file, mode) if lies_in(file, copies) else cannot()
        )
        made = await shop.make(copies=copies)
        with pytest.raises(ConflictError):
            await shop.make(copies=copies)
        assert names(shop.archives) == ["a.tar.gz"]
        assert names(copies) == []
        monkeypatch.undo()
        assert shop.restore(made.path).manifest.files == 1


async def test_a_workspace_that_is_gone_gives_no_archive(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        shop.write("MEMORY.md")
        shop.workspace.rename(tmp_path / "moved")
        with pytest.raises(UnavailableError) as refused:
            await shop.make()
        assert refused.value.reason == "missing"
        assert names(shop.archives) == []


async def test_cancelled_it_leaves_nothing_and_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_shop(tmp_path) as shop:
        for number in range(20):
            shop.write(f"memory/{number}.md", b"x" * 100_000)
        with trio.CancelScope() as scope:
            await shop.make(progress=lambda _done, _total=None: scope_cancel(scope))
        assert scope.cancelled_caught
        assert names(shop.archives) == []
        assert not shop.turn.locked()
        assert not shop.forgetting.locked()


def scope_cancel(scope: trio.CancelScope) -> None:
    trio.from_thread.run_sync(scope.cancel)


async def test_what_a_process_left_that_did_not_end_is_taken_away(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        shop.write("MEMORY.md")
        left = shop.archives / ".memd-backup-0123456789abcdef"
        left.mkdir()
        (left / "x").write_text("private")
        for kept in (".memd-backup-mine", "notes"):
            (shop.archives / kept).mkdir()
        await shop.make()
        assert names(shop.archives) == [".memd-backup-mine", "a.tar.gz", "notes"]


async def test_memd_writes_on_while_the_archive_is_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is held for a look at stamps, not for the compressing of everything."""
    async with open_shop(tmp_path) as shop:
        shop.write("MEMORY.md")
        was_locked: list[bool] = []
        real = packing.pack

        def look(*args: Any, **more: Any) -> Any:
            was_locked.append(shop.turn.locked() or shop.forgetting.locked())
            return real(*args, **more)

        monkeypatch.setattr(creating, "pack", look)
        await shop.make()
        assert was_locked == [False]


async def test_a_damaged_ledger_gives_no_archive(tmp_path: Path) -> None:
    async with open_shop(tmp_path) as shop:
        shop.write("MEMORY.md")
        await shop.state.write(lambda connection: connection.execute(SCHEMA))
        fill = partial(_fill, rows=2000)
        await shop.state.write(fill)
        await shop.state.checkpoint()
        with shop.state.path.open("r+b") as file:
            file.seek(shop.state.path.stat().st_size - 3 * 4096)
            file.write(b"\xff" * 4096 * 2)
        with pytest.raises(UnavailableError) as refused:
            await shop.make()
        assert refused.value.reason == "damaged"
        assert names(shop.archives) == []


def _fill(connection: Any, rows: int) -> None:
    connection.executemany("INSERT INTO told VALUES (?)", [("x" * 100,)] * rows)
