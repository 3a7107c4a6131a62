"""Evidence without a model: what the parts of a question and the times that it names find together."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from math import ceil, inf
from typing import Final, Protocol

import trio

from openclaw_memd.deep.types import MOST_HITS, Step
from openclaw_memd.deep.weighing import Asked, Finds, best_line, weigh
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.domain.question_parts import find_names, is_topicless, split_question
from openclaw_memd.domain.scoring import inverse_frequency
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.timespans import DateRange
from openclaw_memd.domain.timewords import find_times, without_times
from openclaw_memd.errors import DeadlineError
from openclaw_memd.recall.query import Statistics
from openclaw_memd.recall.types import Hit, SearchAnswer, SearchRequest

POOL_HITS: Final = 40
"""How many passages one search gives to choose from."""

DATED_WEIGHT: Final = 1.0
"""How much more it counts that something was noted in the days that the question names."""

MOST_TIMES: Final = 2
WEIGHING_S: Final = 0.05
WEIGHING_SHARE: Final = 0.2
"""How much of the time is kept for weighing what was found, up to ``WEIGHING_S``."""

ListDays = Callable[[SearchRequest], Awaitable[tuple[Hit, ...]]]


class SearchMemory(Protocol):
    """What is asked of search."""

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """The hits by the request's deadline."""
        ...

    async def count_forms(self, forms: Sequence[str]) -> Statistics:
        """In how many trusted chunks each form occurs."""
        ...


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found, best first, and how.

    ``gist`` is the line that answers best, ``""`` unless somebody vouches for it and it is no weak match.
    ``late``: the time was up before everything was looked at.
    """

    hits: tuple[Hit, ...] = ()
    steps: tuple[Step, ...] = ()
    gist: str = ""
    late: bool = False


class Gatherer:
    """Gathers evidence in one workspace. Never writes; of a call that is cancelled only weighing goes on, for
    the few milliseconds that it takes.
    """

    def __init__(
        self, search: SearchMemory, list_days: ListDays, analyzer: Analyzer, *, min_score: float
    ) -> None:
        self._search = search
        self._list_days = list_days
        self._analyzer = analyzer
        self._min_score = min_score
        self._threads = trio.CapacityLimiter(2)

    async def gather(self, question: str, scope: SearchRequest, today: date) -> Evidence:
        """The best passages for ``question`` as of ``today``, by the deadline of ``scope``.

        ``scope`` has the view and the projects; its query does not count.

        Raises:
            UnavailableError: the index cannot be read, or a required embedding provider failed.
        """
        base = replace(scope, corpus="all", min_score=self._min_score, max_results=POOL_HITS)
        work = _Gathering(self._search, self._list_days, base, question)
        times = find_times(question, today)[:MOST_TIMES]
        bare = " ".join(without_times(question, times).split())
        late = True
        with trio.move_on_at(_cutoff(base.deadline_at)):
            try:
                await self._gather(work, bare, [time.range for time in times])
                late = False
            except DeadlineError:
                pass
        # Hundreds of lines are read through: beside the event loop, which others wait for.
        return await trio.to_thread.run_sync(
            partial(self._conclude, work, bare, late=late), limiter=self._threads, abandon_on_cancel=True
        )

    async def _gather(self, work: "_Gathering", bare: str, ranges: Sequence[DateRange]) -> None:
        if is_topicless(bare):
            for days in ranges:
                await work.list(days)
            if work.listed:
                return
        for days in ranges:
            await work.search(bare, DATED_WEIGHT, days)
        for part in split_question(bare, self._analyzer):
            await work.search(part.text, part.weight)
        terms = self._analyzer.query_terms(bare)
        work.statistics = await self._search.count_forms([form for term in terms for form in term.forms])

    def _conclude(self, work: "_Gathering", bare: str, *, late: bool) -> Evidence:
        asked = self._ask(work, bare)
        hits = self._weigh(work, asked)
        gist = next((hit for hit in hits[:1] if is_trusted(hit.origin) and not hit.weak), None)
        line = "" if gist is None else best_line(gist, asked, self._analyzer)
        return Evidence(hits, tuple(work.steps), line, late)

    def _weigh(self, work: "_Gathering", asked: Asked) -> tuple[Hit, ...]:
        if work.listed:
            return tuple(sorted(work.listed, key=lambda hit: not is_trusted(hit.origin))[:MOST_HITS])
        return weigh(work.finds, asked, self._analyzer, MOST_HITS)

    def _ask(self, work: "_Gathering", bare: str) -> Asked:
        terms = tuple(self._analyzer.query_terms(bare))
        forms = [form for term in terms for form in term.forms]
        weights = {form: _weight(form, work.statistics) for form in forms}
        return Asked(terms, weights, find_names(bare), work.question)


class _Gathering:
    """One gathering on its way: what was found so far."""

    def __init__(self, search: SearchMemory, list_days: ListDays, base: SearchRequest, question: str) -> None:
        self.question = question
        self.finds: list[Finds] = []
        self.listed: list[Hit] = []
        self.steps: list[Step] = []
        self.statistics: Statistics | None = None
        self._search = search
        self._list_days = list_days
        self._base = base

    async def search(self, text: str, weight: float, days: DateRange | None = None) -> None:
        """Search for ``text``, in some days only if given."""
        request = _within(replace(self._base, query=text), days)
        answer = await self._search.search(request)
        self.steps.append(Step("search", text, len(answer.hits), request.after, request.before))
        if answer.hits:
            self.finds.append(Finds(_steady(answer.hits), weight))

    async def list(self, days: DateRange) -> None:
        """List what was noted in ``days``."""
        request = _within(replace(self._base, max_results=MOST_HITS), days)
        hits = await self._list_days(request)
        self.steps.append(Step("days", "", len(hits), days.after, days.before))
        if any(is_trusted(hit.origin) for hit in hits):
            self.listed.extend(hits)
        elif hits:
            self.finds.append(Finds(hits, DATED_WEIGHT))


def _steady(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """``hits`` of one search with as many weak trusted matches as it has whatever comes from outside.

    Text from outside can take half of the places of those, and so would move what is weighed with them.
    """
    room = POOL_HITS - sum(is_trusted(hit.origin) and not hit.weak for hit in hits)
    left = ceil(room / 2)
    kept = []
    for hit in hits:
        if hit.weak and is_trusted(hit.origin):
            left -= 1
            if left < 0:
                continue
        kept.append(hit)
    return tuple(kept)


def _within(request: SearchRequest, days: DateRange | None) -> SearchRequest:
    return request if days is None else replace(request, after=days.after, before=days.before)


def _weight(form: str, statistics: Statistics | None) -> float:
    if statistics is None:
        return 1.0
    return inverse_frequency(statistics.frequencies.get(form, 0), statistics.chunks)


def _cutoff(deadline_at: float | None) -> float:
    """When to stop looking, so that there is time left to weigh what was found."""
    if deadline_at is None:
        return inf
    return deadline_at - min(WEIGHING_S, max(0.0, deadline_at - trio.current_time()) * WEIGHING_SHARE)
