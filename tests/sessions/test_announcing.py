import trio
from trio.testing import MockClock

from openclaw_memd.sessions.announcing import ENOUGH_MESSAGES, QUIET_S, SMALL_BYTES, Announcer

BIG = SMALL_BYTES + 1


async def test_a_small_document_is_announced_at_once() -> None:
    told: list[frozenset[str]] = []
    announcer = Announcer(told.append)
    announcer.changed("a", SMALL_BYTES, 1)
    assert told == [frozenset({"a"})]


async def test_a_large_one_is_announced_when_it_has_been_quiet(autojump_clock: MockClock) -> None:
    told: list[tuple[float, frozenset[str]]] = []
    announcer = Announcer(lambda paths: told.append((trio.current_time(), paths)))
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(announcer.run)
        for _ in range(4):
            announcer.changed("a", BIG, 1)
            await trio.sleep(2)
        announcer.changed("b", BIG, 1)
        await trio.sleep(60)
        assert [(round(at - start, 3), paths) for at, paths in told] == [
            (6 + QUIET_S, frozenset({"a"})),
            (8 + QUIET_S, frozenset({"b"})),
        ]
        announcer.changed("a", BIG, 1)
        await trio.sleep(60)
        assert len(told) == 3
        nursery.cancel_scope.cancel()


async def test_a_large_one_is_announced_after_many_messages_without_waiting() -> None:
    told: list[frozenset[str]] = []
    announcer = Announcer(told.append)
    for _ in range(3 * ENOUGH_MESSAGES - 1):
        announcer.changed("a", BIG, 1)
    assert told == [frozenset({"a"})] * 2


async def test_what_was_told_is_not_told_again(autojump_clock: MockClock) -> None:
    told: list[frozenset[str]] = []
    announcer = Announcer(told.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(announcer.run)
        announcer.changed("a", BIG, 1)
        assert announcer.waiting == {"a"}
        announcer.tell(["a", "b"])
        assert announcer.waiting == set()
        announcer.tell([])
        await trio.sleep(60)
        nursery.cancel_scope.cancel()
    assert told == [frozenset({"a", "b"})]
