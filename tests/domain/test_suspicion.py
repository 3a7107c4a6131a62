from datetime import UTC, datetime, timedelta

import pytest

from openclaw_memd.domain.suspicion import Taint, is_suspect, tells_more

NOW = datetime(2026, 1, 11, 12, tzinfo=UTC)


def ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("taint", "looked_at", "suspect", "telling"),
    [
        (Taint(), None, False, True),
        (Taint(), ago(5), False, False),
        (Taint(is_now=True, last_at=NOW), None, True, False),
        (Taint(is_now=True, last_at=NOW), NOW, True, False),
        (Taint(last_at=ago(2)), ago(5), True, True),
        (Taint(last_at=ago(5)), ago(2), False, False),
        (Taint(last_at=ago(5)), None, False, True),
        # The clock was set back after the look.
        (Taint(last_at=ago(5)), ago(-9_000), True, True),
    ],
)
def test_a_change_is_suspect_when_some_turn_was_tainted_since_the_last_look(
    taint: Taint, looked_at: datetime | None, suspect: bool, telling: bool
) -> None:
    assert is_suspect(taint, looked_at, NOW) is suspect
    assert tells_more(taint, looked_at, NOW) is telling
