"""What is no error but worth a sentence."""

import pytest

from openclaw_memd.config.advice import advise
from openclaw_memd.config.load import check


@pytest.mark.parametrize(
    ("schedule", "is_never"),
    [("0 3 30 2 *", True), ("0 3 31 apr,jun *", True), ("0 3 29 2 *", False), ("0 3 30 2 mon", False)],
)
def test_a_schedule_that_never_comes_is_told(schedule: str, *, is_never: bool) -> None:
    """A backup that nobody ever makes is found out when it is needed."""
    config = check({"backup": {"schedule": schedule}})
    told = "backup.schedule: no day is ever like this, so nothing will be done"
    assert advise(config, {"HOME": "/home/ana"}) == ([told] if is_never else [])
