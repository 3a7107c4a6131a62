"""Projects and the curated core at work in a daemon."""

import math
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.config.sections import Inject
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder
from tests.poisoning.histories import OWNER as OWNER_CALLER
from tests.poisoning.histories import History, open_history

OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}
KEY = "example.org/ana/tea"


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        yield daemon


def git(folder: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b")
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
    }  # whoever runs this may sign commits
    subprocess.run(["git", *settings, *arguments], cwd=folder, env=env, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_notes_carry_the_project_of_their_folder_and_searches_know_it(daemon: RunningDaemon) -> None:
    root = daemon.folder / "tea"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "remote", "add", "origin", "git@Example.org:ana/tea.git")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    git(root, "worktree", "add", "-q", str(daemon.folder / "linked"), "-b", "linked")
    here = OWNER | {"project_root": str(daemon.folder / "linked")}

    written = daemon.call("note.append", entries=[{"text": "The numbat runs."}], context=here)
    daemon.call(
        "note.append", entries=[{"text": "A numbat sleeps.", "project": "example.org/b"}], context=OWNER
    )
    daemon.settle()

    assert f"- The numbat runs. <!-- project: {KEY} -->" in (daemon.workspace / written["path"]).read_text()

    def factors(**context: object) -> dict[str, float]:
        found = daemon.call("recall.search", query="numbat", explain=True, context=OWNER | context)
        return {hit["projects"][0]: hit["why"]["project"] for hit in found["hits"]}

    assert factors(session_id="s9") == {KEY: 1.0, "example.org/b": 1.0}
    assert factors(project_root=str(root)) == {KEY: 1.15, "example.org/b": 0.9}
    assert factors() == {KEY: 1.15, "example.org/b": 0.9}, "the session goes on in it"
    assert factors(project_key="example.org/b") == {KEY: 1.15, "example.org/b": 1.15}
    assert factors(session_id="s2", parent_session_id="s1")[KEY] == 1.0


async def origins(history: History) -> list[tuple[str, Origin]]:
    """The entries of MEMORY.md as the curated core has them at once."""
    state = await history.memory.lanes.injecting.core.refresh()
    return [(one.entry.text, one.provenance.origin) for one in state.files["MEMORY.md"].entries]


async def test_edits_and_decisions_show_at_once_in_the_core_and_as_the_index_has_them(
    mock_clock: MockClock,
) -> None:
    async with open_history(mock_clock) as history:
        memory = history.workspace / "MEMORY.md"
        memory.write_text("- One numbat.\n- Two numbats.\n")
        assert await origins(history) == [
            ("- One numbat.", Origin.AGENT),
            ("- Two numbats.", Origin.AGENT),
        ]
        await history.memory.sync()

        assert await history.memory.showing.trust("MEMORY.md", Selection(2, 2), Origin.UNTRUSTED) == 1
        assert await origins(history) == [
            ("- One numbat.", Origin.AGENT),
            ("- Two numbats.", Origin.UNTRUSTED),
        ]
        memory.write_text("- Two numbats.\n- Three numbats.\n")
        assert await origins(history) == [
            ("- Two numbats.", Origin.UNTRUSTED),
            ("- Three numbats.", Origin.AGENT),
        ]
        await history.memory.sync()
        indexed = {hit.text: hit.origin for hit in await history.find("numbats")}
        assert indexed == dict(await origins(history))

        await history.memory.showing.trust("MEMORY.md", Selection(1, 1), Origin.AGENT)
        assert {origin for _, origin in await origins(history)} == {Origin.AGENT}


async def test_an_edit_during_a_tainted_turn_holds_back_its_own_lines_alone(mock_clock: MockClock) -> None:
    async with open_history(mock_clock) as history:
        memory = history.workspace / "MEMORY.md"
        memory.write_text("- One numbat. <!-- trigger: numbat count -->\n")
        await history.memory.sync()
        fetched = Message(
            "m1", Role.TOOL, "a page", kind=MessageKind.NORMAL, tool_name="fetch", tool_network=True
        )
        await history.memory.write_path.sessions.append(OWNER_CALLER, [fetched])

        with memory.open("a") as file:
            file.write("- Many numbats. <!-- trigger: numbat count -->\n")

        triggers = history.memory.lanes.injecting.triggers(Inject())

        async def brought_up() -> list[str]:
            hits = await triggers.match("numbat count", active_projects=(), deadline_at=math.inf)
            return [hit.entry.citation for hit in hits]

        assert await brought_up() == ["MEMORY.md#L1"]
        await history.memory.sync()
        assert await brought_up() == ["MEMORY.md#L1"]
        await history.memory.showing.trust("MEMORY.md", Selection(2, 2), Origin.AGENT)
        assert await brought_up() == ["MEMORY.md#L1", "MEMORY.md#L2"]


async def test_the_core_works_while_the_index_does_not(mock_clock: MockClock) -> None:
    async with open_history(mock_clock) as history:
        (history.workspace / "MEMORY.md").write_text("- One numbat.\n")
        await history.memory.index.aclose()

        assert await origins(history) == [("- One numbat.", Origin.AGENT)]


async def test_of_looks_and_passes_at_the_same_time_both_say_the_same(mock_clock: MockClock) -> None:
    async with open_history(mock_clock) as history:
        memory = history.workspace / "MEMORY.md"
        for number in range(5):
            memory.write_text(f"- Numbat {number}.\n- Quoll {number}.\n")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(history.memory.sync)
                nursery.start_soon(history.memory.lanes.injecting.core.refresh)
        indexed = {hit.text: hit.origin for hit in await history.find("numbat quoll")}
        assert indexed == dict(await origins(history))
