"""What a query asks for, and full-text expressions for it: quoted forms only, never the user's text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.matching import WeightedTerm
from openclaw_memd.domain.scoring import inverse_frequency
from openclaw_memd.domain.text import Analyzer, Term

POSTINGS: Final = 1_500
"""How many occurrences a full-text query may go through, all its terms together: about a millisecond."""

PREFIX_SHARE: Final = 0.05  # of all chunks: a guess for what begins with one character, which nobody counted
MOST_FORMS: Final = 1_024
"""How many forms of a query are counted: more than four thousand characters of prose have."""

MOST_TERMS: Final = 256
"""How many terms of a query are looked for in each chunk, the rarest: no chunk has more words than these."""

_NAME_CHARS: Final = 512


@dataclass(frozen=True, slots=True)
class Query:
    """``terms`` in order; ``name`` is the whole query, folded, when it may be a path or a file's name."""

    text: str
    terms: tuple[Term, ...]
    name: str | None

    @property
    def forms(self) -> list[str]:
        """Every form that is asked for, those of identifiers' parts too."""
        every = [form for term in self.terms for one in (term, *term.parts) for form in one.forms]
        return list(dict.fromkeys(every))


@dataclass(frozen=True, slots=True)
class Statistics:
    """In how many of ``chunks`` each form occurs."""

    chunks: int
    frequencies: Mapping[str, int]

    def frequency(self, term: Term) -> int:
        """In how many chunks a term occurs, about."""
        if term.prefix:
            return max(1, round(self.chunks * PREFIX_SHARE))
        return max(self.frequencies.get(form, 0) for form in term.forms)


def parse_query(text: str, analyzer: Analyzer) -> Query:
    """Analyse ``text``; a query with no words has no terms, and one with very many has the first of them."""
    name = text.strip().casefold()
    is_name = 0 < len(name) <= _NAME_CHARS and not any(map(str.isspace, name))
    return Query(text, tuple(_first_terms(analyzer.query_terms(text))), name if is_name else None)


def resolve_terms(query: Query, statistics: Statistics) -> list[Term]:
    """The query's terms, where an identifier that no chunk has gives way to its parts.

    Of more than ``MOST_TERMS`` the rarest that occur stay.
    """
    resolved: dict[Term, None] = {}
    for term in query.terms:
        missing = term.parts and statistics.frequency(term) == 0
        resolved.update(dict.fromkeys(term.parts if missing else (term,)))
    if len(resolved) <= MOST_TERMS:
        return list(resolved)
    rarest = sorted(resolved, key=lambda term: (statistics.frequency(term) == 0, statistics.frequency(term)))
    chosen = frozenset(rarest[:MOST_TERMS])
    return [term for term in resolved if term in chosen]


def _first_terms(terms: Iterable[Term]) -> Iterator[Term]:
    room = MOST_FORMS
    for term in terms:
        room -= sum(len(one.forms) for one in (term, *term.parts))
        if room < 0:
            break
        yield term


def weigh_terms(terms: Iterable[Term], statistics: Statistics) -> list[WeightedTerm]:
    """The terms with their weights for scoring; none is left out, since a missing one lowers a score."""
    return [
        WeightedTerm(
            term.forms, term.prefix, inverse_frequency(statistics.frequency(term), statistics.chunks)
        )
        for term in terms
    ]


def choose_rare(terms: Sequence[Term], statistics: Statistics, postings: int = POSTINGS) -> list[Term]:
    """The terms to look up, rarest first, as many as ``postings`` allow but at least one that occurs."""
    chosen: list[Term] = []
    room = postings
    for term in sorted(terms, key=statistics.frequency):
        frequency = statistics.frequency(term)
        if frequency == 0:
            continue
        if chosen and frequency > room:
            break
        chosen.append(term)
        room -= frequency
    return chosen


def match_any(terms: Iterable[Term], column: str | None = None) -> str:
    """A full-text expression for texts with any form of any of ``terms``, in ``column`` only if given."""
    forms = dict.fromkeys((form, term.prefix) for term in terms for form in term.forms)
    either = " OR ".join(f'"{form}" *' if prefix else f'"{form}"' for form, prefix in forms)
    return either if column is None else f"{column} : ({either})"


def find_match(text: str, terms: Sequence[Term], analyzer: Analyzer) -> int | None:
    """Where ``text`` has one of ``terms`` first, in code points; None when it has none."""
    forms = frozenset(form for term in terms for form in term.forms)
    beginnings = tuple(form for term in terms if term.prefix for form in term.forms)
    for token in analyzer.tokens(text):
        if not forms.isdisjoint(token.forms) or token.forms[0].startswith(beginnings):
            return token.start
    return None


def rank_path(name: str | None, path: str) -> int:
    """How exactly ``name`` names ``path``: 3 in full, 2 by file name, 1 by that without suffix, else 0."""
    if name is None:
        return 0
    folded = path.casefold()
    base = folded.rpartition("/")[2]
    stem = base.rpartition(".")[0] or base
    return 3 if name == folded else 2 if name == base else 1 if name == stem else 0
