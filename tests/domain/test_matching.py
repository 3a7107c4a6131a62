from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.matching import AnalysedText, WeightedTerm, match_texts


def term(*forms: str, weight: float = 1.0, prefix: bool = False) -> WeightedTerm:
    return WeightedTerm(forms, prefix, weight)


def text(*lines: str, context: str = "") -> AnalysedText:
    """Text whose analysis is its own words."""
    return AnalysedText(lines, lines, context)


def test_matches_are_counted_by_line() -> None:
    (match,) = match_texts([text("tea and tea", "coffee", "tea")], [term("tea"), term("milk")])

    assert match.counts == [{0: 2, 2: 1}, {}]
    assert match.matches


def test_forms_match_whole_and_not_inside_others() -> None:
    (match,) = match_texts([text("social decide ci", "c i")], [term("ci")])

    assert match.counts == [{0: 1}]


def test_any_form_is_a_match_and_counts_once() -> None:
    (match,) = match_texts([text("running run", "run")], [term("running", "run")])

    assert match.counts == [{0: 1, 1: 1}]


def test_a_prefix_matches_what_begins_with_it() -> None:
    match, _ = match_texts([text("仓库 库", "库"), text("金库")], [term("仓", prefix=True)])

    assert match.counts == [{0: 1}]


def test_the_heading_and_path_count_as_context() -> None:
    (match,) = match_texts([text("nothing", context="garden memory/garden.md")], [term("garden")])

    assert match.in_context == [True]
    assert match.shares[0] > 0
    assert match.holds_all(0, 1)


def test_holding_all_looks_at_the_lines_that_are_asked_for() -> None:
    (match,) = match_texts([text("tea", "milk", "sugar")], [term("tea"), term("milk")])

    assert match.holds_all(0, 2)
    assert not match.holds_all(1, 3)


def test_a_line_with_more_of_the_query_has_a_larger_share() -> None:
    (match,) = match_texts([text("tea milk x", "tea x x", "x x x")], [term("tea"), term("milk")])

    assert match.shares[0] > match.shares[1] > match.shares[2] > 0


def test_rare_terms_count_more() -> None:
    first, second = match_texts([text("rare x"), text("often x")], [term("rare", weight=5), term("often")])

    assert first.shares[0] > second.shares[0]


def test_a_line_next_to_a_match_has_more_than_one_far_away() -> None:
    lines = ["tea", "next", *["filling " * 10] * 8, "far"]
    (match,) = match_texts([text(*lines)], [term("tea")])

    assert match.shares[1] > match.shares[-1] > 0


words = st.lists(st.sampled_from(["tea", "milk", "sugar", "x"]), max_size=8).map(" ".join)


@given(st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=5))
def test_shares_are_between_0_and_1_and_one_for_each_line(chunks: list[list[str]]) -> None:
    terms = [term("tea", weight=2.0), term("milk")]
    texts = [text(*lines) for lines in chunks]

    for chunk, match in zip(texts, match_texts(texts, terms), strict=True):
        assert len(match.shares) == len(chunk.lines)
        assert all(0 <= share < 1 for share in match.shares)
        assert match.matches == any(share > 0 for share in match.shares)


def test_nothing_to_match_gives_nothing() -> None:
    assert not list(match_texts([], [term("tea")]))
    assert next(match_texts([text("tea")], [])).shares == [0.0]
