from collections.abc import Iterable
from itertools import accumulate, chain, islice, repeat

import pytest
import trio
import trio.testing

from openclaw_memd.daemon import resting
from openclaw_memd.daemon.resting import give_back_at_rest


class _EnoughError(Exception):
    pass


async def count_rests(work: Iterable[float], looks: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often memory is given back in so many readings, each of which finds the next ``work`` done."""
    rests: list[None] = []
    readings = islice(accumulate(chain(work, repeat(0.0))), looks)

    def processor_s() -> float:
        try:
            return next(readings)
        except StopIteration:
            raise _EnoughError from None

    monkeypatch.setattr(resting, "give_back", lambda: rests.append(None))
    with pytest.raises(_EnoughError):
        await give_back_at_rest(lambda: None, processor_s)
    return len(rests)


async def test_what_the_start_left_goes_back_once(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await count_rests([0.9], 20, monkeypatch) == 1


async def test_nothing_goes_back_while_there_is_work(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await count_rests([0.9] * 30, 20, monkeypatch) == 0


async def test_each_burst_of_calls_is_followed_by_one(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The reading after memory was given back counts as a look.
    work = [0.9, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0]
    rests = await count_rests(work, 20, monkeypatch)
    assert rests == 2


async def test_what_an_idle_daemon_does_is_not_worth_it_each_time(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests = await count_rests([0.9, *[0.01] * 1_000], 200, monkeypatch)
    assert 2 <= rests <= 10


async def test_what_is_remembered_is_dropped_first(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    readings = iter([0.9, 0.9, 0.9])
    monkeypatch.setattr(resting, "give_back", lambda: steps.append("given back"))
    with pytest.raises(RuntimeError):  # the readings are over
        await give_back_at_rest(lambda: steps.append("forgotten"), lambda: next(readings))
    assert steps == ["forgotten", "given back"]
