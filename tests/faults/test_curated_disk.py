"""A disk that fails at each step of a rewrite: the file is as it was, the error says why, nothing is left."""

import errno
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.errors import UnavailableError
from openclaw_memd.files import beside, exchange, renaming
from openclaw_memd.index.ledger import rewrites
from tests.curated.worlds import World, open_world

BEFORE = b"- one\n"
REASONS = {
    errno.ENOSPC: "disk_full",
    errno.EIO: "disk_error",
    errno.EROFS: "read_only",
    errno.EACCES: "denied",
    errno.EXDEV: "mounted",
    errno.EBUSY: "mounted",
}

pytestmark = pytest.mark.fault


def failing(code: int, work: Callable[..., Any], applies: Callable[..., bool]) -> Callable[..., Any]:
    def call(*arguments: Any, **more: Any) -> Any:
        if applies(*arguments, **more):
            raise OSError(code, os.strerror(code))
        return work(*arguments, **more)

    return call


class FailingOs:
    """``os`` for the modules that write files, of which one function fails where it applies."""

    def __init__(self, name: str, code: int, applies: Callable[..., bool]) -> None:
        self._name = name
        self._fault = failing(code, getattr(os, name), applies)

    def __getattr__(self, name: str) -> Any:
        return self._fault if name == self._name else getattr(os, name)


def is_new(_path: object, flags: int, *_: object, **__: object) -> bool:
    return bool(flags & os.O_CREAT)


def is_any(*_: object, **__: object) -> bool:
    return True


Break = Callable[[pytest.MonkeyPatch, int], None]


def breaking(module: Any, name: str, applies: Callable[..., bool] = is_any) -> Break:
    """Let a function of ``os`` fail in one module."""

    def break_it(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
        monkeypatch.setattr(module, "os", FailingOs(name, code, applies))

    break_it.__name__ = f"{module.__name__.rsplit('.', 1)[-1]}.{name}"
    return break_it


def the_exchange(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    monkeypatch.setattr(renaming, "_rename", failing(code, renaming._rename, is_any))


def looking(number: int) -> Break:
    """Let the file not be read the nth time: before the exchange, or when it came out."""

    def break_it(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
        numbers = count(1)
        fault = failing(code, beside.holds, lambda *_: next(numbers) == number)
        monkeypatch.setattr(exchange, "holds", fault)

    break_it.__name__ = f"look.{number}"
    return break_it


def the_ledger(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    del code

    def fail(*_: object, **__: object) -> int:
        raise UnavailableError("the disk is full", reason="disk_full")

    monkeypatch.setattr(rewrites, "begin_curated", fail)


STEPS: list[Break] = [
    breaking(beside, "open", is_new),
    breaking(beside, "write"),
    breaking(beside, "fsync"),
    breaking(beside, "fchmod"),
    the_exchange,
    breaking(exchange, "fsync"),
    looking(1),
    looking(2),
]


async def check_untouched(world: World, before: bytes | None) -> None:
    await world.settle()
    names = {path.name for path in world.folder.iterdir()}
    assert names == ({"MEMORY.md"} if before is not None else set())
    assert before is None or world.read() == before
    for table in ("preimages", "curated_rewrites", "spans"):
        assert world.rows(f"SELECT count(*) FROM {table}") == [(0,)]
    assert world.written == []


@pytest.mark.parametrize(
    "code", [errno.ENOSPC, errno.EIO, errno.EXDEV, errno.EROFS, errno.EACCES, errno.EBUSY]
)
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
async def test_a_file_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Break, code: int
) -> None:
    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        world.path.chmod(0o640)
        with monkeypatch.context() as broken:
            step(broken, code)
            with pytest.raises(UnavailableError) as failure:
                await world.add("- two")
            assert failure.value.reason == REASONS[code]
        await check_untouched(world, BEFORE)
        assert world.path.stat().st_mode & 0o777 == 0o640
        await world.add("- two")
        assert world.read() == BEFORE + b"- two\n"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EXDEV])
@pytest.mark.parametrize(
    "step",
    [
        breaking(exchange, "link"),
        breaking(exchange, "replace"),
        breaking(exchange, "fsync"),
        looking(1),
        looking(2),
        looking(3),
    ],
    ids=lambda step: step.__name__,
)
async def test_the_same_where_names_cannot_be_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Break, code: int
) -> None:
    monkeypatch.setattr(renaming, "find_renameat2", lambda: None)
    async with open_world(tmp_path) as world:
        assert world.writer.mode == "weak"
        world.write(BEFORE)
        with monkeypatch.context() as broken:
            step(broken, code)
            with pytest.raises(UnavailableError) as failure:
                await world.add("- two")
            assert failure.value.reason == REASONS[code]
        await check_untouched(world, BEFORE)
        assert world.path.stat().st_nlink == 1
        await world.add("- two")
        assert world.read() == BEFORE + b"- two\n"


@pytest.mark.parametrize("has_kernel", [True, False])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize(
    "step",
    [
        breaking(beside, "open", is_new),
        breaking(beside, "write"),
        breaking(beside, "fsync"),
        breaking(exchange, "fsync"),
    ],
    ids=lambda step: step.__name__,
)
async def test_a_file_that_cannot_be_made_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Break, code: int, has_kernel: bool
) -> None:
    if not has_kernel:
        monkeypatch.setattr(renaming, "find_renameat2", lambda: None)
    async with open_world(tmp_path) as world:
        with monkeypatch.context() as broken:
            step(broken, code)
            with pytest.raises(UnavailableError):
                await world.add("- two")
        await check_untouched(world, None)
        await world.add("- two")
        assert world.read() == b"- two\n"


async def test_a_ledger_that_cannot_be_written_leaves_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        with monkeypatch.context() as broken:
            the_ledger(broken, errno.ENOSPC)
            with pytest.raises(UnavailableError) as failure:
                await world.add("- two")
        assert failure.value.reason == "disk_full"
        await check_untouched(world, BEFORE)


async def test_a_ledger_that_fails_after_the_rewrite_is_told_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise UnavailableError("the disk is full", reason="disk_full")

    async with open_world(tmp_path) as world:
        world.write(BEFORE)
        with monkeypatch.context() as broken:
            broken.setattr(rewrites, "conclude_curated", fail)
            assert (await world.add("- two")).changed
        assert world.rows("SELECT state FROM curated_rewrites") == [("begun",)]
        await world.settle()
        assert world.asides() == []
        assert world.rows("SELECT count(*) FROM curated_rewrites") == [(0,)]
        assert world.rows("SELECT count(*) FROM preimages") == [(1,)]


async def test_a_workspace_that_is_gone_is_told(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.folder.rename(tmp_path / "elsewhere")
        world.roots.refresh()
        with pytest.raises(UnavailableError) as failure:
            await world.add("- two")
        assert failure.value.reason == "missing"
