"""From candidates to what may be shown of them, as the files are now."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from openclaw_memd.domain.similarity import near_duplicate
from openclaw_memd.domain.text import Analyzer, Term
from openclaw_memd.index import readers
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.recall.candidates import Candidates
from openclaw_memd.recall.chunk_scores import ChunkVectors
from openclaw_memd.recall.drafts import Draft, Drafter
from openclaw_memd.recall.line_parts import drop_repeats
from openclaw_memd.recall.live import LiveFiles
from openclaw_memd.recall.query import Query, find_match
from openclaw_memd.recall.selection import Bounds, Ranked, rank_drafts
from openclaw_memd.recall.types import SearchRequest

DRAFTS_PER_HIT: Final = 2
LEAST_DRAFTS: Final = 12


class Ranking:
    """The ranking of one search."""

    def __init__(
        self, request: SearchRequest, query: Query, drafter: Drafter, corpus: Corpus, analyzer: Analyzer
    ) -> None:
        self._drafter = drafter
        self._corpus = corpus
        self._bounds = Bounds(
            min_score=request.min_score,
            limit=request.max_results,
            names_identifier=any(term.kind == "identifier" for term in query.terms),
        )
        self._drafts = max(LEAST_DRAFTS, request.max_results * DRAFTS_PER_HIT)
        self._analyzer = analyzer

    def rank(
        self,
        connection: Connection,
        candidates: Candidates,
        vectors: Mapping[bytes, ChunkVectors],
        shown: Sequence[Draft],
    ) -> Ranked:
        """Rank the passages of ``candidates`` that say something else than those ``shown``. Blocking.

        What would be shown is held against the files; what is gone from them is left out, and the rest is
        ranked again.
        """
        drafts = self._drafter.draft(candidates, vectors, self._drafts)
        drafts = drop_repeats(drafts, partial(self._matches, candidates.terms))
        live = LiveFiles(self._corpus, partial(readers.files_at, connection))
        while True:
            ranked = rank_drafts(drafts, self._bounds, self._says_same, shown)
            shown_now = (*ranked.kept, *ranked.weak)
            settled = live.settle(shown_now)
            gone = [draft for draft, now in zip(shown_now, settled, strict=True) if now is None]
            if not gone:
                return ranked.settled(filter(None, settled), is_partial=live.could_not_read)
            drafts = [draft for draft in drafts if draft not in gone]

    def _matches(self, terms: Sequence[Term], text: str) -> bool:
        self._drafter.pause()
        return find_match(text, terms, self._analyzer) is not None

    def _says_same(self, one: str, other: str) -> bool:
        self._drafter.pause()
        return near_duplicate(one, other, self._analyzer)
