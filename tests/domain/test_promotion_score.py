"""The numbers of the formula, as OpenClaw gives them."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.promotion_score import Signals, score_signals

NOW = datetime(2026, 1, 11, 3, tzinfo=UTC)
THREE_DAYS = [date(2026, 1, 9), date(2026, 1, 10), date(2026, 1, 11)]
THRICE = Signals(recalls=3, queries=3, days=THREE_DAYS, last_at=NOW)
ONCE = Signals(recalls=1, queries=1, days=THREE_DAYS[-1:], last_at=NOW)
STAGED = replace(THRICE, light_hits=3, rem_hits=3, last_light_at=NOW, last_rem_at=NOW)


@pytest.mark.parametrize(
    ("signals", "total"),
    [
        (replace(STAGED, total_score=3 * 0.58, tags=4), 0.750014),
        (replace(STAGED, total_score=3 * 0.60, tags=4), 0.756014),
        (replace(STAGED, total_score=3 * 0.62, tags=3), 0.752014),
        (replace(THRICE, total_score=3 * 0.2), 0.489152),
        (replace(THRICE, total_score=3 * 0.3), 0.519152),
        (replace(THRICE, total_score=3 * 0.4), 0.549152),
        (replace(ONCE, total_score=0.8, tags=2), 0.529376),
        (replace(ONCE, total_score=0.9, tags=3), 0.569376),
        (replace(ONCE, total_score=0.99, tags=4), 0.606376),
        (Signals(recalls=10, queries=5, last_at=NOW), 0.54),
    ],
)
def test_golden_values(signals: Signals, total: float) -> None:
    assert score_signals(signals, NOW).total == pytest.approx(total, abs=1e-6)


@pytest.mark.parametrize(
    ("light", "rem", "boost"),
    [(1, 0, 0.02137), (0, 1, 0.03206), (1, 1, 0.05343), (3, 3, 0.10686), (6, 6, 0.15), (99, 99, 0.15)],
)
def test_golden_boosts(light: int, rem: int, boost: float) -> None:
    staged = Signals(light_hits=light, rem_hits=rem, last_light_at=NOW, last_rem_at=NOW)
    assert score_signals(staged, NOW).boost == pytest.approx(boost, abs=1e-5)


def test_a_phase_without_a_time_counts_nothing_and_half_after_two_weeks() -> None:
    staged = Signals(light_hits=6, rem_hits=6, last_light_at=NOW - timedelta(days=14))
    assert score_signals(staged, NOW).boost == pytest.approx(0.03)


def test_recency_halves_in_the_half_life_and_a_time_to_come_is_now() -> None:
    old = replace(ONCE, last_at=NOW - timedelta(days=14))
    assert score_signals(old, NOW).recency == pytest.approx(0.5)
    assert score_signals(old, NOW, half_life_days=7).recency == pytest.approx(0.25)
    assert score_signals(replace(ONCE, last_at=NOW + timedelta(days=3)), NOW).recency == 1.0


def test_days_count_once_and_are_better_spread() -> None:
    same = replace(THRICE, days=[THREE_DAYS[0]] * 3)
    week = replace(THRICE, days=[THREE_DAYS[0] + timedelta(days=3 * n) for n in range(3)])
    assert score_signals(same, NOW).consolidation == 0.2
    assert score_signals(THRICE, NOW).consolidation < score_signals(week, NOW).consolidation


SIGNALS = st.builds(
    Signals,
    recalls=st.integers(0, 100),
    dailies=st.integers(0, 100),
    grounded=st.integers(0, 10),
    total_score=st.floats(0, 200),
    queries=st.integers(0, 40),
    days=st.lists(st.dates(date(2025, 1, 1), date(2026, 1, 11)), max_size=16),
    tags=st.integers(0, 8),
    last_at=st.none() | st.integers(0, 10_000).map(lambda hours: NOW - timedelta(hours=hours)),
    light_hits=st.integers(0, 9999),
    rem_hits=st.integers(0, 9999),
)


@given(SIGNALS)
def test_every_part_is_between_0_and_1(signals: Signals) -> None:
    score = score_signals(signals, NOW)
    parts = (
        score.frequency,
        score.relevance,
        score.diversity,
        score.recency,
        score.consolidation,
        score.conceptual,
        score.boost,
        score.shown,
    )
    assert all(0.0 <= part <= 1.0 for part in parts)


@given(SIGNALS)
def test_another_question_never_lowers_a_score(signals: Signals) -> None:
    more = replace(signals, queries=signals.queries + 1)
    assert score_signals(more, NOW).total >= score_signals(signals, NOW).total
