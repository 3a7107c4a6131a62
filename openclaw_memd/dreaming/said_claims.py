"""What of the claims of a conversation says something of its own. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

from openclaw_memd.domain.contamination import find_contamination
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.domain.session_claims import Said, tells_something
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.sources import Found

MOST_ADDED: Final = 2
"""An answer with no more new words than these repeats what it answers."""


def own_claims(claims: Sequence[Found], analyzer: Analyzer) -> Iterable[Found]:
    """``claims`` but for machines' reports, what is always said, and what is said again."""
    asked: dict[bool, list[frozenset[str]]] = {True: [], False: []}  # by whether it is trusted
    for claim in claims:
        if find_contamination(claim.text, is_session=True) is not None:
            continue
        if not tells_something(Said(claim.text, claim.is_answer), analyzer):
            continue
        terms = frozenset(term.forms[0] for term in analyzer.query_terms(claim.text))
        alike = asked[is_trusted(claim.provenance.origin)]
        if not claim.is_answer:
            alike.append(terms)
        elif _repeats(terms, alike):
            continue
        yield claim


def _repeats(terms: frozenset[str], asked: Iterable[frozenset[str]]) -> bool:
    """Whether an answer says little more than what it answers."""
    return any(one <= terms and len(terms) <= len(one) + MOST_ADDED for one in asked if one)
