import pytest

from openclaw_memd.deep.answers import KEPT_S, MOST_ANSWERS, RecentAnswers
from openclaw_memd.deep.types import DeepAnswer, DeepOutcome

ANSWER = DeepAnswer("ok", summary="the port is 18789")


def test_an_answer_is_kept_for_a_while() -> None:
    kept = RecentAnswers()
    kept.put("key", ANSWER, 10.0)

    assert kept.get("key", 10.0 + KEPT_S) == ANSWER
    assert kept.get("other", 10.0) is None
    assert kept.get("key", 10.1 + KEPT_S) is None
    assert len(kept) == 0


@pytest.mark.parametrize("outcome", ["none", "skipped", "timeout", "unavailable"])
def test_only_what_says_something_is_kept(outcome: DeepOutcome) -> None:
    kept = RecentAnswers()
    kept.put("key", DeepAnswer(outcome, summary="something"), 0.0)
    kept.put("blank", DeepAnswer("ok"), 0.0)

    assert len(kept) == 0


def test_the_oldest_gives_way() -> None:
    kept = RecentAnswers()
    for number in range(MOST_ANSWERS + 1):
        kept.put(number, ANSWER, 0.0)

    assert len(kept) == MOST_ANSWERS
    assert kept.get(0, 0.0) is None
    assert kept.get(MOST_ANSWERS, 0.0) == ANSWER


def test_what_has_expired_goes_when_something_is_added() -> None:
    kept = RecentAnswers()
    for number in range(5):
        kept.put(number, ANSWER, 0.0)

    kept.put("new", ANSWER, KEPT_S + 1)

    assert len(kept) == 1


def test_an_answer_that_comes_again_is_kept_anew() -> None:
    kept = RecentAnswers()
    kept.put("key", ANSWER, 0.0)
    kept.put("key", ANSWER, 10.0)

    assert kept.get("key", KEPT_S + 5) == ANSWER


def test_nothing_is_kept_of_a_memory_that_became_another() -> None:
    kept = RecentAnswers()
    kept.follow(1)
    kept.put("key", ANSWER, 0.0)

    kept.follow(1)
    assert kept.get("key", 0.0) == ANSWER
    kept.follow(2)
    assert kept.get("key", 0.0) is None
