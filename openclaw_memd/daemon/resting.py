"""Giving memory back to the system whenever the daemon rests after work."""

import time
from collections.abc import Callable
from typing import Final

import trio

from openclaw_memd.allocator import give_back
from openclaw_memd.interpreter import look_at_passed_over

LOOK_S: Final = 2.0
QUIET_SHARE: Final = 0.1
"""Of the time, on one processor: less is what an idle daemon takes to watch and to look at its places."""
WORTH_S: Final = 0.25
"""So much work, in processor time, leaves something behind that is worth giving back."""


async def give_back_at_rest(
    forget: Callable[[], None], processor_s: Callable[[], float] = time.process_time
) -> None:
    """Drop what ``forget`` drops and give freed memory back after indexing, loading and bursts of calls.

    Runs until cancelled. ``processor_s`` is the processor time that the process took so far, in seconds.
    """
    given_at = before = 0.0  # the start is work too
    while True:
        now = processor_s()
        if now - before < QUIET_SHARE * LOOK_S and now - given_at > WORTH_S:
            forget()
            look_at_passed_over()
            await trio.to_thread.run_sync(give_back)
            given_at = now = processor_s()
        before = now
        await trio.sleep(LOOK_S)
