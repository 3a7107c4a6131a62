"""What the command line tests share: daemons, and a way to run a command without a process of its own."""

import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

import pytest
import structlog

from openclaw_memd.cli.main import main
from tests.cli.fake_daemon import FakeDaemon
from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as path:
        yield path


class RunHere(Protocol):
    """Runs a command line in this process: for cases in masses, since a process takes its time to start."""

    def __call__(self, *arguments: str, env: Mapping[str, str]) -> CompletedProcess[str]: ...


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunHere:
    def run(*arguments: str, env: Mapping[str, str]) -> CompletedProcess[str]:
        with monkeypatch.context() as patch:
            for name in os.environ:
                patch.delenv(name)
            for name, value in env.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
            patch.setattr(logging.getLogger(), "handlers", [])
            patch.setattr(logging.getLogger(), "level", logging.WARNING)
            try:
                code = main(list(arguments))
            finally:
                structlog.reset_defaults()  # `run` sets the log up for a process of its own
        return CompletedProcess(arguments, code, *capsys.readouterr())

    return run


@pytest.fixture(scope="package")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as running:
        running.write("MEMORY.md", "# Core\n\n- The gateway port is 8123.\n")
        running.write("memory/2026-01-11.md", "# Sunday\n\n- Repaired the bicycle.\n- Called the plumber.\n")
        running.write("memory/odd.md", "evil \x1b[31mword\x07 here\n")
        running.settle()
        running.wait_until(lambda: running.agent()["watch"]["mode"] == "events")
        yield running


@pytest.fixture(scope="package")
def writable() -> Iterator[RunningDaemon]:
    """A daemon for commands that write; its memory grows from test to test."""
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as running:
        running.write("MEMORY.md", "# Core\n\n- The gateway port is 8123.\n")
        running.settle()
        yield running


@pytest.fixture
def fake(folder: Path) -> Iterator[FakeDaemon]:
    with FakeDaemon(folder / "m.sock") as running:
        yield running
