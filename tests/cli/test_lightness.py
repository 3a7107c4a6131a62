"""Health checks and hooks run the command line often: it loads little."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemons import RunningDaemon

HEAVY = {
    "trio",
    "structlog",
    "numpy",
    "msgspec",
    "asyncio",
    "apsw",
    "httpx",
    "hypercorn",
    "watchfiles",
    "ssl",
}


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("search", "gateway"),
        ("get", "MEMORY.md"),
        ("sync",),
        ("sessions",),
        ("flush", "append", "NO_REPLY", "--cycle", "1"),
        ("trust", "MEMORY.md", "--as-owner"),
        ("lint", "MEMORY.md"),
    ],
    ids=lambda one: one[0],
)
def test_a_call_loads_no_heavy_library(daemon: RunningDaemon, arguments: tuple[str, ...]) -> None:
    command = (sys.executable, "-X", "importtime", "-m", "openclaw_memd.cli.main", *arguments)
    done = subprocess.run(command, env=daemon.env, capture_output=True, text=True, timeout=60, check=True)

    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "openclaw_memd" in loaded
    assert loaded & HEAVY == set()


def test_the_daemon_without_vectors_loads_no_numeric_library(daemon: RunningDaemon) -> None:
    mapped = Path(f"/proc/{daemon.pid}/maps").read_text(encoding="utf-8")

    assert "apsw" in mapped
    for library in ("numpy", "llama", "sqlite_vec"):
        assert library not in mapped
