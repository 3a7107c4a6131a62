import platform
import subprocess
import sys

import pytest

from openclaw_memd.allocator import give_back, share_arenas

PROGRAM = """
import re
from pathlib import Path
from openclaw_memd.allocator import give_back

def resident_kb():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

pieces = [bytes(2_000) for _ in range(20_000)]
last = pieces[-1]  # at the top of the heap, so that nothing below goes back by itself
del pieces
before = resident_kb()
give_back()
print(before - resident_kb())
"""


THREADS = """
import re, threading
from pathlib import Path
from openclaw_memd.allocator import share_arenas

def count_arenas():
    # A thread's arena has 64 MB from a multiple of 64 MB on: what is in use, and what is kept free for it.
    # A stack may begin at such a place as well, by chance.
    maps = Path("/proc/self/maps").read_text()
    place = r"^([0-9a-f]+)-([0-9a-f]+) rw-p 0+ 00:00 0 *\\n\\2-([0-9a-f]+) ---p 0+ 00:00 0 *$"
    found = [(int(start, 16), int(end, 16)) for start, _, end in re.findall(place, maps, re.M)]
    return sum(start % (64 << 20) == 0 and end - start == 64 << 20 for start, end in found)

share_arenas()
ready, go = threading.Barrier(13), threading.Event()

def allocate():
    kept = [bytes(2_000) for _ in range(100)]
    ready.wait()
    go.wait()

threads = [threading.Thread(target=allocate) for _ in range(12)]
for thread in threads: thread.start()
ready.wait()
print(count_arenas())
go.set()
for thread in threads: thread.join()
"""

needs_glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked")


def run(program: str) -> int:
    command = [sys.executable, "-c", program]
    return int(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)


@needs_glibc
def test_threads_share_two_arenas() -> None:
    assert run(THREADS) <= 1  # beside the main one
    assert run(THREADS.replace("\nshare_arenas()", "")) > 1


@needs_glibc
def test_freed_memory_goes_back() -> None:
    assert run(PROGRAM) > 20_000


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    give_back()
    share_arenas()
    share_arenas()
