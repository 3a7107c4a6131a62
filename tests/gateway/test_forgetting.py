"""``forget`` from its params to the answer."""

from dataclasses import asdict
from datetime import date, datetime
from typing import Any

import msgspec
import pytest
import trio

from openclaw_memd.config.schema import Limits
from openclaw_memd.domain.forgetting import Selectors
from openclaw_memd.errors import InvalidParamsError, TooLargeError
from openclaw_memd.gateway.forgetting import METHODS, ForgetParams, ForgetReceipt, ForgetResult, forget
from openclaw_memd.gateway.params import decode_params
from openclaw_memd.gateway.results import JobStarted
from openclaw_memd.gateway.table import Call
from openclaw_memd.jobs import Progress
from openclaw_memd.ops.kept import Kept
from openclaw_memd.ops.receipts import Forgotten, Receipt
from tests.gateway.fakes import FakeServices

KEPT = (Kept(".git", "earlier versions"),)


class FakeForgetting:
    """Forgets nothing; ``asked`` are agents and selectors."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Selectors, bool]] = []
        self.hold = trio.Event()
        self.hold.set()

    async def plan(self, agent: str, selectors: Selectors) -> Forgotten:
        self.asked.append((agent, selectors, True))
        return Forgotten(True, Receipt(lines=2), KEPT)

    async def forget(self, agent: str, selectors: Selectors, progress: Progress) -> Forgotten:
        self.asked.append((agent, selectors, False))
        progress(1, 8)
        await self.hold.wait()
        return Forgotten(False, Receipt(lines=2), ())


class Setup:
    def __init__(self) -> None:
        self.services = FakeServices()
        self.forgetting = FakeForgetting()
        self.services.main.forgetting = self.forgetting

    async def call(self, **params: Any) -> Any:
        call = Call(self.services, Limits(), float("inf"))
        return await forget(call, decode_params(params, ForgetParams))


@pytest.fixture
async def setup(nursery: trio.Nursery) -> Setup:
    made = Setup()
    await nursery.start(made.services.jobs.run)
    return made


async def test_a_call_is_a_dry_run_unless_it_says_otherwise(setup: Setup) -> None:
    answer = await setup.call(query="ben")
    assert answer.dry_run
    assert answer.receipt.lines == 2
    assert [(kept.where, kept.why) for kept in answer.kept] == [(".git", "earlier versions")]
    assert setup.forgetting.asked == [("main", Selectors(query="ben"), True)]
    assert setup.services.jobs.all() == []


async def test_forgetting_is_a_job_that_is_waited_for(setup: Setup) -> None:
    answer = await setup.call(session_ids=["a", "b"], paths=["memory/x.md"], participant="ana", dry_run=False)
    assert isinstance(answer, ForgetResult)
    assert not answer.dry_run
    wanted = Selectors(frozenset({"a", "b"}), ("memory/x.md",), participant="ana")
    assert setup.forgetting.asked == [("main", wanted, False)]
    (job,) = setup.services.jobs.all()
    assert (job.kind, job.state, job.done, job.total) == ("forget", "done", 1, 8)
    assert "ana" not in job.key


async def test_the_same_wish_is_the_same_job_and_another_one_is_another(setup: Setup) -> None:
    setup.forgetting.hold = trio.Event()
    first = await setup.call(session_ids=["a"], dry_run=False, wait=False)
    again = await setup.call(session_ids=["a"], dry_run=False, wait=False)
    other = await setup.call(session_ids=["b"], dry_run=False, wait=False)
    assert isinstance(first, JobStarted)
    assert first == again != other
    setup.forgetting.hold.set()
    await setup.services.jobs.get(other.job_id).wait()


@pytest.mark.parametrize(
    ("since", "meant"),
    [
        ("2026-01-11", date(2026, 1, 11)),
        ("2026-01-11T12:00:00+01:00", datetime.fromisoformat("2026-01-11T12:00:00+01:00")),
        ("2026-01-11T12:00:00Z", datetime.fromisoformat("2026-01-11T12:00:00+00:00")),
    ],
)
async def test_since_is_a_date_or_an_instant(setup: Setup, since: str, meant: date) -> None:
    await setup.call(since=since)
    assert setup.forgetting.asked == [("main", Selectors(since=meant), True)]


@pytest.mark.parametrize("since", ["", "soon", "2026-01-11T12:00:00", "2026-13-01"])
async def test_what_is_neither_is_refused(setup: Setup, since: str) -> None:
    with pytest.raises(InvalidParamsError) as caught:
        await setup.call(since=since)
    assert caught.value.field == "since"


async def test_something_has_to_be_selected_and_a_query_is_bounded(setup: Setup) -> None:
    empty: list[dict[str, Any]] = [{}, {"session_ids": [], "paths": []}]
    for params in empty:
        with pytest.raises(InvalidParamsError) as caught:
            await setup.call(**params)
        assert caught.value.field == "session_ids"
    with pytest.raises(TooLargeError):
        await setup.call(query="x" * 5000)
    assert setup.forgetting.asked == []


def test_the_receipt_shows_every_count() -> None:
    shown = msgspec.to_builtins(msgspec.convert(Receipt(), ForgetReceipt, from_attributes=True))
    assert shown == asdict(Receipt())


def test_the_example_can_be_read() -> None:
    for method in METHODS:
        assert decode_params(dict(method.example), method.params)
