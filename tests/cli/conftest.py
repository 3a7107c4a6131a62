"""A daemon that the command line tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.fake_daemon import FakeDaemon
from tests.daemon.clients import QUICK
from tests.daemons import RunningDaemon, short_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as path:
        yield path


@pytest.fixture(scope="package")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=QUICK) as running:
        running.write("MEMORY.md", "# Core\n\n- The gateway port is 8123.\n")
        running.write("memory/2026-01-11.md", "# Sunday\n\n- Repaired the bicycle.\n- Called the plumber.\n")
        running.write("memory/odd.md", "evil \x1b[31mword\x07 here\n")
        running.settle()
        running.wait_until(lambda: running.agent()["watch"]["mode"] == "events")
        yield running


@pytest.fixture(scope="package")
def writable() -> Iterator[RunningDaemon]:
    """A daemon for commands that write; its memory grows from test to test."""
    with short_folder() as folder, RunningDaemon(folder, env=QUICK) as running:
        running.write("MEMORY.md", "# Core\n\n- The gateway port is 8123.\n")
        running.settle()
        yield running


@pytest.fixture
def fake(folder: Path) -> Iterator[FakeDaemon]:
    with FakeDaemon(folder / "m.sock") as running:
        yield running
