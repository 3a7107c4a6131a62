"""What signals add up to."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.recall_signals import Signal, SignalKind, hash_question, hash_source, sum_signals

AT = datetime(2026, 1, 11, 12, tzinfo=UTC)


def signal(
    kind: SignalKind, question: str = "q", session: str = "s", day: int = 0, score: float = 0.5
) -> Signal:
    at = AT + timedelta(days=day)
    return Signal(kind, hash_question(question), ("main", session), at.date(), score, at)


def test_questions_are_the_same_without_case_spacing_and_marks() -> None:
    """A loop of a tool that asks again with other marks asks the same."""
    assert hash_question(" Where  is IT?\n") == hash_question("where is it?")
    for same in ("where is it", "Where is it...?!", '"where is it"', "where is \u200bit", "¿where, is it?"):
        assert hash_question(same) == hash_question("where is it?")
    assert hash_question("where is it?") != hash_question("where is he?")
    assert hash_question("a-b c.d") != hash_question("ab cd")
    assert hash_question("said\0") != hash_source("said", "")


def test_recalls_are_counted_and_questions_are_told_apart() -> None:
    found = sum_signals([signal("recall"), signal("recall", day=2), signal("recall", "other", score=0.7)])
    assert (found.recalls, found.queries, round(found.total_score, 9)) == (3, 2, 1.7)
    assert found.last_at == AT + timedelta(days=2)
    assert len(found.days) == 2


def test_nobody_asked_for_notes() -> None:
    found = sum_signals([signal("daily", "1"), signal("daily", "2"), signal("grounded")])
    assert (found.recalls, found.dailies, found.grounded, found.queries) == (0, 2, 1, 0)


def test_what_is_said_in_three_sessions_on_two_days_is_asked_for_in_each() -> None:
    few = [
        signal("said", session="a"),
        signal("said", session="b", day=1),
        signal("said", session="a", day=2),
    ]
    found = sum_signals(few)
    assert (found.recalls, found.queries, found.dailies, found.total_score) == (0, 0, 3, 1.5)
    found = sum_signals([*few, signal("said", session="c")])
    assert (found.recalls, found.queries, found.dailies, found.total_score) == (3, 3, 4, 7.0)
    one_day = [signal("said", session=name) for name in "abc"]
    assert sum_signals(one_day).queries == 0


signals = st.lists(
    st.builds(
        signal,
        st.sampled_from(["recall", "daily", "grounded", "said"]),
        st.sampled_from("qr"),
        st.sampled_from("abcd"),
        st.integers(0, 5),
        st.floats(0, 1),
    ),
    max_size=20,
)


@given(signals, st.randoms())
def test_their_order_does_not_count(found: Sequence[Signal], random: object) -> None:
    other = list(found)
    random.shuffle(other)  # type: ignore[attr-defined]
    one, two = sum_signals(found), sum_signals(other)
    assert abs(one.total_score - two.total_score) < 1e-9
    assert (one.recalls, one.queries, one.days, one.last_at) == (
        two.recalls,
        two.queries,
        two.days,
        two.last_at,
    )


@given(signals)
def test_no_score_is_over_what_there_are_signals(found: Sequence[Signal]) -> None:
    summed = sum_signals(found)
    assert summed.total_score <= summed.count + 1e-9
    assert summed.queries <= summed.recalls
