"""Giving memory back to the system after a burst of work."""

import ctypes
import sys


def give_back() -> None:
    """Return freed memory to the system where the C library would keep it (glibc's ``malloc_trim``).

    A first index or a loaded matrix leaves tens of megabytes of free heap behind, which the daemon would hold
    for the rest of its life. Takes some milliseconds and blocks no other thread.
    """
    if not sys.platform.startswith("linux"):
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
    if trim is not None:
        trim(0)
