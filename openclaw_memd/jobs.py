"""Long work that outlives the call that asked for it."""

import hashlib
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

import structlog
import trio

from openclaw_memd.errors import ConflictError, MemdError, NotFoundError

log = structlog.get_logger("memd.jobs")

JobState = Literal["queued", "running", "done", "failed", "cancelled"]


class Progress(Protocol):
    """How work says how far it is."""

    def __call__(self, done: int, total: int | None = None) -> None:
        """``done`` of ``total`` steps; a total of None keeps the one that was told before."""
        ...


def ignore_progress(done: int, total: int | None = None) -> None:
    """The `Progress` of work that nobody follows."""


def key_of(*facts: object) -> str:
    """The ``key`` of a job that these facts describe: the same for the same, and it tells none of them."""
    return hashlib.sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()


Work = Callable[[Progress], Awaitable[object]]


class JobFailedError(Exception):
    """A job ended without a result for a reason that callers are not told."""


@dataclass(slots=True, eq=False)
class Job:
    """One piece of work. Everything but ``wait`` is read only for those who hold it."""

    id: str
    kind: str
    key: str
    state: JobState = "queued"
    done: int = 0
    total: int | None = None
    result: object = None
    failure: MemdError | JobFailedError | None = None
    _scope: trio.CancelScope = field(default_factory=trio.CancelScope, repr=False)
    _ended: trio.Event = field(default_factory=trio.Event, repr=False)

    @property
    def ended(self) -> bool:
        """Whether the job will not change any more."""
        return self._ended.is_set()

    async def wait(self) -> object:
        """The result, when it is there. Cancelling gives up the wait, not the job.

        Raises:
            MemdError: the work failed with it, or was cancelled (a conflict).
            JobFailedError: the work failed otherwise.
        """
        await self._ended.wait()
        if self.failure is not None:
            raise self.failure
        return self.result

    def report_progress(self, done: int, total: int | None = None) -> None:
        """The ``Progress`` of this job."""
        self.done = done
        if total is not None:
            self.total = total


class Jobs:
    """Runs jobs, one at a time of each kind, and remembers the last ``keep`` that ended.

    ``ended`` counts all that ended, by kind and state.
    """

    def __init__(self, *, keep: int = 20) -> None:
        self.ended: Counter[tuple[str, JobState]] = Counter()
        self._keep = keep
        self._jobs: dict[str, Job] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run what is started, until cancelled; what then still runs is cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            try:
                task_status.started()
                await trio.sleep_forever()
            finally:
                self._nursery = None

    def start(self, kind: str, work: Work, *, key: str = "") -> Job:
        """Run ``work`` soon. While a job of this kind and key has not ended, that job is the answer.

        Raises:
            RuntimeError: the registry does not run.
        """
        before = [job for job in self._jobs.values() if job.kind == kind and not job.ended]
        for job in before:
            if job.key == key:
                return job
        if self._nursery is None:
            raise RuntimeError("jobs can only be started while the registry runs")
        job = Job(secrets.token_hex(6), kind, key)
        self._jobs[job.id] = job
        self._nursery.start_soon(self._carry_out, job, work, before)
        return job

    def all(self) -> list[Job]:
        """Every job that is remembered, oldest first."""
        return list(self._jobs.values())

    def get(self, job_id: str) -> Job:
        """One job.

        Raises:
            NotFoundError: no such job, or it ended long ago.
        """
        try:
            return self._jobs[job_id]
        except KeyError:
            raise NotFoundError("no such job", field="id") from None

    def cancel(self, job_id: str) -> bool:
        """Ask a job to end; false when it had ended before.

        Raises:
            NotFoundError: no such job, or it ended long ago.
        """
        job = self.get(job_id)
        if job.ended:
            return False
        job._scope.cancel()
        return True

    async def _carry_out(self, job: Job, work: Work, before: list[Job]) -> None:
        try:
            with job._scope:
                for other in before:
                    await other._ended.wait()
                job.state = "running"
                job.result = await work(job.report_progress)
                job.state = "done"
        except MemdError as error:
            job.state, job.failure = "failed", error
            log.warning("job failed", job=job.id, kind=job.kind, reason=error.kind)
        except Exception as error:
            job.state, job.failure = "failed", JobFailedError("the job failed; the log has more")
            log.exception("job failed", job=job.id, kind=job.kind, exc_info=error)
        finally:
            if job.state in {"queued", "running"}:
                job.state = "cancelled"
                job.failure = ConflictError("the job was cancelled", reason="job_cancelled")
            self.ended[job.kind, job.state] += 1
            job._ended.set()
            self._forget_old()

    def _forget_old(self) -> None:
        ended = [job.id for job in self._jobs.values() if job.ended]
        for job_id in ended[: -self._keep]:
            del self._jobs[job_id]
