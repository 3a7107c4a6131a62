"""Settings for every test."""

import inspect
import os
import shutil
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import counts

# No deadline, nor one for the making of examples: a busy machine must not turn a law into a flaky test.
settings.register_profile(
    "memd",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    max_examples=int(os.environ.get("MEMD_EXAMPLES", "12")),
)
settings.load_profile("memd")

_MEMORY = "/dev/shm"
_ROOM = 2 * 1024**3
_CLOCKS = ("mock_clock", "autojump_clock")


def pytest_configure() -> None:
    """Keep the files of tests in memory where there is room, unless told where: they sync so often.

    None of them cuts the power, and to a killed process both are the same.
    """
    if "TMPDIR" in os.environ or "PYTEST_DEBUG_TEMPROOT" in os.environ:
        return
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM:
        os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = _MEMORY


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a clock that would do nothing: pytest-trio runs a test on one only if its function takes it."""
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        law = getattr(item.function, "hypothesis", None)
        function = item.function if law is None else law.inner_test
        if not inspect.iscoroutinefunction(function):
            continue
        taken = inspect.signature(function).parameters
        if idle := [name for name in _CLOCKS if name in item.fixturenames and name not in taken]:
            raise pytest.UsageError(
                f"{item.nodeid} runs on the real clock: {idle[0]} must be an argument of its function"
            )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what was counted, if anything was."""
    if lines := counts.lines():
        terminalreporter.section("counts")
        for line in lines:
            terminalreporter.write_line(line)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over what was counted when this is one of several processes."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["counts"] = counts.packed()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what another process counted; one that crashed hands over nothing."""
    if (output := getattr(node, "workeroutput", None)) is not None:
        counts.join(output["counts"])
