from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.timewords import LANGUAGES, find_times, without_times
from tests.domain.time_expressions import MEANS_NOTHING, MEANT, TODAY
from tests.work import grows_with_length


def test_every_language_has_its_examples() -> None:
    assert {words.language for words in LANGUAGES} == set(MEANT)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [(text, *days) for texts in MEANT.values() for text, days in texts.items()],
)
def test_an_expression_means_its_days(text: str, first: str, last: str) -> None:
    (found,) = find_times(text, TODAY)

    assert (found.range.after.isoformat(), found.range.before.isoformat()) == (first, last)


@pytest.mark.parametrize("text", MEANS_NOTHING)
def test_what_is_no_time_or_lies_ahead_means_nothing(text: str) -> None:
    assert find_times(text, TODAY) == ()


def test_several_times_come_in_their_order_and_the_rest_is_left() -> None:
    text = "Did the port change last week, or in March 2024?"

    found = find_times(text, TODAY)

    assert [text[one.start : one.end] for one in found] == ["last week", "in March 2024"]
    assert without_times(text, found).split() == ["Did", "the", "port", "change", ",", "or", "?"]


def test_the_longest_expression_counts() -> None:
    assert [one.range.after.year for one in find_times("on 5 May 2023", TODAY)] == [2023]


def test_case_and_blanks_make_no_difference() -> None:
    assert find_times("LAST \n WEEK", TODAY)[0].range == find_times("last week", TODAY)[0].range


def listed() -> list[tuple[str, list[str]]]:
    """The rows of the documentation: what is meant, and the expressions for it."""
    page = (Path(__file__).parents[2] / "docs/deep.md").read_text(encoding="utf-8")
    table = page.split("| as of 14 January 2026 |")[1].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return [(meaning, expressions) for meaning, *expressions in rows]


def test_the_documentation_lists_what_is_understood() -> None:
    rows = listed()
    assert len(rows) > 15
    for meaning, expressions in rows:
        assert len(expressions) == len(LANGUAGES)
        found = {one.range for text in expressions for one in find_times(text, TODAY)}
        assert all(len(find_times(text, TODAY)) == 1 for text in expressions), expressions
        assert len(found) == 1, meaning


EXPRESSIONS = [text for texts in MEANT.values() for text in texts]
DAYS = st.dates(date(1990, 1, 1), date(2100, 1, 1))


@given(st.sampled_from(EXPRESSIONS), DAYS)
def test_a_range_is_one_and_has_begun(text: str, today: date) -> None:
    for found in find_times(text, today):
        assert found.range.after <= found.range.before <= today
        assert 0 <= found.start < found.end <= len(text)


@given(st.integers(1, 400), DAYS)
def test_so_many_days_ago_hold_that_day(count: int, today: date) -> None:
    meant = today - timedelta(count)
    for text in (f"{count} days ago", f"vor {count} Tagen", f"{count}天前", f"{count} дней назад"):
        (found,) = find_times(text, today)
        assert found.range.after <= meant <= found.range.before


@given(st.integers(1, 60), DAYS)
def test_so_many_weeks_months_or_years_ago_are_whole_ones_before_today(count: int, today: date) -> None:
    for unit, least, most in (("weeks", 7, 7), ("months", 28, 31), ("years", 365, 366)):
        if unit == "years" and today.year - count < 1970:
            continue
        (found,) = find_times(f"{count} {unit} ago", today)
        assert least <= (found.range.before - found.range.after).days + 1 <= most
        assert found.range.before < today


@given(st.lists(st.sampled_from([*EXPRESSIONS, "x", "port", "。", " "]), max_size=8), DAYS)
def test_mentions_never_overlap(pieces: list[str], today: date) -> None:
    found = find_times(" ".join(pieces), today)

    assert all(one.end <= other.start for one, other in pairwise(found))


ALIKE = str.maketrans({"i": "\u0131", "s": "\u017f", "k": "\u212a"})  # a dotless i, a long s, a Kelvin sign


@given(st.sampled_from(EXPRESSIONS), DAYS)
def test_letters_that_count_as_the_same_mean_the_same(text: str, today: date) -> None:
    assert find_times(text.translate(ALIKE), today) == find_times(text, today)


@given(st.text(max_size=200), DAYS)
def test_any_text_has_an_answer(text: str, today: date) -> None:
    find_times(text, today)


@pytest.mark.parametrize("piece", ["in the last 2024 may ", "5 May 5 May ", "3", "上上", "vor ", " ", "20"])
def test_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    assert grows_with_length(lambda size: find_times(piece * size, TODAY), 20_000 // len(piece.encode()))
