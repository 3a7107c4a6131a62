"""A short soak; ``make soak T=600`` is the long one."""

import pytest

from tests.soak.__main__ import soak

pytestmark = [pytest.mark.crash, pytest.mark.slow]

SHORT_S = 12.0


def test_nothing_is_lost_doubled_or_torn_under_load() -> None:
    counts = soak(SHORT_S)
    assert counts.faults == {}
    assert counts.kills >= 1
    assert counts.accepted_lines >= counts.kills
