"""Rewriting a curated file: what changes, what stays as it was, and what is refused."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
import trio

from openclaw_memd.curated import placement
from openclaw_memd.curated.writer import Author, Plan, Revision
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin
from openclaw_memd.errors import (
    ConflictError,
    DeniedError,
    InvalidParamsError,
    MemdError,
    TooLargeError,
)
from openclaw_memd.files import renaming
from openclaw_memd.files.curated import put_curated
from openclaw_memd.index.ledger import rewrites
from openclaw_memd.index.store import Work
from tests.curated.worlds import FILE_BYTES, MEMORY, World, open_world, with_line

T = TypeVar("T")


@pytest.fixture(params=["exchange", "weak"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How files are replaced: on a file system that can exchange names and on one that cannot."""
    if request.param == "weak":
        monkeypatch.setattr(renaming, "find_renameat2", lambda: None)
    return str(request.param)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_a_rewrite_takes_the_place_and_nothing_is_left(tmp_path: Path, way: str) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")
        world.path.chmod(0o664)
        rewritten = await world.add("- two")
        assert world.read() == b"- one\n- two\n"
        assert world.path.stat().st_mode & 0o777 == 0o664
        assert rewritten.hash == sha(b"- one\n- two\n")
        assert (rewritten.file, rewritten.changed) == (MEMORY, True)
        assert world.written == [MEMORY]
        assert world.writer.mode == way
        assert len(world.asides()) == 1
        await world.settle()
        assert world.asides() == []
        assert world.rows("SELECT * FROM curated_rewrites") == []
        assert await world.origins() == {"- one": Origin.AGENT, "- two": Origin.OWNER}


async def test_a_file_is_made_where_there_is_none(tmp_path: Path, way: str) -> None:
    async with open_world(tmp_path) as world:
        before = os.umask(0o022)
        try:
            await world.add("- one")
        finally:
            os.umask(before)
        assert world.read() == b"- one\n"
        assert world.path.stat().st_mode & 0o777 == 0o644
        assert world.path.stat().st_nlink == 1
        assert world.asides() == []
        assert world.rows("SELECT * FROM curated_rewrites") == []
        assert await world.origins() == {"- one": Origin.OWNER}


async def test_nothing_to_do_writes_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\r\n")
        inode = world.path.stat().st_ino
        plans: tuple[Plan, ...] = (
            lambda _text: None,
            lambda text: Revision(text or ""),
            lambda text: Revision((text or "").rstrip()),
        )
        for plan in plans:
            rewritten = await world.writer.rewrite(MEMORY, plan, cause="test", author=Author())
            assert (rewritten.changed, rewritten.preimage_id) == (False, None)
            assert rewritten.hash == sha(b"- one\r\n")
        assert world.path.stat().st_ino == inode
        assert world.rows("SELECT * FROM preimages") == []
        assert world.written == []


async def test_the_form_of_the_file_stays(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"\xef\xbb\xbf- one\r\n- two\n- three\r\n- four")
        await world.add("- five")
        assert world.read() == b"\xef\xbb\xbf- one\r\n- two\n- three\r\n- four\r\n- five"


