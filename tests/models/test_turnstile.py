import trio
import trio.testing

from openclaw_memd.models.turnstile import Turnstile
from openclaw_memd.ports import EmbedKind


async def test_queries_go_before_passages_and_otherwise_first_come() -> None:
    turnstile, order = Turnstile(), list[str]()

    async def go(kind: EmbedKind, name: str) -> None:
        async with turnstile.turn(kind):
            order.append(name)
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery, turnstile.turn("passage"):
        arrivals: list[tuple[EmbedKind, str]] = [
            ("passage", "p1"),
            ("passage", "p2"),
            ("query", "q1"),
            ("query", "q2"),
        ]
        for kind, name in arrivals:
            nursery.start_soon(go, kind, name)
            await trio.testing.wait_all_tasks_blocked()

    assert order == ["q1", "q2", "p1", "p2"]


async def test_one_holder_at_a_time() -> None:
    turnstile, inside, most = Turnstile(), 0, 0

    async def go(kind: EmbedKind) -> None:
        nonlocal inside, most
        async with turnstile.turn(kind):
            inside += 1
            most = max(most, inside)
            await trio.lowlevel.checkpoint()
            inside -= 1

    async with trio.open_nursery() as nursery:
        for number in range(20):
            nursery.start_soon(go, "query" if number % 3 else "passage")

    assert (inside, most) == (0, 1)


async def test_who_gives_up_waiting_leaves_the_line() -> None:
    turnstile = Turnstile()

    async with turnstile.turn("passage"), trio.open_nursery() as nursery:
        nursery.start_soon(_pass, turnstile)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    with trio.fail_after(30):
        await _pass(turnstile)


async def test_a_failure_inside_gives_the_turn_on() -> None:
    turnstile = Turnstile()
    try:
        async with turnstile.turn("query"):
            raise ValueError
    except ValueError:
        pass

    with trio.fail_after(30):
        await _pass(turnstile)


async def _pass(turnstile: Turnstile) -> None:
    async with turnstile.turn("query"):
        await trio.lowlevel.checkpoint()
