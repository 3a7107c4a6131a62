"""How the threads of this process share the interpreter."""

import sys
from typing import Final

TURN_S: Final = 0.0005
"""How long a busy thread keeps the interpreter while others wait. Python's default is ten times that."""


def take_short_turns() -> None:
    """Let a thread that needs the interpreter for a moment wait less for those that compute.

    SQLite gives it away at each step and system calls do too, so a search, a write or the event loop beside a
    thread that analyses files waits dozens of turns. Threads that nobody waits for are not slowed down.
    """
    sys.setswitchinterval(TURN_S)
