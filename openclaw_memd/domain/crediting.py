"""Which claims of a passage a recall was about. Pure."""

from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from openclaw_memd.domain.text import Analyzer, Term


class Worded(Protocol):
    """A claim: its own words, and all of it with what stands above."""

    @property
    def body(self) -> str:
        """Its own words."""
        ...

    @property
    def text(self) -> str:
        """All of it."""
        ...


T = TypeVar("T", bound=Worded)


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
    claims: Sequence[T], nearest: Collection[T], *, terms: Sequence[Term], analyzer: Analyzer
) -> list[T]:
    """Those of the ``claims`` that hold a term of the question, and those ``nearest`` to it by meaning.

    Where no claim has a term in its own words, the words of what stands above it count.
    """
    holding = [holds_term(claim.body, terms, analyzer) for claim in claims]
    if not any(holding):
        holding = [holds_term(claim.text, terms, analyzer) for claim in claims]
    return [claim for claim, holds in zip(claims, holding, strict=True) if holds or claim in nearest]


def _has(forms: frozenset[str], term: Term) -> bool:
    if not forms.isdisjoint(term.forms):
        return True
    return term.prefix and any(form.startswith(term.forms) for form in forms)
