import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.files.debounce import Debounce


async def _bursts(debounce: Debounce, count: int) -> list[tuple[float, frozenset[str]]]:
    start = trio.current_time()
    found = []
    for _ in range(count):
        hints = await debounce.burst()
        found.append((round(trio.current_time() - start, 6), hints))
    return found


async def test_a_single_hint_comes_out_after_the_quiet_time(autojump_clock: MockClock) -> None:
    debounce = Debounce()
    debounce.add({"a"})
    assert await _bursts(debounce, 1) == [(1.5, frozenset({"a"}))]


async def test_each_hint_starts_the_quiet_time_again(autojump_clock: MockClock) -> None:
    debounce = Debounce()
    async with trio.open_nursery() as nursery:

        async def save_thrice() -> None:
            for name in "abc":
                debounce.add({name})
                await trio.sleep(1)

        nursery.start_soon(save_thrice)
        assert await _bursts(debounce, 1) == [(3.5, frozenset("abc"))]


async def test_a_burst_without_end_comes_out_every_five_seconds(autojump_clock: MockClock) -> None:
    debounce = Debounce()
    async with trio.open_nursery() as nursery:

        async def save_on() -> None:
            while True:
                debounce.add({"a"})
                await trio.sleep(0.5)

        nursery.start_soon(save_on)
        times = [at for at, _ in await _bursts(debounce, 2)]
        nursery.cancel_scope.cancel()
    assert times[0] == 5
    assert 10 <= times[1] <= 10.5


async def test_a_late_waiter_gets_a_burst_that_is_over_at_once(autojump_clock: MockClock) -> None:
    debounce = Debounce(quiet_s=1)
    debounce.add({"a"})
    await trio.sleep(7)
    assert await _bursts(debounce, 1) == [(0, frozenset({"a"}))]


@pytest.mark.parametrize("after_s", [0, 1])
async def test_a_cancelled_wait_loses_nothing(autojump_clock: MockClock, after_s: float) -> None:
    debounce = Debounce()
    debounce.add({"a"})
    with trio.move_on_after(after_s):
        await debounce.burst()
    debounce.add({"b"})
    assert await debounce.burst() == {"a", "b"}


async def test_what_is_urgent_comes_out_at_once_with_all_that_waits(autojump_clock: MockClock) -> None:
    debounce = Debounce()
    async with trio.open_nursery() as nursery:

        async def hint() -> None:
            debounce.add({"a"})
            await trio.sleep(1)
            debounce.add({"b"}, at_once=True)
            await trio.sleep(1)
            debounce.add({"c"})

        nursery.start_soon(hint)
        assert await _bursts(debounce, 2) == [(1.0, frozenset("ab")), (3.5, frozenset("c"))]
