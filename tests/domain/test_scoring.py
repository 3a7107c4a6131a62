import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.scoring import (
    ALONE_WEIGHT,
    inverse_frequency,
    merge_scores,
    saturate,
    score_importance,
    score_project,
    score_recency,
    score_text,
)

shares = st.floats(0, 1)


@given(shares, shares)
def test_text_scores_stay_between_0_and_1_and_grow_with_the_share(left: float, right: float) -> None:
    assert 0 <= score_text(left) <= 1 + 1e-12
    assert (score_text(left) <= score_text(right)) == (left <= right) or score_text(left) == score_text(right)


def test_text_scores_span_the_whole_range() -> None:
    assert score_text(0) == 0
    assert score_text(1) == pytest.approx(1)


@given(st.integers(1, 100), st.integers(1, 100), st.floats(0.1, 10))
def test_more_of_a_term_is_worth_more_and_never_all(few: int, more: int, ratio: float) -> None:
    assert 0 < saturate(few, ratio) < 1
    if few < more:
        assert saturate(few, ratio) < saturate(more, ratio)


def test_a_term_in_a_long_text_is_worth_less() -> None:
    assert saturate(1, 0.5) > saturate(1, 1.0) > saturate(1, 3.0)
    assert saturate(1, 0.0) == saturate(1, 1.0)


@given(st.integers(0, 1_000), st.integers(0, 1_000), st.integers(1, 1_000))
def test_rarer_terms_weigh_more_and_none_weighs_nothing(left: int, right: int, documents: int) -> None:
    assert inverse_frequency(left, documents) > 0
    if left < right <= documents:
        assert inverse_frequency(left, documents) > inverse_frequency(right, documents)


@given(shares, shares, shares)
def test_merged_scores_stay_between_0_and_1(vector: float, text: float, weight: float) -> None:
    (merged,) = merge_scores([vector], [text], weight)

    assert 0 <= merged <= 1


@given(shares, shares, shares, shares)
def test_words_of_the_query_never_lower_a_merged_score(
    vector: float, less: float, more: float, weight: float
) -> None:
    low, high = merge_scores([vector, vector], sorted((less, more)), weight)

    assert low <= high + 1e-12


@given(shares, shares)
def test_a_near_text_without_words_is_worth_most_of_its_nearness(vector: float, weight: float) -> None:
    assert merge_scores([vector], [0.0], weight) == [pytest.approx(ALONE_WEIGHT * weight * vector)]


def test_recency_halves_in_a_half_life_down_to_a_floor() -> None:
    assert score_recency(0, 30) == 1
    assert score_recency(-5, 30) == 1
    assert score_recency(15, 30) == pytest.approx(2**-0.5)
    assert score_recency(30, 30) == 0.6
    assert score_recency(10_000_000, 30) == 0.6


@pytest.mark.parametrize(
    ("importance", "factor"), [(None, 1.0), (1, 0.80), (5, 1.00), (10, 1.25), (0, 0.80), (11, 1.25)]
)
def test_importance_is_a_factor_around_one(importance: int | None, factor: float) -> None:
    assert score_importance(importance) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("projects", "active", "factor"),
    [
        ((), ("a",), 1.0),
        (("a",), (), 1.0),
        (("a",), ("a", "b"), 1.15),
        (("a", "b"), ("a",), 0.9),
        (("c",), ("a",), 0.9),
    ],
)
def test_projects_count_when_all_are_active(
    projects: tuple[str, ...], active: tuple[str, ...], factor: float
) -> None:
    assert score_project(projects, active) == factor
