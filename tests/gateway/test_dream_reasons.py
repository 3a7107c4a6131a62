"""What a person is told of a candidate, in one sentence."""

from typing import Any

from openclaw_memd.domain.promotion_gates import Exclusion, Judged
from openclaw_memd.domain.promotion_score import Score
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.gateway.dreaming import _why
from tests.domain.promotion import TaggedClaim


def judged(excluded: Exclusion | None = None) -> Any:
    return Judged(TaggedClaim(), Score(0, 0, 0, 0, 0, 0, 0), (), excluded)


def test_where_it_stands_counts_before_everything_else() -> None:
    assert _why(judged(Exclusion.AGE), "MEMORY.md#L3", None) == "MEMORY.md#L3 says so."


def test_the_first_gate_that_it_missed_is_named() -> None:
    assert _why(judged(Exclusion.AGE), None, None) == Exclusion.AGE.description


def test_that_a_night_takes_it_up_is_said_only_where_it_does() -> None:
    assert "takes it up" in _why(judged(), None, None)
    for setback in Setback:
        told = _why(judged(), None, setback.value)
        assert "takes it up" not in told
        assert setback.description in told
    assert "(dream_report)" in _why(judged(), None, "dream_report")
