import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.domain.callers import Caller
from openclaw_memd.files.git_repository import GitRepositories
from openclaw_memd.injection.projects import LOOK_S, ProjectScopes
from tests.clocks import fail_after_real

CALLER = Caller(session_id="s1")

# Tests that ask about a folder take ``mock_clock``, which stands still: a folder that answers does so in
# time, however busy the machine is.


async def test_the_host_names_the_project_or_its_folder_does(tmp_path: Path, mock_clock: MockClock) -> None:
    scopes = ProjectScopes()
    folder = replace(CALLER, project_root=str(tmp_path))

    assert await scopes.current(None) is None
    assert await scopes.current(CALLER) is None
    assert await scopes.current(folder) == f"path:{tmp_path}"
    assert await scopes.current(replace(folder, project_key="Example.org/a/B ")) == "example.org/a/B"


@pytest.mark.parametrize("key", ["", " ", "a/\0b", "a/\ud800"])
async def test_a_key_that_cannot_be_written_is_none(key: str, tmp_path: Path, mock_clock: MockClock) -> None:
    scopes = ProjectScopes()

    assert await scopes.current(replace(CALLER, project_key=key)) is None
    assert await scopes.active(replace(CALLER, project_key=key)) == ()
    assert await scopes.current(replace(CALLER, project_key=key, project_root=str(tmp_path))) is not None


async def test_a_session_keeps_its_last_projects_and_shares_none(
    tmp_path: Path, mock_clock: MockClock
) -> None:
    scopes = ProjectScopes()
    for key in "abcde":
        await scopes.active(replace(CALLER, project_key=key))

    assert await scopes.active(CALLER) == ("e", "d", "c", "b")
    assert await scopes.active(replace(CALLER, project_root=str(tmp_path))) == (f"path:{tmp_path}", *"edc")
    child = replace(CALLER, session_id="child", parent_session_id="s1")
    assert await scopes.active(child) == ()
    assert await scopes.active(replace(CALLER, agent="other")) == ()
    assert await scopes.active(None) == ()


async def test_asking_what_the_project_is_makes_none_active() -> None:
    scopes = ProjectScopes()

    assert await scopes.current(replace(CALLER, project_key="a")) == "a"
    assert await scopes.active(CALLER) == ()


async def test_a_call_without_a_session_has_its_own_project_alone() -> None:
    scopes = ProjectScopes()
    nobody = Caller()

    assert await scopes.active(replace(nobody, project_key="a")) == ("a",)
    assert await scopes.active(nobody) == ()


class Slow(GitRepositories):
    """Folders that do not answer until they may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = threading.Event()
        self.asked = 0
        self.when_asked: Callable[[], object] = lambda: None

    def project_key(self, folder: str) -> str | None:
        self.asked += 1
        self.when_asked()
        assert self.may_answer.wait(60)
        return f"path:{folder}"


async def test_a_folder_that_hangs_holds_nobody_up(mock_clock: MockClock) -> None:
    slow = Slow()
    slow.when_asked = lambda: trio.from_thread.run_sync(mock_clock.jump, LOOK_S)
    scopes = ProjectScopes(slow)
    caller = replace(CALLER, project_root="/mnt/gone")
    with fail_after_real():
        try:
            assert await scopes.active(caller) == ()
            assert await scopes.active(caller) == ()
            assert slow.asked == 1, "one thread hangs, not one for each call"
        finally:
            slow.may_answer.set()
        while await scopes.active(caller) == ():
            await trio.lowlevel.checkpoint()
        assert await scopes.active(caller) == ("path:/mnt/gone",)


async def test_calls_at_the_same_time_hear_the_same(tmp_path: Path, mock_clock: MockClock) -> None:
    slow = Slow()
    scopes = ProjectScopes(slow)
    heard: list[str | None] = []

    async def ask() -> None:
        heard.append(await scopes.current(replace(CALLER, project_root=str(tmp_path))))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        slow.may_answer.set()
    assert heard == [f"path:{tmp_path}"] * 2
    assert slow.asked == 1


async def test_a_folder_that_nobody_could_look_at_is_looked_at_later(mock_clock: MockClock) -> None:
    slow = Slow()
    scopes = ProjectScopes(slow)

    async def ask(folder: str) -> str | None:
        return await scopes.current(replace(CALLER, project_root=folder))

    async with trio.open_nursery() as nursery:
        for number in range(5):
            nursery.start_soon(ask, f"/{number}")
        await trio.testing.wait_all_tasks_blocked()
        mock_clock.jump(LOOK_S)
        await trio.testing.wait_all_tasks_blocked()
        slow.may_answer.set()
    with fail_after_real():
        for number in range(5):
            while (key := await ask(f"/{number}")) is None:  # a thread may still end
                await trio.lowlevel.checkpoint()
            assert key == f"path:/{number}"


async def test_a_folder_that_the_system_refuses_is_of_no_project(mock_clock: MockClock) -> None:
    assert await ProjectScopes().current(replace(CALLER, project_root="/" + "a" * 300)) is None
