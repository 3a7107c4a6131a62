"""One part of a check that fails hides no other."""

from collections.abc import Iterable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from openclaw_memd.ops.doctor import checking
from openclaw_memd.ops.doctor.all_kinds import KINDS
from openclaw_memd.ops.doctor.doctor import KEPT_S, Doctor
from openclaw_memd.ops.doctor.findings import Finding


class Clock:
    def __init__(self) -> None:
        self.at = 0.0

    def monotonic(self) -> float:
        return self.at


async def broken(_patient: Any) -> Iterable[Finding]:
    raise RuntimeError("a note's text")


async def whole(_patient: Any) -> Iterable[Finding]:
    return [Finding.of("skipped", "memory/divorce.md is left out", subject="memory/divorce.md")]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(checking, "_PARTS", {"first": broken, "second thing": broken, "third": whole})
    monkeypatch.setattr(checking, "_check_models", broken)
    return SimpleNamespace(clock=Clock())


async def test_the_others_are_told_and_that_one_failed(patient: Any) -> None:
    found = {one.id: one for one in await checking.check(patient)}
    assert found.keys() == {
        "check-failed:first",
        "check-failed:second-thing",
        "check-failed:models",
        "skipped:memory/divorce.md",
    }
    assert not any("text" in one.detail for one in found.values())


async def test_who_may_not_be_told_names_cannot_make_it_look_all_the_time(patient: Any) -> None:
    looks = 0

    async def counted(_patient: Any) -> Iterable[Finding]:
        nonlocal looks
        looks += 1
        return await whole(_patient)

    checking._PARTS["third"] = counted  # type: ignore[index]
    doctor = Doctor(patient)
    for _ in range(3):
        told = await doctor.check(may_name=False)
        assert "skipped" in {one.id for one in told}
        assert not any("divorce" in one.id + one.detail for one in told)
    assert looks == 1
    await doctor.check(may_name=True)
    assert looks == 2
    patient.clock.at = KEPT_S + 1
    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(partial(doctor.check, may_name=False))
    assert looks == 3


async def test_a_plan_tells_what_it_would_leave(patient: Any) -> None:
    """Else somebody who asks for one finding by its id hears that there is nothing to be done."""
    outcome = await Doctor(patient).plan(["skipped:memory/divorce.md", "open-mode:x"])
    assert outcome.plan == ()
    assert outcome.fixed == ()
    assert [(one.id, one.why) for one in outcome.left] == [
        ("skipped:memory/divorce.md", KINDS["skipped"].advice),
        ("open-mode:x", "it is not found now"),
    ]