async def test_other_names_are_no_curated_files(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        for name in ("memory.md", "Memory.md", "USER.MD", "SOUL.md", "memory/2026-01-11.md", "../MEMORY.md"):
            with pytest.raises(InvalidParamsError):
                await world.writer.rewrite(name, with_line_of("- x"), cause="test", author=Author())
        assert list(world.folder.iterdir()) == []


async def test_a_file_beside_it_that_differs_in_capital_letters_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        (world.folder / "memory.md").write_bytes(b"- another\n")
        await world.add("- one")
        assert (world.folder / "memory.md").read_bytes() == b"- another\n"
        assert world.read() == b"- one\n"
        # On a disk that ignores case the right name leads to it.
        listdir = os.listdir
        monkeypatch.setattr(
            os, "listdir", lambda folder: [name for name in listdir(folder) if name != MEMORY]
        )
        with pytest.raises(DeniedError) as refusal:
            await world.add("- two")
        assert refusal.value.reason == "name_case"
        assert world.read() == b"- one\n"


def with_line_of(line: str) -> Callable[[str | None], Revision | None]:
    return lambda text: with_line(text, line)


def make_link(path: Path) -> None:
    path.with_name("target").write_bytes(b"- one\n")
    path.symlink_to("target")


def make_twin(path: Path) -> None:
    path.write_bytes(b"- one\n")
    os.link(path, path.with_name("twin"))


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_folder(path: Path) -> None:
    path.mkdir()


def make_read_only(path: Path) -> None:
    path.write_bytes(b"- one\n")
    path.chmod(0o444)


def make_latin(path: Path) -> None:
    path.write_bytes(b"- Gr\xfc\xdfe\n")


def make_binary(path: Path) -> None:
    path.write_bytes(b"- one\0\n")


def make_large(path: Path) -> None:
    path.write_bytes(b"-" * FILE_BYTES + b"\n")


def make_full(path: Path) -> None:
    path.write_bytes(b"-" * (FILE_BYTES - 3) + b"\n")


@pytest.mark.parametrize(
    ("make", "kind", "reason"),
    [
        (make_link, DeniedError, "symlink"),
        (make_twin, DeniedError, "hard_link"),
        (make_pipe, DeniedError, "not_regular"),
        (make_folder, DeniedError, "not_regular"),
        (make_read_only, DeniedError, "read_only"),
        (make_latin, DeniedError, "not_utf8"),
        (make_binary, DeniedError, "binary"),
        (make_large, TooLargeError, "file_bytes"),
        (make_full, TooLargeError, "file_bytes"),
    ],
)
async def test_what_cannot_be_rewritten_stays(
    tmp_path: Path, make: Callable[[Path], None], kind: type[MemdError], reason: str
) -> None:
    async with open_world(tmp_path) as world:
        make(world.path)
        before = {path.name: path.lstat() for path in world.folder.iterdir()}
        with pytest.raises(kind) as refusal:
            await world.add("- two")
        assert refusal.value.reason == reason
        assert {path.name: path.lstat() for path in world.folder.iterdir()} == before
        assert world.rows("SELECT * FROM preimages") == []
        assert world.rows("SELECT * FROM spans") == []


def editing(
    world: World, edit: Callable[[World], object], times: int
) -> Callable[[str | None], Revision | None]:
    """A plan during which somebody edits the file, for the first few ``times``."""
    left = times

    def plan(text: str | None) -> Revision | None:
        nonlocal left
        if left:
            left -= 1
            edit(world)
        return with_line(text, "- ours")

    return plan


async def test_a_file_that_is_edited_meanwhile_is_planned_anew(tmp_path: Path, way: str) -> None:
    del way
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")
        plan = editing(world, lambda world: append(world.path, b"- theirs\n"), times=4)
        await world.writer.rewrite(MEMORY, plan, cause="test", author=Author())
        assert world.read() == b"- one\n" + b"- theirs\n" * 4 + b"- ours\n"
        assert len(world.rows("SELECT * FROM preimages")) == 1
        await world.settle()
        assert world.asides() == []


async def test_an_editor_that_never_ends_is_a_conflict(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")
        plan = editing(world, lambda world: append(world.path, b"- theirs\n"), times=99)
        with pytest.raises(ConflictError) as refusal:
            await world.writer.rewrite(MEMORY, plan, cause="test", author=Author())
        assert refusal.value.reason == "changed"
        assert world.read() == b"- one\n" + b"- theirs\n" * 5
        await world.settle()
        assert world.asides() == []
        assert world.rows("SELECT * FROM preimages") == []
        assert world.rows("SELECT * FROM spans") == []


async def test_what_a_plan_refuses_is_refused_at_once(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")
        asked: list[str | None] = []

        def plan(text: str | None) -> Revision | None:
            asked.append(text)
            raise ConflictError("two entries say so", reason="ambiguous")

        with pytest.raises(ConflictError) as refusal:
            await world.writer.rewrite(MEMORY, plan, cause="test", author=Author())
        assert refusal.value.reason == "ambiguous"
        assert asked == ["- one\n"]


async def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path, way: str) -> None:
    del way
    async with open_world(tmp_path) as world:
        plan = editing(world, lambda world: world.write(b"- theirs\n"), times=1)
        await world.writer.rewrite(MEMORY, plan, cause="test", author=Author())
        assert world.read() == b"- theirs\n- ours\n"


async def test_a_file_that_goes_meanwhile_is_made_again(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")
        plan = editing(world, lambda world: world.path.unlink(), times=1)
        await world.writer.rewrite(MEMORY, plan, cause="test", author=Author())
        assert world.read() == b"- ours\n"


async def test_calls_at_the_same_time_are_all_there(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        async with trio.open_nursery() as nursery:
            for number in range(20):
                nursery.start_soon(world.add, f"- {number}")
        assert sorted(world.read().split()[1::2], key=int) == [b"%d" % number for number in range(20)]
        assert len(world.rows("SELECT * FROM preimages")) == 20
        await world.settle()
        assert world.asides() == []


async def test_lines_that_nobody_is_named_for_are_handwritten(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")

        def plan(_text: str | None) -> Revision | None:
            return Revision("- unnamed\n- named\n", (("- named", HANDWRITTEN),))

        await world.writer.rewrite(MEMORY, plan, cause="test", author=Author())
        assert await world.origins() == {"- unnamed": Origin.AGENT, "- named": Origin.AGENT}


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


async def test_a_call_that_is_cancelled_while_it_is_planned_writes_nothing(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")
        with trio.CancelScope() as scope:

            def plan(text: str | None) -> Revision | None:
                trio.from_thread.run_sync(scope.cancel)
                return with_line(text, "- two")

            await world.writer.rewrite(MEMORY, plan, cause="remember", author=Author())
        assert scope.cancelled_caught
        await world.add("- three")
        assert world.read() == b"- one\n- three\n"
        assert world.written == [MEMORY]


@pytest.mark.parametrize("moment", ["begun", "committed"])
async def test_a_call_that_is_cancelled_before_the_exchange_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")
        with trio.CancelScope() as scope, monkeypatch.context() as patch:
            begin, write = rewrites.begin_curated, world.state.write

            def begin_late(*arguments: Any, **named: Any) -> int:
                trio.from_thread.run_sync(scope.cancel)
                return begin(*arguments, **named)

            async def write_late(work: Work[T]) -> T:
                done = await write(work)
                scope.cancel()
                return done

            if moment == "begun":
                patch.setattr(rewrites, "begin_curated", begin_late)
            else:
                patch.setattr(world.state, "write", write_late)
            await world.add("- two")
        assert scope.cancelled_caught
        assert (world.read(), world.written) == (b"- one\n", [])
        assert world.rows("SELECT id FROM preimages") == []
        assert await world.origins() == {"- one": Origin.AGENT}
        await world.settle()
        assert (world.asides(), world.rows("SELECT token FROM curated_rewrites")) == ([], [])


async def test_what_has_its_place_is_answered_though_the_call_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.write(b"- one\n")
        with trio.CancelScope() as scope:

            def put(*arguments: Any) -> Any:
                done = put_curated(*arguments)
                trio.from_thread.run_sync(scope.cancel)
                return done

            monkeypatch.setattr(placement, "put_curated", put)
            rewritten = await world.add("- two")
        assert (rewritten.changed, rewritten.hash) == (True, sha(b"- one\n- two\n"))
        assert (world.read(), world.written) == (b"- one\n- two\n", [MEMORY])
        assert world.rows("SELECT state FROM curated_rewrites") == [("done",)]
