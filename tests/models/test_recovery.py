import pytest
import trio
from trio.testing import MockClock

from openclaw_memd.models.recovery import DENIED_S, MOST_REST_S, MOST_WAIT_S, QUERY_WAIT_S, Recovery
from openclaw_memd.ports import EmbedderError
from tests.fakes import ConstantRng


@pytest.fixture
def recovery() -> Recovery:
    return Recovery(ConstantRng())


async def test_waits_as_long_as_it_is_told(recovery: Recovery, autojump_clock: MockClock) -> None:
    recovery.failed("busy", 45.0)

    await recovery.wait(patient=True)

    assert trio.current_time() == pytest.approx(45.0)


async def test_who_is_not_patient_is_told_at_once(recovery: Recovery, autojump_clock: MockClock) -> None:
    recovery.failed("busy", 45.0)

    with pytest.raises(EmbedderError, match="busy") as caught:
        await recovery.wait(patient=False)

    assert trio.current_time() == 0
    assert caught.value.retry_after_s == 45.0
    assert not caught.value.permanent


async def test_a_short_wait_is_for_everybody(recovery: Recovery, autojump_clock: MockClock) -> None:
    recovery.failed("busy", QUERY_WAIT_S)

    await recovery.wait(patient=False)

    assert trio.current_time() == pytest.approx(QUERY_WAIT_S)


async def test_a_wait_without_measure_is_not_waited_for(
    recovery: Recovery, autojump_clock: MockClock
) -> None:
    recovery.failed("busy", MOST_WAIT_S + 1)

    with pytest.raises(EmbedderError):
        await recovery.wait(patient=True)


async def test_who_asks_for_years_is_asked_again_before(
    recovery: Recovery, autojump_clock: MockClock
) -> None:
    recovery.failed("busy", 999_999_999.0)

    await trio.sleep(MOST_REST_S)
    await recovery.wait(patient=False)


async def test_all_callers_share_one_cool_down(recovery: Recovery, autojump_clock: MockClock) -> None:
    recovery.failed("busy", 10.0)
    done = []

    async def call() -> None:
        await recovery.wait(patient=True)
        done.append(trio.current_time())

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(call)
        await trio.sleep(5)
        recovery.failed("busy", 20.0)

    assert done == pytest.approx([25.0] * 3)


async def test_waits_grow_until_it_works(recovery: Recovery, autojump_clock: MockClock) -> None:
    for _ in range(3):
        recovery.failed("down", None)
        await recovery.wait(patient=True)
    assert trio.current_time() == pytest.approx(0.5 + 1 + 2)

    recovery.succeeded()
    recovery.failed("down", None)
    await recovery.wait(patient=True)

    assert trio.current_time() == pytest.approx(0.5 + 1 + 2 + 0.5)


async def test_denied_means_nobody_asks_for_a_quarter_of_an_hour(
    recovery: Recovery, autojump_clock: MockClock
) -> None:
    assert recovery.denied("check the key").permanent

    for patient in (True, False):
        with pytest.raises(EmbedderError, match="check the key") as caught:
            await recovery.wait(patient=patient)
        assert caught.value.permanent
    await trio.sleep(DENIED_S)
    await recovery.wait(patient=False)

    recovery.succeeded()
    assert recovery.reason is None
