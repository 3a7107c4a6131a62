"""When the index follows its files, and what callers see meanwhile."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from openclaw_memd.config.corpus_sections import Files
from openclaw_memd.daemon import following as following_module
from openclaw_memd.daemon.following import Follower
from openclaw_memd.files.hints import EVERYTHING
from openclaw_memd.index.indexer import SyncReport
from openclaw_memd.jobs import Jobs, Progress
from tests.index.notes import Index, Notes, open_notes

SLOW = Files(debounce_s=60.0, reconcile_s=0.01)
AT_ONCE_S = 30.0
"""Under what a burst takes here, and far over what a look at one file takes."""


class World:
    """A follower over real files, and the looks at everything that it had done."""

    def __init__(self, index: Index, jobs: Jobs) -> None:
        self.index = index
        self.jobs = jobs
        self.looks, self.see_look = trio.open_memory_channel[SyncReport](100)
        self.follower = Follower(index.indexer, self.sync, SLOW, jobs=jobs, key="k")

    async def sync(self, *, on_progress: Progress = lambda _done, _total=None: None) -> SyncReport:
        report = await self.index.indexer.sync(on_progress=on_progress)
        await self.looks.send(report)
        return report


@asynccontextmanager
async def following(notes: Notes) -> AsyncIterator[World]:
    jobs = Jobs()
    async with open_notes(notes) as index, trio.open_nursery() as nursery:
        await nursery.start(jobs.run)
        world = World(index, jobs)
        nursery.start_soon(world.follower.follow)
        with trio.fail_after(AT_ONCE_S):
            yield world
        nursery.cancel_scope.cancel()


@pytest.fixture(autouse=True)
def _longer_bursts(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, no look comes for the end of a burst."""
    monkeypatch.setattr(following_module, "LONGEST_BURST_S", 2 * AT_ONCE_S)


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    notes = Notes(tmp_path / "workspace", tmp_path / "state", tmp_path / "library")
    notes.write("memory/a.md", "first\n")
    notes.write("memory/b.md", "second\n")
    return notes


async def test_the_first_index_is_a_job_with_a_progress_and_partial_meanwhile(notes: Notes) -> None:
    seen: list[str] = []
    async with following(notes) as world:
        world.index.indexer.on_published = lambda _: seen.append(world.index.indexer.state.freshness)
        await world.see_look.receive()
        (job,) = world.jobs.all()
        await job.wait()

        assert (job.kind, job.state, job.done, job.total) == ("sync", "done", 2, 2)
        assert set(seen) == {"partial"}


async def test_a_restart_makes_no_job(notes: Notes) -> None:
    async with open_notes(notes) as index:
        await index.indexer.sync()
    async with following(notes) as world:
        await world.see_look.receive()

        assert world.jobs.all() == []
        assert world.index.indexer.state.freshness == "fresh"


async def test_the_first_hint_and_every_reconciliation_wait_for_nothing(notes: Notes) -> None:
    class Middle:
        def random(self) -> float:
            return 0.5

    async with following(notes) as world, trio.open_nursery() as nursery:
        await world.see_look.receive()
        world.follower.hint({EVERYTHING})
        await world.see_look.receive()
        nursery.start_soon(world.follower.reconcile, Middle())
        await world.see_look.receive()
        nursery.cancel_scope.cancel()


async def test_later_hints_wait_for_a_rest(notes: Notes) -> None:
    async with following(notes) as world:
        await world.see_look.receive()
        world.follower.hint({EVERYTHING})
        await world.see_look.receive()
        world.follower.hint({EVERYTHING})
        await trio.testing.wait_all_tasks_blocked()

        assert world.index.indexer.state.pending == 1
