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


class Nearness:
    """Looks at the vectors of one workspace."""

    def __init__(self, index: Store, searches: Mapping[TrustTier, VectorSearch], lines: LineStore) -> None:
        self._index = index
        self._searches = searches
        self._lines = lines

    async def measure(self, candidates: Candidates, scope: Scope, query: QueryVector) -> Near:
        """What of the scope is nearest to ``query``, and how near all ``candidates`` are.

        Vectors that cannot be read count as missing.

        Raises:
            DamagedError, UnavailableError: the index cannot be read.
        """
        found: dict[TrustTier, frozenset[bytes]] = {}
        cosines: dict[bytes, float] = {}
        is_complete = True
        for tier in scope.tiers:
            among = None
            if scope.is_narrow:
                among = await self._index.read(partial(texts_in_scope, scope=scope, tier=tier))
            nearest, was_searched = await self._nearest(tier, query, VECTOR_CHUNKS, among)
            wanted = {row.text_hash for row in candidates.rows if row.trust is tier}.difference(nearest)
            known, _ = await self._nearest(tier, query, len(wanted), wanted)
            is_complete = is_complete and was_searched and len(known) == len(wanted)
            found[tier] = frozenset(nearest)
            cosines |= nearest | known
        return Near(found, await self._score(cosines, query), is_complete)

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
