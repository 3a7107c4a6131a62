"""What vectors say of a query: texts that its words do not find, and how near every candidate is."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

import structlog

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.line_store import LineStore
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_search import VectorSearch
from openclaw_memd.recall.candidates import Candidates, Scope, texts_in_scope
from openclaw_memd.recall.chunk_scores import ChunkVectors
from openclaw_memd.recall.query_vectors import QueryVector

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

VECTOR_CHUNKS: Final = 10

_log = structlog.get_logger("memd.recall")


@dataclass(frozen=True, slots=True)
class Near:
    """Texts that are near a query.

    ``found`` are the nearest of each trust tier, ``scores`` those of all texts that were measured.
    ``is_complete`` says that every vector that matters was there.
    """

    found: Mapping[TrustTier, frozenset[bytes]]
    scores: Mapping[bytes, ChunkVectors]
    is_complete: bool


NOTHING_NEAR: Final = Near({}, {}, is_complete=False)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest texts of each trust tier with their cosines, whatever words they have.

    ``is_complete`` as for `Near`.
    """

    texts: Mapping[TrustTier, Mapping[bytes, float]]
    is_complete: bool


NOTHING_NEAREST: Final = Nearest({}, is_complete=False)


class Nearness:
    """Looks at the vectors of one workspace."""

    def __init__(self, index: Store, searches: Mapping[TrustTier, VectorSearch], lines: LineStore) -> None:
        self._index = index
        self._searches = searches
        self._lines = lines

    async def find(self, scope: Scope, query: QueryVector) -> Nearest:
        """What of the scope is nearest to ``query``. What cannot be read counts as missing."""
        texts: dict[TrustTier, Mapping[bytes, float]] = {}
        is_complete = True
        for tier in scope.tiers:
            among = None
            if scope.is_narrow:
                try:
                    among = await self._index.read(partial(texts_in_scope, scope=scope, tier=tier))
                except (DamagedError, UnavailableError):  # who reads it for the words will say so
                    return NOTHING_NEAREST
            texts[tier], was_searched = await self._nearest(tier, query, VECTOR_CHUNKS, among)
            is_complete = is_complete and was_searched
        return Nearest(texts, is_complete)

    async def measure(
        self, nearest: Nearest, candidates: Candidates, scope: Scope, query: QueryVector
    ) -> Near:
        """How near all ``candidates`` are, beside the ``nearest``. What cannot be read counts as missing."""
        cosines: dict[bytes, float] = {}
        is_complete = nearest.is_complete
        for tier in scope.tiers:
            found = nearest.texts.get(tier, {})
            wanted = {row.text_hash for row in candidates.rows if row.trust is tier}.difference(found)
            known, _ = await self._nearest(tier, query, len(wanted), wanted)
            is_complete = is_complete and len(known) == len(wanted)
            cosines.update(found)
            cosines.update(known)
        texts = {tier: frozenset(found) for tier, found in nearest.texts.items()}
        return Near(texts, await self._score(cosines, query), is_complete)

    async def _nearest(
        self, tier: TrustTier, query: QueryVector, k: int, among: "frozenset[bytes] | set[bytes] | None"
    ) -> tuple[dict[bytes, float], bool]:
        """Texts with cosines, and whether the vectors of all texts could be looked at."""
        search = self._searches[tier]
        if search.model != query.model:
            return {}, False
        try:
            return dict(await search.top(query.vector, k, among=among)), not search.may_lack(among)
        except (DamagedError, UnavailableError) as error:
            if not isinstance(error, UnavailableError) or error.reason != "loading":
                _log.warning("vectors cannot be read")
            return {}, False

    async def _score(self, cosines: Mapping[bytes, float], query: QueryVector) -> dict[bytes, ChunkVectors]:
        try:
            lines = await self._lines.fetch(query.model, list(cosines))
        except (DamagedError, UnavailableError):
            lines = {}
        line_scores = _score_lines(lines, query)
        return {
            text_hash: ChunkVectors(query.calibration.score(cosine), line_scores.get(text_hash))
            for text_hash, cosine in cosines.items()
        }


def _score_lines(lines: "Mapping[bytes, Vectors]", query: QueryVector) -> dict[bytes, list[float]]:
    """The scores of all lines of texts, by one product; vectors of another length are passed over."""
    import numpy as np

    usable = {key: vectors for key, vectors in lines.items() if vectors.shape[1] == len(query.vector)}
    if not usable:
        return {}
    scores = iter(query.calibration.score_all(np.concatenate(list(usable.values())) @ query.vector))
    return {key: list(islice(scores, len(vectors))) for key, vectors in usable.items()}
