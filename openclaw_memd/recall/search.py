"""Search: what of the memories answers a query, by its deadline, whatever else is broken."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import trio

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import DeadlineError, UnavailableError
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.indexer import IndexState
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import populated_tiers
from openclaw_memd.ports import Clock, Embedder
from openclaw_memd.recall.candidates import (
    TRUSTED,
    UNTRUSTED,
    Candidates,
    Scope,
    add_by_texts,
    find_by_keyword,
    scope_of,
)
from openclaw_memd.recall.chunk_scores import Conditions
from openclaw_memd.recall.drafts import Draft, Drafter
from openclaw_memd.recall.frequencies import Frequencies
from openclaw_memd.recall.hits import frame_hits, make_hit
from openclaw_memd.recall.nearness import NOTHING_NEAR, NOTHING_NEAREST, Near, Nearest, Nearness
from openclaw_memd.recall.query import Query, Statistics, parse_query
from openclaw_memd.recall.query_vectors import QueryVector, embed_query, time_for_vectors
from openclaw_memd.recall.ranking import Ranking
from openclaw_memd.recall.selection import Ranked, passes, seat
from openclaw_memd.recall.types import Degraded, EmptyReason, Hit, SearchAnswer, SearchRequest

ANSWER_SHARE: Final = 0.1
"""How much of the time that a search has is kept for writing the answer, up to ``ANSWER_S``."""

ANSWER_S: Final = 0.02


@dataclass(slots=True)
class _Work:
    """One search on its way: what is known so far, and what was missing."""

    request: SearchRequest
    query: Query
    conditions: Conditions
    vector: QueryVector | None = None
    trusted: Ranked | None = None
    untrusted: Ranked | None = None
    degraded: dict[Degraded, None] = field(default_factory=dict)

    @property
    def ranked(self) -> tuple[Ranked, Ranked]:
        return self.trusted or Ranked(), self.untrusted or Ranked()


class Search:
    """Searches one workspace. Never writes, and starts no work that outlives a call."""

    def __init__(
        self,
        *,
        index: Store,
        corpus: Corpus,
        nearness: Nearness,
        analyzer: Analyzer,
        embedder: Embedder,
        clock: Clock,
        index_state: Callable[[], IndexState],
        half_life_days: float,
    ) -> None:
        self._index = index
        self._corpus = corpus
        self._nearness = nearness
        self._analyzer = analyzer
        self._embedder = embedder
        self._clock = clock
        self._index_state = index_state
        self._half_life_days = half_life_days
        self._frequencies = Frequencies(lambda: index.epoch)

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """The hits, by ``request.deadline_at``, with what there is by then.

        Raises:
            UnavailableError: the index cannot be read, or a required embedding provider failed.
            DeadlineError: nothing was found out in time.
        """
        started_at = self._clock.monotonic()
        query = parse_query(request.query, self._analyzer)
        work = _Work(request, query, self._conditions(request, model_weight=0.0))
        if query.terms:
            try:
                with trio.move_on_at(_cutoff(request.deadline_at)):
                    await self._work(work)
            except DamagedError as error:
                raise UnavailableError(
                    "the index is damaged and has to be made anew", reason="damaged"
                ) from error
            if work.trusted is None:
                raise DeadlineError("the search was not done in time")
            if work.untrusted is None:
                work.degraded["deadline"] = None
        hits = self._make_hits(work)
        return self._answer(work, hits, started_at)

    async def count_forms(self, forms: Sequence[str]) -> Statistics:
        """In how many of the trusted chunks each form occurs.

        Raises:
            UnavailableError: the index cannot be read.
        """
        tiers = self._index.read_now(populated_tiers) & TRUSTED
        try:
            return await self._index.read(lambda connection: self._frequencies.read(connection, tiers, forms))
        except DamagedError as error:
            raise UnavailableError(
                "the index is damaged and has to be made anew", reason="damaged"
            ) from error

    async def _work(self, work: _Work) -> None:
        found = await embed_query(self._embedder, work.query.text, work.request.deadline_at)
        if isinstance(found, QueryVector):
            work.vector = found
            work.conditions = self._conditions(work.request, model_weight=found.calibration.weight)
        elif found != "off":
            work.degraded["vectors"] = None
        drafter = Drafter(work.query, work.conditions, pause=trio.from_thread.check_cancelled)
        ranking = Ranking(work.request, work.query, drafter, self._corpus, self._analyzer)
        populated = self._index.read_now(populated_tiers)
        trusted = await self._rank(work, ranking, populated & TRUSTED)
        work.trusted = trusted
        shown = (*trusted.kept, *trusted.weak)
        work.untrusted = await self._rank(work, ranking, populated & UNTRUSTED, shown)

    async def _rank(
        self, work: _Work, ranking: Ranking, tiers: Collection[TrustTier], shown: Sequence[Draft] = ()
    ) -> Ranked:
        """The passages of ``tiers`` that may be shown."""
        scope = scope_of(work.request, tiers)
        if not scope.tiers:
            return Ranked()
        find = partial(find_by_keyword, scope=scope, query=work.query, frequencies=self._frequencies)
        if work.vector is None:
            return await self._index.read(
                lambda connection: ranking.rank(connection, find(connection), {}, shown)
            )
        candidates, nearest = await self._find(work, find, scope, work.vector)
        near = await self._measure(work, nearest, candidates, scope, work.vector)
        return await self._index.read(
            lambda connection: ranking.rank(
                connection, add_by_texts(connection, scope, candidates, near.found), near.scores, shown
            )
        )

    async def _find(
        self, work: _Work, by_words: partial[Candidates], scope: Scope, vector: QueryVector
    ) -> tuple[Candidates, Nearest]:
        """What words find and what vectors find, looked for at the same time."""
        nearest, failure = NOTHING_NEAREST, None

        async def find_nearest() -> None:
            nonlocal nearest
            with trio.move_on_after(time_for_vectors(work.request.deadline_at)):
                nearest = await self._nearness.find(scope, vector)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(find_nearest)
            try:
                candidates = await self._index.read(by_words)
            except (DamagedError, UnavailableError) as error:  # in a nursery it would end up in a group
                failure = error
                nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure
        return candidates, nearest

    async def _measure(
        self, work: _Work, nearest: Nearest, candidates: Candidates, scope: Scope, vector: QueryVector
    ) -> Near:
        """What vectors say, as far as there is time for it."""
        near = NOTHING_NEAR
        with trio.move_on_after(time_for_vectors(work.request.deadline_at)):
            near = await self._nearness.measure(nearest, candidates, scope, vector)
        if not near.is_complete:
            work.degraded["vectors"] = None
        return near

    def _make_hits(self, work: _Work) -> tuple[Hit, ...]:
        request = work.request
        return tuple(
            make_hit(
                draft,
                work.query,
                self._analyzer,
                weak=not passes(draft, request.min_score),
                explain=request.explain,
            )
            for draft in seat(*work.ranked, request.max_results)
        )

    def _answer(self, work: _Work, hits: tuple[Hit, ...], started_at: float) -> SearchAnswer:
        state = self._index_state()
        if any(ranked.is_partial for ranked in work.ranked):
            state = replace(state, freshness="partial")
        below = [ranked.best_below for ranked in work.ranked if ranked.best_below is not None]
        return SearchAnswer(
            hits=hits,
            context=frame_hits(hits),
            mode="keyword" if work.vector is None else "hybrid",
            freshness=state.freshness,
            pending=state.pending,
            took_ms=(self._clock.monotonic() - started_at) * 1000,
            empty_reason=None if hits else _why_empty(work.query, state, is_below=bool(below)),
            best_below=max(below) if below and not hits else None,
            degraded=tuple(work.degraded),
        )

    def _conditions(self, request: SearchRequest, *, model_weight: float) -> Conditions:
        return Conditions(
            today=self._clock.now().date(),
            half_life_days=self._half_life_days,
            project_keys=frozenset(request.project_keys),
            model_weight=model_weight,
        )


def _cutoff(deadline_at: float | None) -> float:
    if deadline_at is None:
        return math.inf
    remaining_s = max(0.0, deadline_at - trio.current_time())
    return deadline_at - min(ANSWER_S, remaining_s * ANSWER_SHARE)


def _why_empty(query: Query, state: IndexState, *, is_below: bool) -> EmptyReason:
    if not query.terms:
        return "no_terms"
    if is_below:
        return "below_threshold"
    return "no_match" if state.freshness == "fresh" else "stale"
