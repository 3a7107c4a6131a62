import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from openclaw_memd.errors import ConflictError, NotFoundError, UnavailableError
from openclaw_memd.jobs import JobFailedError, Jobs, Progress, key_of


async def finish(_report_progress: Progress) -> object:
    return "result"


async def wait_forever(_report_progress: Progress) -> object:
    await trio.sleep_forever()
    raise AssertionError


@pytest.fixture
async def jobs(nursery: trio.Nursery) -> Jobs:
    registry = Jobs(keep=3)
    await nursery.start(registry.run)
    return registry


async def test_a_job_runs_reports_and_ends_with_its_result(jobs: Jobs) -> None:
    go_on = trio.Event()

    async def work(report_progress: Progress) -> object:
        report_progress(1, 3)
        report_progress(2)
        await go_on.wait()
        return 42

    job = jobs.start("rebuild", work)
    assert (job.state, job.done, job.total) == ("queued", 0, None)
    await trio.testing.wait_all_tasks_blocked()
    assert (job.state, job.done, job.total) == ("running", 2, 3)
    go_on.set()
    assert await job.wait() == 42
    assert (job.state, job.result) == ("done", 42)


async def test_what_runs_already_is_not_started_twice(jobs: Jobs) -> None:
    job = jobs.start("rebuild", wait_forever, key="one")
    assert jobs.start("rebuild", finish, key="one") is job
    assert jobs.start("rebuild", finish, key="two") is not job
    assert jobs.start("sync", finish, key="one") is not job
    jobs.cancel(job.id)
    await trio.testing.wait_all_tasks_blocked()
    assert jobs.start("rebuild", finish, key="one") is not job


async def test_one_job_of_a_kind_runs_at_a_time(jobs: Jobs) -> None:
    first = jobs.start("rebuild", wait_forever, key="one")
    second = jobs.start("rebuild", finish, key="two")
    other = jobs.start("sync", wait_forever)
    await trio.testing.wait_all_tasks_blocked()
    assert (first.state, second.state, other.state) == ("running", "queued", "running")
    jobs.cancel(first.id)
    assert await second.wait() == "result"


@pytest.mark.parametrize("is_queued", [True, False])
async def test_a_job_is_cancelled_before_or_while_it_runs(jobs: Jobs, is_queued: bool) -> None:
    if is_queued:
        jobs.start("rebuild", wait_forever, key="other")
    await trio.testing.wait_all_tasks_blocked()
    job = jobs.start("rebuild", wait_forever)
    await trio.testing.wait_all_tasks_blocked()
    assert jobs.cancel(job.id)
    with pytest.raises(ConflictError) as caught:
        await job.wait()
    assert caught.value.reason == "job_cancelled"
    assert job.state == "cancelled"
    assert not jobs.cancel(job.id)


async def test_giving_up_the_wait_leaves_the_job_alone(jobs: Jobs) -> None:
    job = jobs.start("rebuild", wait_forever)
    with trio.move_on_after(0):
        await job.wait()
    await trio.testing.wait_all_tasks_blocked()
    assert job.state == "running"


async def test_a_foreseen_failure_is_told_and_an_unforeseen_one_is_not(jobs: Jobs) -> None:
    async def fail_openly(_report_progress: Progress) -> object:
        raise UnavailableError("the disk is full")

    async def fail(_report_progress: Progress) -> object:
        raise ValueError("the note's text")

    with capture_logs() as logs:
        told, hidden = jobs.start("a", fail_openly), jobs.start("b", fail)
        with pytest.raises(UnavailableError):
            await told.wait()
        with pytest.raises(JobFailedError):
            await hidden.wait()
    assert (told.state, hidden.state) == ("failed", "failed")
    assert "the note's text" not in str(hidden.failure)
    assert [entry["job"] for entry in logs if entry["log_level"] == "error"] == [hidden.id]


async def test_the_last_ones_are_remembered_and_running_ones_always(jobs: Jobs) -> None:
    running = jobs.start("long", wait_forever)
    ended = []
    for _ in range(5):
        ended.append(jobs.start("short", finish))
        await ended[-1].wait()
    assert jobs.all() == [running, *ended[2:]]
    assert jobs.get(ended[-1].id) is ended[-1]
    with pytest.raises(NotFoundError):
        jobs.get(ended[0].id)
    with pytest.raises(NotFoundError):
        jobs.cancel("never was")


async def test_nothing_starts_while_the_registry_does_not_run() -> None:
    registry = Jobs()
    with pytest.raises(RuntimeError):
        registry.start("rebuild", finish)


async def test_what_runs_when_the_registry_ends_is_cancelled() -> None:
    registry = Jobs()
    async with trio.open_nursery() as nursery:
        await nursery.start(registry.run)
        job = registry.start("rebuild", wait_forever)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert job.state == "cancelled"
    with pytest.raises(RuntimeError):
        registry.start("rebuild", finish)


async def test_all_that_ended_are_counted_also_those_that_are_forgotten(jobs: Jobs) -> None:
    async def fail(_report_progress: Progress) -> object:
        raise UnavailableError("no disk")

    for number in range(5):
        await jobs.start("sync", finish, key=str(number)).wait()
    with pytest.raises(UnavailableError), capture_logs():
        await jobs.start("backup", fail).wait()
    assert jobs.ended == {("sync", "done"): 5, ("backup", "failed"): 1}


def test_a_key_is_the_same_for_the_same_facts_and_tells_none_of_them() -> None:
    assert key_of("main", "a secret \udcff") == key_of("main", "a secret \udcff")
    assert len({key_of("a", "b"), key_of("a b"), key_of("a", None), key_of("a", ["b"])}) == 4
    assert "secret" not in key_of("main", "a secret \udcff")
