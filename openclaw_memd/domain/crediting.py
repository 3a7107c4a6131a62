"""Which claims of a passage a recall was about. Pure."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from openclaw_memd.domain.text import Analyzer, Term

T = TypeVar("T")


def holds_term(text: str, terms: Sequence[Term], analyzer: Analyzer) -> bool:
    """Whether ``text`` has any of the terms of a question.

    Of an identifier that is not there in one piece all parts have to be.
    """
    forms = frozenset(analyzer.index_terms(text))
    return any(
        _has(forms, term) or (bool(term.parts) and all(_has(forms, part) for part in term.parts))
        for term in terms
    )


def choose_credited(
    claims: Sequence[T],
    *,
    terms: Sequence[Term],
    analyzer: Analyzer,
    texts: Callable[[T], tuple[str, str]],
    is_nearest: Callable[[T], bool],
) -> list[T]:
    """Those of the ``claims`` that hold a term of the question, and the one that is nearest by meaning.

    ``texts`` gives a claim's own words and all of it. Where no claim has a term in its own words, the words
    of what stands above count.
    """
    own = [holds_term(texts(claim)[0], terms, analyzer) for claim in claims]
    if not any(own):
        own = [holds_term(texts(claim)[1], terms, analyzer) for claim in claims]
    return [claim for claim, holds in zip(claims, own, strict=True) if holds or is_nearest(claim)]


def _has(forms: frozenset[str], term: Term) -> bool:
    if not forms.isdisjoint(term.forms):
        return True
    return term.prefix and any(form.startswith(term.forms) for form in forms)
