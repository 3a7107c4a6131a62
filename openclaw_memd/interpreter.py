"""How the threads of this process share the interpreter."""

import gc
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Final, cast

TURN_S: Final = 0.0005
"""How long a busy thread keeps the interpreter while others wait. Python's default is ten times that."""

NEW_OBJECTS: Final = 2_000
"""How many more objects than before there are when the collector looks at the new ones; Python's default is
700."""

_YOUNG_LOOKS: Final = 10
_MIDDLE_LOOKS: Final = 100


def take_short_turns() -> None:
    """Let a thread that needs the interpreter for a moment wait less for those that compute.

    SQLite gives it away at each step and system calls do too, so a search, a write or the event loop beside a
    thread that analyses files waits dozens of turns. Threads that nobody waits for are not slowed down.
    """
    sys.setswitchinterval(TURN_S)


def look_for_garbage_seldom() -> None:
    """Let the collector pass over what the program itself is made of, and look through the rest less often.

    A full look stops every thread, for 0.1 s where two curated files have thousands of entries. Nearly all
    that this process throws away is freed without it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, _YOUNG_LOOKS, _MIDDLE_LOOKS)


def do_without(modules: Iterable[str]) -> None:
    """Let what is imported from now on find ``modules`` missing, as on a machine that has not got them."""
    for module in modules:
        sys.modules.setdefault(module, cast("ModuleType", None))
