from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.ledger.turn_answers import KEPT, TurnKey, find_turn
from openclaw_memd.index.opening import open_state
from openclaw_memd.index.store import Store
from openclaw_memd.index.turn_answers import IN_MEMORY, WAITING, TurnAnswers
from tests.fakes import TrioClock

KEY = TurnKey("main", "s1", "t1")


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[Store]:
    store = open_state(tmp_path / "state", "w", TrioClock().now).store
    try:
        yield store
    finally:
        await store.aclose()


async def stored(state: Store, key: TurnKey = KEY) -> str | None:
    return await state.read(partial(find_turn, key=key, now=TrioClock().now()))


async def test_an_answer_is_known_at_once_and_stored_soon(state: Store) -> None:
    answers = TurnAnswers(state, TrioClock())
    assert answers.find(KEY) is None
    answers.keep(KEY, "first")
    assert answers.find(KEY) == "first"
    assert await stored(state) is None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answers.run)
        while await stored(state) is None:
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    assert TurnAnswers(state, TrioClock()).find(KEY) == "first"
    assert answers.find(KEY._replace(session="s2")) is None


async def test_after_a_day_it_is_a_new_turn(state: Store, mock_clock: MockClock) -> None:
    answers = TurnAnswers(state, TrioClock())
    await state.write(partial(answers.write, key=KEY, answer="first"))
    answers.remember(KEY, "first")
    mock_clock.jump(KEPT.total_seconds())
    assert answers.find(KEY) == "first"
    mock_clock.jump(timedelta(seconds=1).total_seconds())
    assert answers.find(KEY) is None
    assert await stored(state) is None


async def test_what_is_forgotten_or_did_not_arrive_is_in_no_place(state: Store) -> None:
    answers = TurnAnswers(state, TrioClock())
    for number in range(3):
        key = KEY._replace(turn_id=str(number))
        await state.write(partial(answers.write, key=key, answer="text"))
        answers.remember(key, "text")
    gone = KEY._replace(turn_id="0")
    await state.write(partial(answers.drop, key=gone))
    assert (answers.find(gone), await stored(state, gone)) == (None, None)
    answers.keep(KEY._replace(turn_id="3"), "text")
    await answers.forget()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answers.run)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    for number in range(4):
        key = KEY._replace(turn_id=str(number))
        assert (answers.find(key), await stored(state, key)) == (None, None)


async def test_a_ledger_that_cannot_be_written_costs_what_is_not_in_memory(
    state: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_work: object) -> None:
        await trio.lowlevel.checkpoint()
        raise UnavailableError("the disk is full", reason="disk_full")

    answers = TurnAnswers(state, TrioClock())
    async with trio.open_nursery() as nursery:
        with monkeypatch.context() as patch:
            patch.setattr(state, "write", fail)
            nursery.start_soon(answers.run)
            answers.keep(KEY, "first")
            await wait_all_tasks_blocked()
        assert answers.find(KEY) == "first"
        later = KEY._replace(turn_id="later")
        answers.keep(later, "second")
        while await stored(state, later) is None:  # it goes on
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()


async def test_memory_and_queue_are_bounded(state: Store) -> None:
    answers = TurnAnswers(state, TrioClock())
    for number in range(IN_MEMORY + WAITING):
        answers.keep(KEY._replace(turn_id=str(number)), "text")
    assert answers.find(KEY._replace(turn_id="0")) is None
    assert answers.find(KEY._replace(turn_id=str(IN_MEMORY + WAITING - 1))) == "text"


async def test_one_at_a_time_for_each_turn(state: Store) -> None:
    answers = TurnAnswers(state, TrioClock())
    came: list[str] = []
    may_go = trio.Event()

    async def take(name: str, key: TurnKey) -> None:
        async with answers.alone(key):
            came.append(name)
            await may_go.wait()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(take, "a", KEY)
        await wait_all_tasks_blocked()
        nursery.start_soon(take, "b", KEY)
        nursery.start_soon(take, "other", KEY._replace(turn_id="t2"))
        await wait_all_tasks_blocked()
        assert came == ["a", "other"]
        may_go.set()
    assert came == ["a", "other", "b"]
