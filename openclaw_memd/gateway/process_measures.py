"""What the system knows of this process, under the names that Prometheus' own clients use."""

import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from openclaw_memd.gateway.metric_kinds import Sample

_PROC = Path("/proc/self")


def measure_process() -> Iterator[Sample]:
    """Processor time and limits everywhere; memory, descriptors and the start where there is ``/proc``."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    yield Sample("process_cpu_seconds_total", used.ru_utime + used.ru_stime)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY:
        yield Sample("process_max_fds", soft)
    if not sys.platform.startswith("linux"):
        return
    try:
        pages = int((_PROC / "statm").read_text().split()[1])
        ticks = int((_PROC / "stat").read_text().rpartition(")")[2].split()[19])
        descriptors = len(os.listdir(_PROC / "fd"))  # noqa: PTH208 - names are enough
    except (OSError, ValueError, IndexError):
        return  # /proc is not there, or not to be read
    yield Sample("process_resident_memory_bytes", pages * os.sysconf("SC_PAGE_SIZE"))
    yield Sample("process_open_fds", descriptors)
    booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    yield Sample("process_start_time_seconds", round(booted + ticks / os.sysconf("SC_CLK_TCK"), 2))
