"""How the C library keeps freed memory, and giving it back to the system after a burst of work."""

import ctypes
import sys
from typing import Final

_ARENA_MAX: Final = -8  # M_ARENA_MAX of glibc's malloc.h
_ARENAS: Final = 2


def share_arenas() -> None:
    """Let all threads allocate from two arenas (glibc's ``M_ARENA_MAX``) instead of eight for each core.

    Each arena keeps what was freed in it for the threads that use it. Threads here come and go and hold the
    interpreter while they allocate, so many arenas speed nothing up. To be called before threads start.
    """
    set_option = _c_function("mallopt")
    if set_option is not None:
        set_option(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Return freed memory to the system where the C library would keep it (glibc's ``malloc_trim``).

    A first index or a loaded matrix leaves tens of megabytes of free heap behind, which the daemon would hold
    for the rest of its life. Takes some milliseconds and blocks no other thread.
    """
    trim = _c_function("malloc_trim")
    if trim is not None:
        trim(0)


def _c_function(name: str) -> "ctypes._NamedFuncPointer | None":
    """A function of the C library; None where it has none of that name, as musl or macOS."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform.startswith("linux") else None
