import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.instants import EARLIEST, clamp_instant, read_instant

AT = datetime(2026, 1, 11, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "2026-01-11T12:00:00Z",
        "2026-01-11T12:00:00+00:00",
        "2026-01-11T13:00:00.000+01:00",
        "2026-01-11 12:00:00",
        AT.timestamp(),
        int(AT.timestamp()),
        int(AT.timestamp() * 1000),
    ],
)
def test_an_instant_is_read_in_every_way_it_is_written(written: object) -> None:
    assert read_instant(written) == AT


@pytest.mark.parametrize(
    "written", ["", "soon", "9999-99-99", None, True, [], {}, math.nan, math.inf, 1e300, -1e300]
)
def test_what_is_no_instant_is_none(written: object) -> None:
    assert read_instant(written) is None


@given(st.one_of(st.text(), st.integers(), st.floats(), st.none()))
def test_reading_never_fails(written: object) -> None:
    found = read_instant(written)
    assert found is None or found.tzinfo is not None


@pytest.mark.parametrize(
    ("at", "clamped"),
    [
        (AT - timedelta(hours=1), AT - timedelta(hours=1)),
        ((AT - timedelta(hours=1)).astimezone(timezone(timedelta(hours=9))), AT - timedelta(hours=1)),
        (None, AT),
        (AT + timedelta(minutes=1), AT),
        (AT + timedelta(days=300), AT),
        (datetime(1970, 1, 21, tzinfo=UTC), AT),
        (EARLIEST, EARLIEST),
    ],
)
def test_an_instant_that_cannot_be_true_is_now(at: datetime | None, clamped: datetime) -> None:
    assert clamp_instant(at, AT) == clamped
    assert clamp_instant(at, AT).tzinfo is UTC
