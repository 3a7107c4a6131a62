import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.models.verdict import (
    Accepted,
    Denied,
    Refused,
    TooLarge,
    TryLater,
    backoff_s,
    judge,
    parse_retry_after,
)

NOW = datetime(2026, 1, 11, 12, tzinfo=UTC)


def error(message: str = "", **fields: str) -> bytes:
    return json.dumps({"error": {"message": message, **fields}}).encode()


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, b"{}", Accepted),
        (429, error("Rate limit reached", code="rate_limit_exceeded"), TryLater),
        (500, b"<html>", TryLater),
        (503, b"", TryLater),
        (529, error("overloaded"), TryLater),
        (408, b"", TryLater),
        (413, b"", TooLarge),
        (400, error("This model's maximum context length is 8192 tokens"), TooLarge),
        (400, error("batch size 100 exceeds the limit of 32"), TooLarge),
        (422, b'{"detail": "input is too long"}', TooLarge),
        (400, b"input too large", TooLarge),
        (400, error("Invalid model"), Refused),
        (302, b"", Denied),
        (307, b"", Denied),
        (401, error("Incorrect API key provided"), Denied),
        (403, b"", Denied),
        (404, error("model not found"), Denied),
        (402, b"", Denied),
        (429, error("You exceeded your current quota", code="insufficient_quota"), Denied),
        (429, error("", type="insufficient_quota"), Denied),
        (429, b'[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow"}}]', TryLater),
    ],
)
def test_what_an_answer_means(status: int, body: bytes, expected: type) -> None:
    assert isinstance(judge(status, {}, body, now=NOW), expected)


def test_reasons_never_repeat_the_body() -> None:
    body = error("cannot embed 'my secret diary'")
    for status in (400, 401, 403, 404, 429, 500):
        assert "diary" not in str(judge(status, {}, body, now=NOW))


@given(st.integers(200, 599), st.binary())
def test_any_body_gets_a_verdict(status: int, body: bytes) -> None:
    verdict = judge(status, {"retry-after": body.decode("latin-1")}, body, now=NOW)

    assert isinstance(verdict, Accepted | TryLater | TooLarge | Denied | Refused)


def test_retry_after_in_seconds_and_as_a_date() -> None:
    at = NOW + timedelta(seconds=45)

    assert judge(429, {"retry-after": "45"}, b"", now=NOW) == TryLater(
        "the embedding provider limits requests", 45.0
    )
    assert parse_retry_after(format_datetime(at, usegmt=True), NOW) == 45.0
    assert parse_retry_after(format_datetime(NOW - timedelta(hours=1), usegmt=True), NOW) == 0.0
    assert parse_retry_after("1.5", NOW) == 1.5
    for bad in ("", "soon", "-5", "nan", "1e9", "Mon, 99 Foo"):
        assert parse_retry_after(bad, NOW) is None


def test_waits_double_up_to_eight_seconds() -> None:
    assert [backoff_s(failures, 0.0) for failures in range(1, 8)] == [0.5, 1, 2, 4, 8, 8, 8]
    assert backoff_s(1, 0.999) == pytest.approx(0.6, abs=1e-3)
    assert backoff_s(10_000, 0.5) == 8
