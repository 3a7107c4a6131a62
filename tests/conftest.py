"""Settings for every test."""

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


def pytest_configure() -> None:
    """Keep the files of tests in memory where there is room, unless told where: they sync so often.

    None of them cuts the power, and to a killed process both are the same.
    """
    if "TMPDIR" in os.environ or "PYTEST_DEBUG_TEMPROOT" in os.environ:
        return
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM:
        os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = _MEMORY


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
