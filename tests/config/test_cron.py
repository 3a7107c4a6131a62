"""Which texts are cron expressions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.config.cron import find_cron_fault

BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
NAMES = ("minute", "hour", "day of month", "month", "day of week")


def items(low: int, high: int) -> st.SearchStrategy[str]:
    ranges = st.tuples(st.integers(low, high), st.integers(low, high)).map(
        lambda ends: "{}-{}".format(*sorted(ends))
    )
    steps = st.integers(1, high)
    return st.one_of(
        st.just("*"),
        st.integers(low, high).map(str),
        ranges,
        st.builds("{}/{}".format, st.one_of(st.just("*"), ranges), steps),
    )


def fields(low: int, high: int) -> st.SearchStrategy[str]:
    return st.lists(items(low, high), min_size=1, max_size=4).map(",".join)


EXPRESSIONS = st.tuples(*(fields(low, high) for low, high in BOUNDS))


@given(EXPRESSIONS)
def test_what_the_grammar_makes_is_taken(parts: tuple[str, ...]) -> None:
    assert find_cron_fault(" ".join(parts)) is None


@given(EXPRESSIONS, st.integers(0, 4), st.data())
def test_a_number_out_of_bounds_is_told_with_its_field(
    parts: tuple[str, ...], place: int, data: st.DataObject
) -> None:
    low, high = BOUNDS[place]
    bad = data.draw(st.one_of(st.integers(high + 1, 9999), st.integers(0, low).filter(lambda n: n < low)))
    shape = data.draw(st.sampled_from(["{}", "*,{}", f"{low}-{{}}", "{0}-{0}", "{}/2"]))
    spoilt = [*parts]
    spoilt[place] = shape.format(bad)
    fault = find_cron_fault(" ".join(spoilt))
    assert fault is not None
    assert fault.startswith(f"the {NAMES[place]} is none of {low}-{high}")


@pytest.mark.parametrize(
    "expression", ["0 3 * * *", "*/15 0-6,20-23/2 1,15 JAN-mar mon-Fri", "0 0 * * SUN", "  0\t3 * *  7 "]
)
def test_ordinary_expressions(expression: str) -> None:
    assert find_cron_fault(expression) is None


@pytest.mark.parametrize(
    "expression",
    [
        "", "x", "@daily", "* * * *", "* * * * * *", "99 * * * *", "5-1 * * * *", "*/0 * * * *",
        "5/2 * * * *", "1, * * * *", "-1 * * * *", "1- * * * *", "*/ * * * *", "mon * * * *", "* * * foo *",
        "* * * * 8", "* * 0 * *", "\u0661 * * * *", "1.5 * * * *", "*-5 * * * *", "1--2 * * * *", "* * L * *",
        "*/99 * * * *",
    ],
)  # fmt: skip
def test_what_is_no_expression(expression: str) -> None:
    assert find_cron_fault(expression) is not None
