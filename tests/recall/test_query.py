import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.text import Analyzer, Term
from openclaw_memd.recall.query import (
    MOST_FORMS,
    MOST_TERMS,
    Statistics,
    choose_rare,
    match_any,
    parse_query,
    rank_path,
    resolve_terms,
    weigh_terms,
)

ANALYZER = Analyzer()


def term(form: str, *, prefix: bool = False) -> Term:
    return Term((form,), "word", prefix)


def statistics(chunks: int = 10_000, **frequencies: int) -> Statistics:
    return Statistics(chunks, frequencies)


def test_rare_terms_are_looked_up_first_and_common_ones_left_out() -> None:
    known = statistics(rare=3, some=400, common=6_000)

    chosen = choose_rare([term("common"), term("some"), term("rare")], known)

    assert [one.forms[0] for one in chosen] == ["rare", "some"]


def test_a_common_term_alone_is_looked_up() -> None:
    assert choose_rare([term("common")], statistics(common=9_000)) == [term("common")]


def test_terms_that_nothing_has_are_not_looked_up_but_weigh() -> None:
    known = statistics(rare=3, absent=0)
    terms = [term("absent"), term("rare")]

    assert choose_rare(terms, known) == [term("rare")]
    absent, rare = weigh_terms(terms, known)
    assert absent.weight > rare.weight > 0


def test_an_identifier_that_no_chunk_has_gives_way_to_its_parts() -> None:
    query = parse_query("CHG-48213", ANALYZER)
    (whole,) = query.terms

    unknown = resolve_terms(query, Statistics(10, dict.fromkeys(query.forms, 0)))
    known = resolve_terms(query, Statistics(10, dict.fromkeys(query.forms, 1)))

    assert known == [whole]
    assert unknown == list(whole.parts)


@given(st.text())
def test_full_text_expressions_are_quoted_forms_and_nothing_else(text: str) -> None:
    query = parse_query(text, ANALYZER)
    expression = match_any(query.terms)

    outside = expression.split('"')[::2]
    assert {piece.strip() for piece in outside} <= {"", "OR", "* OR", "*"}
    assert expression.count('"') % 2 == 0


def test_an_expression_for_one_column_names_it() -> None:
    assert match_any([term("tea"), term("库", prefix=True)], "context") == 'context : ("tea" OR "库" *)'


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("memory/work/plan.md", 3),
        ("plan.md", 2),
        ("plan", 1),
        ("lan", 0),
        ("work/plan.md", 0),
    ],
)
def test_paths_are_named_in_full_by_file_name_or_without_suffix(name: str, rank: int) -> None:
    assert rank_path(parse_query(name.upper(), ANALYZER).name, "memory/work/Plan.md") == rank


@pytest.mark.parametrize("text", ["two words", "", "x" * 600])
def test_other_queries_name_no_file(text: str) -> None:
    assert parse_query(text, ANALYZER).name is None


def test_a_query_has_only_so_many_forms_and_the_rarest_of_its_terms_are_looked_for() -> None:
    words = [f"word{chr(97 + number % 26)}{chr(97 + number // 26)}x" for number in range(600)]
    query = parse_query(" ".join(words), ANALYZER)
    assert len(query.forms) <= MOST_FORMS
    assert len(query.terms) > MOST_TERMS

    known = Statistics(1000, {term.forms[0]: number for number, term in enumerate(query.terms)})
    resolved = resolve_terms(query, known)
    assert resolved == list(query.terms[1 : MOST_TERMS + 1])  # the first is nowhere
