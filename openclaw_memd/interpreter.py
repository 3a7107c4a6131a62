"""How the threads of this process share the interpreter."""

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Final, cast

TURN_S: Final = 0.0005
"""How long a busy thread keeps the interpreter while others wait. Python's default is ten times that."""

NEW_OBJECTS: Final = 2_000
"""How many more objects than before there are when the collector looks at the new ones; Python's default is
700."""

MANY_PARTS: Final = 1_000
"""From how many parts on the collector is kept from what is made of a text: each part is some dozen objects,
and a full look at those takes 20 ms for a thousand parts."""

MANY_PASSED: Final = 64
"""After so many times that something was passed over, the collector looks through that too, at rest."""

_YOUNG_LOOKS: Final = 10
_MIDDLE_LOOKS: Final = 100


class _Since:
    """What happened since the collector looked through everything."""

    passed_over = 0


def take_short_turns() -> None:
    """Let a thread that needs the interpreter for a moment wait less for those that compute.

    SQLite gives it away at each step and system calls do too, so a search, a write or the event loop beside a
    thread that analyses files waits dozens of turns. Threads that nobody waits for are not slowed down.
    """
    sys.setswitchinterval(TURN_S)


def load_without_looking() -> None:
    """Keep the collector away while the program is read in, until ``look_for_garbage_seldom``.

    It would look again and again at ever more objects that stay; one look at the end finds the same garbage.
    """
    gc.disable()


def look_for_garbage_seldom() -> None:
    """Let the collector pass over what the program itself is made of, and look through the rest less often.

    A full look stops every thread, for 0.4 s where a curated file has 20 000 entries (see ``made_to_last``).
    Nearly all that this process throws away is freed without it.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(NEW_OBJECTS, _YOUNG_LOOKS, _MIDDLE_LOOKS)


@contextmanager
def made_to_last(parts: int) -> Iterator[None]:
    """Let the collector pass over what is made meanwhile, if that has ``MANY_PARTS`` or more.

    It is for what stays long and refers to nothing that refers back, so that it is freed without a collector.
    What is garbage by now is looked for first. What other threads have just then is passed over as well: of
    that, cycles stay when they become garbage, some kilobytes, until ``look_at_passed_over``.
    """
    if parts < MANY_PARTS:
        yield
        return
    gc.collect()
    try:
        yield
    finally:
        gc.freeze()
        _Since.passed_over += 1


def look_at_passed_over(least: int = MANY_PASSED) -> None:
    """Look for garbage in everything, if ``made_to_last`` passed over something ``least`` times since.

    It stops every thread as long as ``look_for_garbage_seldom`` says, so it is for a time of rest.
    """
    if _Since.passed_over >= least:
        _Since.passed_over = 0
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def do_without(modules: Iterable[str]) -> None:
    """Let what is imported from now on find ``modules`` missing, as on a machine that has not got them."""
    for module in modules:
        sys.modules.setdefault(module, cast("ModuleType", None))
