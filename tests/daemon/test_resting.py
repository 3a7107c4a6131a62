from collections.abc import Iterator

import pytest
import trio
import trio.testing

from openclaw_memd.daemon import resting
from openclaw_memd.daemon.resting import LOOK_S, give_back_at_rest


async def count_rests(work: Iterator[float], looks: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often memory is given back in so many looks; each finds the next amount of ``work`` done."""
    rests: list[None] = []
    spent = 0.0

    def processor_s() -> float:
        nonlocal spent
        spent += next(work, 0.0)
        return spent

    monkeypatch.setattr(resting, "give_back", lambda: rests.append(None))
    with trio.move_on_after(looks * LOOK_S + 0.1):
        await give_back_at_rest(lambda: None, processor_s)
    return len(rests)


async def test_what_the_start_left_goes_back_once(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await count_rests(iter([0.9]), 20, monkeypatch) == 1


async def test_nothing_goes_back_while_there_is_work(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await count_rests(iter([0.9] * 30), 20, monkeypatch) == 0


async def test_each_burst_of_calls_is_followed_by_one(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The reading after memory was given back counts as a look.
    work = iter([0.9, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0])
    rests = await count_rests(work, 20, monkeypatch)
    assert rests == 2


async def test_what_an_idle_daemon_does_is_not_worth_it_each_time(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests = await count_rests(iter([0.9, *[0.01] * 1_000]), 200, monkeypatch)
    assert 2 <= rests <= 10


async def test_what_is_remembered_is_dropped_first(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    monkeypatch.setattr(resting, "give_back", lambda: steps.append("given back"))
    work = iter([0.9])
    with trio.move_on_after(5 * LOOK_S):
        await give_back_at_rest(lambda: steps.append("forgotten"), lambda: 0.9 + 0 * next(work, 0.0))
    assert steps == ["forgotten", "given back"]
