"""Settings for every test."""

import os

import pytest
from hypothesis import settings

from tests.counts import told

# No deadline: a busy machine must not turn a law into a flaky test.
settings.register_profile(
    "memd", deadline=None, print_blob=True, max_examples=int(os.environ.get("MEMD_EXAMPLES", "30"))
)
settings.load_profile("memd")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what was counted, if anything was."""
    if told:
        terminalreporter.section("counts")
        for line in told:
            terminalreporter.write_line(line)
