import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pytest
import trio
from structlog.testing import capture_logs
from watchfiles import watch
from watchfiles._rust_notify import WatchfilesRustInternalError

from openclaw_memd.files.catalog import Listing
from openclaw_memd.files.listing import list_files
from openclaw_memd.files.roots import ExtraRoot, Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.files.watcher import EVERYTHING, Watcher, WatchState
from tests.files.trees import write

PATIENCE_S = 60  # a bound for a slow machine; each wait ends when the event comes
RULES = FileRules.parse()


class Hints:
    """Collects hints and waits for those that matter."""

    def __init__(self) -> None:
        self._arrived = trio.Event()
        self._seen: set[str] = set()

    def __call__(self, hints: frozenset[str]) -> None:
        self._seen |= hints
        self._arrived.set()

    async def wait_for(self, *prefixes: str) -> None:
        """Wait until each path is covered by a hint, and forget those seen."""
        with trio.fail_after(PATIENCE_S):
            while not all(any(path.startswith(hint) for hint in self._seen) for path in prefixes):
                self._arrived = trio.Event()
                await self._arrived.wait()
        self._seen.clear()

    async def settle(self) -> None:
        """Wait until no hint comes for a while, and forget those seen."""
        with trio.fail_after(PATIENCE_S):
            while True:
                self._arrived = trio.Event()
                with trio.move_on_after(0.3):
                    await self._arrived.wait()
                    continue
                break
        self._seen.clear()

    def seen(self) -> frozenset[str]:
        return frozenset(self._seen)


@asynccontextmanager
async def _watching(
    workspace: Path, *extra: ExtraRoot, look: Callable[[Roots], Listing] | None = None, poll_s: float = 0.1
) -> AsyncIterator[tuple[Watcher, Hints]]:
    hints = Hints()
    look = look or (lambda roots: list_files(roots, RULES))
    with Roots(workspace, extra) as roots:
        watching = Watcher(roots, partial(look, roots), poll_s=poll_s)
        async with trio.open_nursery() as nursery:
            with trio.fail_after(PATIENCE_S):
                await nursery.start(watching.run, hints)
            assert EVERYTHING in hints.seen()
            await hints.settle()
            yield watching, hints
            nursery.cancel_scope.cancel()


