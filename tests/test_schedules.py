"""When a cron expression comes due."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.schedules import next_time

BERLIN = ZoneInfo("Europe/Berlin")


def test_the_next_time_is_in_utc() -> None:
    found = next_time("30 2 * * *", datetime(2026, 3, 27, 12, tzinfo=BERLIN))
    assert found == datetime(2026, 3, 28, 1, 30, tzinfo=UTC)


def test_an_hour_that_is_skipped_is_made_up_for() -> None:
    assert next_time("30 2 * * *", datetime(2026, 3, 29, 1, 59, tzinfo=BERLIN)) == datetime(
        2026, 3, 29, 1, tzinfo=UTC
    )


@pytest.mark.parametrize("minutes", [0, 1, 29, 31, 59, 61, 89])
def test_an_hour_that_is_repeated_counts_once(minutes: int) -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert next_time("30 2 * * *", (first - timedelta(minutes=1)).astimezone(BERLIN)) == first
    after = (first + timedelta(minutes=minutes)).astimezone(BERLIN)
    assert next_time("30 2 * * *", after) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


def test_a_day_that_never_comes() -> None:
    assert next_time("0 0 30 2 *", datetime(2026, 1, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize("expression", ["", "61 * * * *", "* * * *", "a b c d e"])
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"Bad|Wrong"):
        next_time(expression, datetime(2026, 1, 1, tzinfo=UTC))


@given(
    st.datetimes(min_value=datetime(2026, 1, 1), max_value=datetime(2027, 12, 31)),
    st.sampled_from(["30 2 * * *", "*/20 * * * *", "0 0 1 * *", "15 3 * * sun", "0 9 29 2 *"]),
    st.sampled_from([BERLIN, ZoneInfo("America/St_Johns"), ZoneInfo("Pacific/Apia"), UTC]),
)
def test_it_always_lies_ahead(at: datetime, expression: str, zone: ZoneInfo) -> None:
    after = at.replace(tzinfo=UTC).astimezone(zone)
    found = next_time(expression, after)
    assert found is not None
    assert found > after
