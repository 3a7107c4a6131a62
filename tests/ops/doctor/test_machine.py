"""File events, clock and zone."""

from datetime import UTC, datetime, timedelta

import pytest

from openclaw_memd.ops.doctor.machine import (
    EventLimits,
    judge_clock,
    judge_events,
    judge_zone,
    read_event_limits,
)

NOW = datetime(2026, 1, 11, 12, tzinfo=UTC)


def test_limits_that_are_wide_enough_are_not_mentioned() -> None:
    assert list(judge_events(EventLimits(8192, True), 100, None)) == []
    assert list(judge_events(None, 100, None)) == []


def test_too_few_watches_no_instance_and_polling_are_told() -> None:
    found = [one.id for one in judge_events(EventLimits(100, False), 90, "file events are not available")]
    assert found == ["watch-polling", "watch-limit", "watch-instances"]


def test_the_limits_of_this_machine_can_be_read() -> None:
    limits = read_event_limits()
    assert limits is None or limits.most_watches > 0


@pytest.mark.parametrize(
    ("ahead", "drift_s", "expected"),
    [
        (timedelta(minutes=4), 0.0, []),
        (timedelta(minutes=6), 0.0, ["clock-behind"]),
        (-timedelta(days=300), 0.0, []),
        (timedelta(0), -30.0, []),
        (timedelta(0), -3600.0, ["clock-set-back"]),
        (timedelta(0), 30_000.0, []),  # the machine slept
    ],
)
def test_a_clock_that_cannot_be_right(ahead: timedelta, drift_s: float, expected: list[str]) -> None:
    assert [one.id for one in judge_clock(NOW, NOW + ahead, drift_s)] == expected


def test_without_any_record_nothing_is_known_of_the_clock() -> None:
    assert list(judge_clock(NOW, None, 0.0)) == []


@pytest.mark.parametrize(
    ("configured", "here", "expected"),
    [
        ("local", "UTC", []),
        ("local", "", []),
        ("local", "Mars/Olympus", ["zone-unknown"]),
        ("Asia/Tokyo", "UTC", ["zone-differs"]),
        ("Europe/Vienna", "Europe/Berlin", []),
        ("Mars/Olympus", "UTC", ["zone-unknown"]),
    ],
)
def test_a_zone_that_is_not_meant(
    configured: str, here: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", here)
    assert [one.id for one in judge_zone(configured, {"TZ": here}, NOW)] == expected
