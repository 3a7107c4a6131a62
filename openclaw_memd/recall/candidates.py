"""Which chunks may answer a query: a few dozen of those that rare terms and near vectors find."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from openclaw_memd.domain.audience import sees, sources_in
from openclaw_memd.domain.provenance import Source, TrustTier
from openclaw_memd.domain.text import Term
from openclaw_memd.index import readers
from openclaw_memd.index.readers import Filters, KeywordHit
from openclaw_memd.index.rows import ChunkRow
from openclaw_memd.index.text_rows import Connection, chunk_ids_of_texts, texts_of_chunks
from openclaw_memd.recall.frequencies import Frequencies
from openclaw_memd.recall.query import Query, Statistics, choose_rare, match_any, resolve_terms
from openclaw_memd.recall.types import Corpus, SearchRequest

KEYWORD_CHUNKS: Final = 20
NAMED_CHUNKS: Final = 12

NEWEST_CHUNKS: Final = 2_000
"""How many chunks are ranked for a word that is in more: it says little, the latest are as good as any."""

TRUSTED: Final = frozenset({TrustTier.CURATED, TrustTier.EPISODIC, TrustTier.SESSION})
UNTRUSTED: Final = frozenset({TrustTier.UNTRUSTED})

_SOURCES: Final[dict[Corpus, frozenset[Source]]] = {
    "memory": frozenset({Source.MEMORY, Source.EXTRA}),
    "sessions": frozenset({Source.SESSIONS}),
    "imports": frozenset({Source.IMPORTS}),
    "extra": frozenset({Source.EXTRA}),
    "all": frozenset(Source),
}


_HELD: Final[dict[TrustTier, frozenset[Source]]] = {
    TrustTier.CURATED: frozenset({Source.MEMORY}),
    TrustTier.EPISODIC: frozenset(Source) - {Source.SESSIONS},
    TrustTier.SESSION: frozenset({Source.SESSIONS}),
    TrustTier.UNTRUSTED: frozenset(Source),
}
"""What the chunks of a trust tier may come from."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Chunks of some trust tiers with what scoring needs to know of all of them together."""

    rows: tuple[ChunkRow, ...]
    terms: tuple[Term, ...]
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class Scope:
    """Which chunks a request may find, and the tiers that are looked at together."""

    tiers: tuple[TrustTier, ...]
    filters: Filters
    passes: Callable[[ChunkRow], bool] = field(repr=False)

    @property
    def is_narrow(self) -> bool:
        """Whether much may lie outside: texts of other days, or what the caller may not see."""
        filters = self.filters
        return filters.after is not None or filters.before is not None or filters.view is not None


def scope_of(request: SearchRequest, tiers: Collection[TrustTier]) -> Scope:
    """The request's corpus and dates over ``tiers``, as far as its caller may see them."""
    view = request.view
    sources = sources_in(view) & _SOURCES[request.corpus]
    sees_all = view.sees_all_memory and Source.SESSIONS not in sources
    filters = Filters(sources, request.after, request.before, None if sees_all else view)
    tiers = {tier for tier in tiers if not sources.isdisjoint(_HELD[tier])}
    return Scope(tuple(sorted(tiers)), filters, partial(_passes, filters=filters))


def find_by_keyword(
    connection: Connection, scope: Scope, query: Query, frequencies: Frequencies
) -> Candidates:
    """The chunks with the rarest terms of ``query``, and those whose path or heading holds what it names."""
    statistics = frequencies.read(connection, scope.tiers, query.forms)
    terms = tuple(resolve_terms(query, statistics))
    chosen = choose_rare(terms, statistics)
    searches = [(match_any(chosen), KEYWORD_CHUNKS)] if chosen else []
    if query.name is not None and chosen:
        searches.append((match_any(chosen, "context"), NAMED_CHUNKS))
    is_frequent = sum(map(statistics.frequency, chosen)) > NEWEST_CHUNKS
    newest = NEWEST_CHUNKS if is_frequent else None
    found = {
        row.id: row
        for tier in scope.tiers
        for match, limit in searches
        for row in _matching(connection, tier, match, limit, scope, newest=newest)
    }
    return Candidates(tuple(found.values()), terms, statistics)


def add_by_texts(
    connection: Connection,
    scope: Scope,
    candidates: Candidates,
    text_hashes: Mapping[TrustTier, Collection[bytes]],
) -> Candidates:
    """``candidates`` and all other chunks of the scope with these texts."""
    known = {row.id for row in candidates.rows}
    ids = {
        chunk_id
        for tier, hashes in text_hashes.items()
        for found in chunk_ids_of_texts(connection, tier, hashes).values()
        for chunk_id in found
    }
    rows = readers.chunks(connection, sorted(ids - known))
    return replace(candidates, rows=(*candidates.rows, *filter(scope.passes, rows)))


def texts_in_scope(connection: Connection, scope: Scope, tier: TrustTier) -> frozenset[bytes]:
    """The texts of all chunks of one tier that the request may find."""
    return texts_of_chunks(connection, readers.chunk_ids(connection, scope.filters, tier))


def _matching(
    connection: Connection, tier: TrustTier, match: str, limit: int, scope: Scope, *, newest: int | None
) -> list[ChunkRow]:
    """The best chunks. The filter joins two tables, so it is left out when it would take nothing away.

    With it all that match are ranked, since the ``newest`` may lie outside.
    """
    if not scope.is_narrow:
        rows = _load(connection, readers.keyword(connection, tier, match, limit, newest=newest))
        if all(map(scope.passes, rows)):
            return rows
    rows = _load(connection, readers.keyword(connection, tier, match, limit, filters=scope.filters))
    return list(filter(scope.passes, rows))


def _load(connection: Connection, hits: Iterable[KeywordHit]) -> list[ChunkRow]:
    return readers.chunks(connection, [hit.chunk_id for hit in hits])


def _passes(row: ChunkRow, *, filters: Filters) -> bool:
    if not row.project_valid or (filters.sources is not None and row.source not in filters.sources):
        return False
    view = filters.view
    if view is not None and not sees(view, tier=row.tier, path=row.path, writer=row.writer):
        return False
    if filters.after is None and filters.before is None:
        return True
    day = row.observed_on
    return (
        day is not None
        and (filters.after is None or day >= filters.after)
        and (filters.before is None or day <= filters.before)
    )
