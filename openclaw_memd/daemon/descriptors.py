"""How many files the process may open, and how many connections there is room for beside its own."""

import resource
from typing import Final

RESERVED: Final = 128
"""What the daemon opens itself: databases, locks, pipes, events, what it reads; some 50 at rest."""

ENOUGH: Final = 4_096
FEWEST_CONNECTIONS: Final = 4


def raise_limit() -> int:
    """How many descriptors the process may have from now on: what the system allows, up to `ENOUGH`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return ENOUGH
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if wanted <= soft:
        return soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # macOS has a limit of its own below an infinite one
        return soft
    return wanted


def room_for_connections(wanted: int, descriptors: int) -> tuple[int, str | None]:
    """How many of ``wanted`` connections may be open, and what is to be said when they are fewer.

    As many again may be open for a moment, to be told that there are too many.
    """
    room = max(FEWEST_CONNECTIONS, (descriptors - RESERVED) // 2)
    if room >= wanted:
        return wanted, None
    return room, (
        f"the process may open {descriptors} files, so it serves {room} connections at a time and not"
        f" {wanted} (limits.connections); a higher limit (ulimit -n, LimitNOFILE) makes room"
    )
