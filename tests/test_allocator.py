import platform
import subprocess
import sys

import pytest

from openclaw_memd.allocator import give_back

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


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked to give memory back")
def test_freed_memory_goes_back() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) > 20_000


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    give_back()
