import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.index.backoff import BREAKER_S, LONGEST_DELAY_S, retry_delay_s


def delay_s(
    failures: int, *, retry_after_s: float | None = None, permanent: bool = False, jitter: float = 0.0
) -> float:
    return retry_delay_s(failures, retry_after_s=retry_after_s, permanent=permanent, jitter=jitter)


def test_delays_double() -> None:
    assert [delay_s(failures) for failures in (1, 2, 3, 4)] == [2.0, 4.0, 8.0, 16.0]


def test_delays_are_bounded_however_often_it_fails() -> None:
    assert delay_s(10_000, jitter=0.99) == LONGEST_DELAY_S


@pytest.mark.parametrize(
    ("asked_s", "expected_s"), [(45.0, 45.0), (0.0, 2.0), (-1.0, 2.0), (86_400.0, 900.0)]
)
def test_what_the_provider_asks_for_is_kept_to_within_bounds(asked_s: float, expected_s: float) -> None:
    assert delay_s(1, retry_after_s=asked_s) == expected_s


def test_a_permanent_failure_opens_the_breaker() -> None:
    assert delay_s(1, retry_after_s=5.0, permanent=True) == BREAKER_S


@given(st.integers(1, 50), st.none() | st.floats(0.0, 900.0), st.floats(0.0, 0.999))
def test_jitter_only_lengthens(failures: int, asked_s: float | None, jitter: float) -> None:
    plain_s = delay_s(failures, retry_after_s=asked_s)

    assert (
        plain_s
        <= delay_s(failures, retry_after_s=asked_s, jitter=jitter)
        <= min(plain_s * 1.1, LONGEST_DELAY_S)
    )