async def _until(condition: Callable[[], bool]) -> None:
    with trio.fail_after(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - the state has no event
            await trio.sleep(0.02)


@pytest.fixture(autouse=True)
def quick_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openclaw_memd.files.watcher._TICK_MS", 60)
    monkeypatch.setattr("openclaw_memd.files.watcher._ROOTS_S", 0.2)
    monkeypatch.setattr("openclaw_memd.files.watcher._FIRST_BACKOFF_S", 0.2)


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    path = tmp_path / "ws"
    write(path, {"MEMORY.md": "x", "memory/a.md": "x"})
    return path


async def test_edits_of_every_kind_are_hinted(ws: Path) -> None:
    async with _watching(ws) as (watching, hints):
        assert watching.state.mode == "events"
        (ws / "memory/a.md").write_text("written")
        await hints.wait_for("memory/a.md")
        (ws / "memory/.a.md.tmp").write_text("replaced")
        (ws / "memory/.a.md.tmp").replace(ws / "memory/a.md")
        await hints.wait_for("memory/a.md")
        (ws / "MEMORY.md").unlink()
        await hints.wait_for("MEMORY.md")
        (ws / "memory/a.md").rename(ws / "memory/b.md")
        await hints.wait_for("memory/a.md", "memory/b.md")
        (ws / "memory/b.md").chmod(0)
        await hints.wait_for("memory/b.md")


async def test_a_file_is_heard_after_it_was_replaced_many_times(ws: Path) -> None:
    async with _watching(ws) as (_, hints):
        for n in range(3):
            (ws / "next").write_text(str(n))
            (ws / "next").replace(ws / "MEMORY.md")
            await hints.wait_for("MEMORY.md")


async def test_folders_made_and_filled_at_once_are_hinted_and_watched_from_then_on(ws: Path) -> None:
    async with _watching(ws) as (_, hints):
        write(ws, {"memory/deep/er/c.md": "x"})
        await hints.wait_for("memory/deep/er/c.md")
        await hints.settle()
        (ws / "memory/deep/er/c.md").write_text("again")
        await hints.wait_for("memory/deep/er/c.md")


async def test_a_filled_folder_that_is_moved_in_and_out_is_hinted(ws: Path) -> None:
    write(ws.parent, {"outside/b/c.md": "x"})
    async with _watching(ws) as (_, hints):
        (ws.parent / "outside").rename(ws / "memory/inside")
        await hints.wait_for("memory/inside/b/c.md")
        await hints.settle()
        (ws / "memory/inside/b/c.md").write_text("again")
        await hints.wait_for("memory/inside/b/c.md")
        await hints.settle()
        (ws / "memory/inside").rename(ws.parent / "out")
        await hints.wait_for("memory/inside/b/c.md")


async def test_the_notes_folder_may_appear_later(tmp_path: Path) -> None:
    async with _watching(tmp_path) as (_, hints):
        write(tmp_path, {"memory/first.md": "x"})
        await hints.wait_for("memory/first.md")
        await hints.settle()
        (tmp_path / "memory/first.md").write_text("again")
        await hints.wait_for("memory/first.md")


async def test_a_notes_folder_that_is_removed_and_made_anew_is_watched(ws: Path) -> None:
    async with _watching(ws) as (_, hints):
        shutil.rmtree(ws / "memory")
        await hints.wait_for("memory/a.md")
        await hints.settle()
        write(ws, {"memory/b.md": "x"})
        await hints.wait_for("memory/b.md")
        await hints.settle()
        (ws / "memory/b.md").write_text("again")
        await hints.wait_for("memory/b.md")


@pytest.mark.parametrize("how", ["moved", "removed"])
async def test_a_workspace_that_goes_is_waited_for(ws: Path, how: str) -> None:
    async with _watching(ws) as (watching, hints):
        if how == "moved":
            shutil.move(ws, ws.parent / "elsewhere")
        else:
            shutil.rmtree(ws)
        await _until(lambda: watching.state.mode == "parked")
        write(ws, {"memory/new.md": "x"})
        await hints.wait_for("memory/new.md")
        await _until(lambda: watching.state.mode == "events")
        await hints.settle()
        (ws / "memory/new.md").write_text("again")
        await hints.wait_for("memory/new.md")


async def test_a_missing_workspace_is_parked_from_the_start(tmp_path: Path) -> None:
    async with _watching(tmp_path / "later") as (watching, hints):
        assert watching.state.mode == "parked"
        write(tmp_path / "later", {"memory/a.md": "x"})
        await hints.wait_for("memory/a.md")


async def test_extra_roots_are_watched_and_may_appear_later(ws: Path) -> None:
    write(ws.parent, {"vault/deep/n.md": "x"})
    extra = [ExtraRoot("vault", ws.parent / "vault"), ExtraRoot("late", ws.parent / "late")]
    async with _watching(ws, *extra) as (_, hints):
        (ws.parent / "vault/deep/n.md").write_text("again")
        await hints.wait_for("extra/vault/deep/n.md")
        write(ws.parent, {"late/l.md": "x"})
        await hints.wait_for("extra/late/l.md")


async def test_linked_and_pruned_folders_are_not_watched(ws: Path) -> None:
    write(ws.parent, {"outside/o.md": "x"})
    write(ws, {f"memory/tool/.venv/lib/m{n}/x.md": "x" for n in range(300)})
    (ws / "memory/link").symlink_to(ws.parent / "outside")
    before = _watches()
    async with _watching(ws) as (_, hints):
        assert _watches() - before == 3  # the workspace, memory and memory/tool
        (ws.parent / "outside/o.md").write_text("again")
        (ws / "memory/tool/.venv/lib/m1/x.md").write_text("again")
        await hints.settle()
        (ws / "memory/a.md").write_text("again")
        await hints.wait_for("memory/a.md")


def _watches() -> int:
    count = 0
    for path in Path("/proc/self/fdinfo").iterdir():
        try:
            count += path.read_text().count("inotify wd:")
        except OSError:
            continue
    return count


async def test_work_in_folders_that_hold_no_memories_gives_no_hint(ws: Path) -> None:
    (ws / "build").mkdir()
    async with _watching(ws) as (_, hints):
        write(ws, {"build/out.md": "x", "notes.txt": "x", "memory/picture.png": "x"})
        (ws / "memory/a.md").write_text("again")
        await _until(lambda: bool(hints.seen()))  # events come in their order
        assert hints.seen() == {"memory/a.md"}


async def test_a_cancelled_watcher_leaves_nothing_behind(ws: Path) -> None:
    before = _watches()
    async with _watching(ws):
        assert _watches() > before
    await _until(lambda: _watches() == before)  # a thread of the library's ends them


class TestNoEvents:
    @pytest.fixture(
        params=[
            OSError(28, "No space left on device"),
            OSError(24, "Too many open files"),
            OSError("OS file watch limit reached"),
            WatchfilesRustInternalError("Too many open files"),
        ]
    )
    def broken(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_paths: str, **_options: Any) -> NoReturn:
            raise request.param

        monkeypatch.setattr("openclaw_memd.files.watcher.watch", refuse)

    @pytest.mark.usefixtures("broken")
    async def test_one_warning_and_polling(self, ws: Path) -> None:
        with capture_logs() as logs:
            async with _watching(ws, poll_s=0.05) as (watching, hints):
                for n in range(3):
                    (ws / "memory/a.md").write_text(f"edit {n}" * n)
                    await hints.wait_for("memory/a.md")
                await _until(lambda: watching.state.restarts >= 2)
                assert watching.state.mode == "polling"
                assert watching.state.warning is not None
                assert "fs.inotify.max_user_watches" in watching.state.warning
        assert [entry["log_level"] for entry in logs] == ["warning"]
        assert "fs.inotify.max_user_instances" in logs[0]["event"]

    async def test_events_come_back(self, ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        failures = iter([OSError(28, "No space left on device")])

        def refuse_once(*paths: str, **options: Any) -> Iterator[set[Any]]:
            for failure in failures:
                raise failure
            yield from watch(*paths, **options)

        monkeypatch.setattr("openclaw_memd.files.watcher.watch", refuse_once)
        async with _watching(ws) as (watching, hints):
            await _until(lambda: watching.state.mode == "events")
            assert (watching.state.restarts, watching.state.warning) == (1, None)
            await hints.settle()
            (ws / "memory/a.md").write_text("again")
            await hints.wait_for("memory/a.md")

    async def test_an_error_in_the_middle_is_survived(
        self, ws: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broke = False

        def break_once(*paths: str, **options: Any) -> Iterator[set[Any]]:
            nonlocal broke
            for batch in watch(*paths, **options):
                yield batch
                if batch and not broke:
                    broke = True
                    raise WatchfilesRustInternalError("gone")

        monkeypatch.setattr("openclaw_memd.files.watcher.watch", break_once)
        async with _watching(ws) as (watching, hints):
            (ws / "memory/a.md").write_text("again")
            await hints.wait_for("memory/a.md")
            await _until(lambda: (watching.state.restarts, watching.state.mode) == (1, "events"))


async def test_a_folder_that_came_between_look_and_watch_is_found(ws: Path) -> None:
    looks = 0

    def look(roots: Roots) -> Listing:
        nonlocal looks
        looks += 1
        listing = list_files(roots, RULES)
        if looks == 1:
            write(ws, {"memory/race/r.md": "x"})
        return listing

    async with _watching(ws, look=look) as (_, hints):
        (ws / "memory/race/r.md").write_text("again")
        await hints.wait_for("memory/race/r.md")


async def test_a_folder_that_went_between_look_and_watch_is_survived(ws: Path) -> None:
    write(ws, {"memory/race/r.md": "x"})
    looks = 0

    def look(roots: Roots) -> Listing:
        nonlocal looks
        looks += 1
        listing = list_files(roots, RULES)
        if looks == 1:
            shutil.rmtree(ws / "memory/race")
        return listing

    async with _watching(ws, look=look) as (watching, hints):
        assert watching.state == WatchState("events", 0, None)
        (ws / "memory/a.md").write_text("again")
        await hints.wait_for("memory/a.md")


async def test_names_that_are_not_utf8_hint_at_everything(ws: Path) -> None:
    async with _watching(ws) as (_, hints):
        (ws / "memory" / os.fsdecode(b"caf\xe9.md")).write_text("x")
        await hints.wait_for("zzz")
