"""Limits and jumps for tests whose ``mock_clock`` stands still: a limit of trio's never passes there."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import trio
import trio.lowlevel
from trio.testing import MockClock


@contextmanager
def fail_after_real(limit_s: float = 60.0) -> Iterator[None]:
    """Fail what takes longer than ``limit_s``, in real time."""
    token = trio.lowlevel.current_trio_token()
    with trio.CancelScope() as scope:

        def end() -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(scope.cancel)

        timer = threading.Timer(limit_s, end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
    if scope.cancelled_caught:
        raise trio.TooSlowError


@asynccontextmanager
async def jump_once(holds: Callable[[], bool], clock: MockClock, seconds: float) -> AsyncIterator[float]:
    """Give a deadline ``seconds`` ahead, and jump to it once ``holds``; fail if it never does."""
    deadline_at = trio.current_time() + seconds

    async def jump() -> None:
        while not holds():
            await trio.lowlevel.checkpoint()
        clock.jump(seconds)

    with fail_after_real():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(jump)
            yield deadline_at
            nursery.cancel_scope.cancel()
    assert trio.current_time() >= deadline_at, "what the clock waits for did not come"
