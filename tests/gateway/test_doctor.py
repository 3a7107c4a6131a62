"""``doctor.check`` and ``doctor.fix`` from their params to the answer."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
import trio

from openclaw_memd.config.schema import Limits
from openclaw_memd.domain.callers import Caller
from openclaw_memd.errors import InvalidParamsError, NotFoundError
from openclaw_memd.gateway.doctor import (
    METHODS,
    DoctorCheckParams,
    DoctorFixParams,
    DoctorOutcome,
    check,
    fix,
)
from openclaw_memd.gateway.params import decode_params
from openclaw_memd.gateway.results import JobStarted
from openclaw_memd.gateway.table import Call
from openclaw_memd.jobs import Progress
from openclaw_memd.ops.doctor.doctor import Doctor
from openclaw_memd.ops.doctor.findings import Finding
from openclaw_memd.ops.doctor.fixing import Fixed, Left, Outcome, Step
from tests.gateway.fakes import FakeServices

STEP = Step("legacy-memory-file", "merge it")


class FakeDoctor:
    """Finds one thing. ``asked`` are the ids of fixes, and whether they were dry."""

    check_ids = staticmethod(Doctor.check_ids)

    def __init__(self) -> None:
        self.asked: list[tuple[Sequence[str] | None, bool]] = []
        self.named: list[bool] = []
        self.hold = trio.Event()
        self.hold.set()

    async def check(self, *, may_name: bool) -> list[Finding]:
        self.named.append(may_name)
        return [Finding.of("legacy-memory-file"), Finding.of("skipped", "x is left out", subject="x")]

    async def plan(self, ids: Sequence[str] | None) -> Outcome:
        self.asked.append((ids, True))
        return Outcome(plan=(STEP,))

    async def fix(self, ids: Sequence[str] | None, progress: Progress) -> Outcome:
        self.asked.append((ids, False))
        progress(0, 1)
        await self.hold.wait()
        return Outcome((Fixed(STEP.id, "done"),), (STEP,), (Left("skipped:x", "by hand"),))


class Setup:
    def __init__(self) -> None:
        self.services = FakeServices()
        self.doctor = self.services.main_doctor = FakeDoctor()

    def call(self, caller: Caller | None = None) -> Call:
        return Call(self.services, Limits(), float("inf"), caller=caller)

    async def fix(self, **params: Any) -> Any:
        return await fix(self.call(), decode_params(params, DoctorFixParams))


@pytest.fixture
async def setup(nursery: trio.Nursery) -> Setup:
    made = Setup()
    await nursery.start(made.services.jobs.run)
    return made


async def test_findings_are_told_with_what_to_do(setup: Setup) -> None:
    answer = msgspec.to_builtins(await check(setup.call(), DoctorCheckParams()))
    assert [(one["id"], one["severity"], one["fixable"]) for one in answer["findings"]] == [
        ("legacy-memory-file", "warning", True),
        ("skipped:x", "warning", False),
    ]
    assert all(one["detail"] and one["fix"] for one in answer["findings"])
    assert setup.doctor.named == [True]


async def test_who_is_not_the_owner_is_told_no_names(setup: Setup) -> None:
    await check(setup.call(Caller(session_id="s1")), DoctorCheckParams())
    assert setup.doctor.named == [False]


async def test_a_dry_run_is_no_job_and_fixes_nothing(setup: Setup) -> None:
    answer = await setup.fix(dry_run=True)
    assert (answer.fixed, [step.id for step in answer.plan]) == ((), ["legacy-memory-file"])
    assert setup.doctor.asked == [(None, True)]
    assert setup.services.jobs.all() == []


async def test_a_fix_is_a_job_that_is_waited_for(setup: Setup) -> None:
    answer = await setup.fix(ids=["legacy-memory-file", "skipped:x"])
    assert isinstance(answer, DoctorOutcome)
    assert [one.id for one in answer.fixed] == ["legacy-memory-file"]
    assert [one.why for one in answer.left] == ["by hand"]
    assert setup.doctor.asked == [(("legacy-memory-file", "skipped:x"), False)]
    (job,) = setup.services.jobs.all()
    assert job.kind == "doctor"


async def test_nobody_has_to_wait_and_the_same_wish_is_the_same_job(setup: Setup) -> None:
    setup.doctor.hold = trio.Event()
    first = await setup.fix(wait=False)
    second = await setup.fix(wait=False)
    other = await setup.fix(wait=False, ids=["leftover:x"])
    assert isinstance(first, JobStarted)
    assert first.job_id == second.job_id != other.job_id
    setup.doctor.hold.set()


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("ids", [["nonsense"], ["legacy-memory-file", "legacy"], [":x"]])
async def test_an_id_that_no_finding_has_is_refused_by_its_field(
    setup: Setup, ids: list[str], dry_run: bool
) -> None:
    with pytest.raises(InvalidParamsError) as caught:
        await setup.fix(ids=ids, dry_run=dry_run)
    assert caught.value.field == "ids"
    assert setup.doctor.asked == []


@pytest.mark.parametrize("ids", ["legacy-memory-file", [""], [7]])
def test_ids_are_a_list_of_words(ids: Any) -> None:
    with pytest.raises(InvalidParamsError) as caught:
        decode_params({"ids": ids}, DoctorFixParams)
    assert caught.value.field is not None
    assert caught.value.field.startswith("ids")


async def test_another_agent_is_not_found(setup: Setup) -> None:
    with pytest.raises(NotFoundError):
        await check(setup.call(), decode_params({"agent": "other"}, DoctorCheckParams))


def test_rights_are_those_of_the_contract() -> None:
    assert {method.name: method.right for method in METHODS} == {"doctor.check": "R", "doctor.fix": "A"}
