"""Which claims of a passage a question was about."""

from typing import NamedTuple

from openclaw_memd.domain.crediting import choose_credited, holds_term
from openclaw_memd.domain.text import Analyzer

ANALYZER = Analyzer()


class Words(NamedTuple):
    body: str
    text: str


def credited(question: str, *claims: Words, nearest: Words | None = None) -> list[Words]:
    terms = ANALYZER.query_terms(question)
    return choose_credited(claims, [nearest] if nearest else [], terms=terms, analyzer=ANALYZER)


def holds(question: str, text: str) -> bool:
    return holds_term(text, ANALYZER.query_terms(question), ANALYZER)


PORT = Words("Port 8080.", "Router: Port 8080.")
PLACE = Words("It is in the attic.", "Router: It is in the attic.")


def test_its_own_words_count_before_those_above() -> None:
    assert credited("router port", PORT, PLACE) == [PORT]
    assert credited("router", PORT, PLACE) == [PORT, PLACE]
    assert credited("boiler", PORT, PLACE) == []


def test_what_is_nearest_by_meaning_counts_too() -> None:
    assert credited("where upstairs?", PORT, PLACE, nearest=PLACE) == [PLACE]
    assert credited("port", PORT, PLACE, nearest=PLACE) == [PORT, PLACE]


def test_words_are_found_by_their_forms() -> None:
    assert holds("ports", "the port is open")
    assert holds("the 网关", "网关端口")
    assert holds("CHG-48213", "It was CHG-48213 then")
    assert not holds("CHG-48213", "It was CHG-11111 then")
    assert holds("foo_bar", "both bar and foo")
    assert not holds("foo_bar", "foo alone")
