"""Light, REM and deep. Each publishes first and moves its marks afterwards.

So a night that is cut off is done again from where it was, and what is written twice is the same.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

import trio

from openclaw_memd.config.sections import Dreaming
from openclaw_memd.domain.light import choose_light
from openclaw_memd.domain.promotion_gates import (
    Exclusion,
    Judged,
    Ranking,
    Thresholds,
    rank,
    why_ineligible,
)
from openclaw_memd.domain.rem import reflect
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.consolidating import RECONCILED, Consolidation
from openclaw_memd.dreaming.dating import Dating
from openclaw_memd.dreaming.pages import Pages, is_shown
from openclaw_memd.dreaming.rendering import Dates, render_deep, render_light, render_rem
from openclaw_memd.dreaming.reports import (
    CandidateLine,
    Conflict,
    DeepPart,
    LightPart,
    RemPart,
    ThemeLine,
    TruthLine,
    count,
)
from openclaw_memd.dreaming.runs import Runs
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.dreaming.types import Applied, Candidate, Change, Ranked
from openclaw_memd.index.ledger.nights import Run
from openclaw_memd.zones import Zone

TOLD_ENTRIES: Final = 4
"""So many entries of the diary tell light what need not be told again."""

KEPT_LINES: Final = 200
"""Of so many candidates, the best, a report explains each; ``excluded`` counts all."""

NOTHING: Final = Applied({}, {})
_NO_DATES: Final = Dates()


@dataclass(slots=True)
class Story:
    """What the diary may tell of a night, with the keys of what it tells of, and what could not be shown."""

    keys: set[str] = field(default_factory=set)
    fragments: list[str] = field(default_factory=list)
    themes: list[str] = field(default_factory=list)
    promoted: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    finishes: list[str] = field(default_factory=list)
    is_news: bool = False

    def add(self, candidates: Sequence[Candidate]) -> None:
        """Tell of these, once each."""
        for one in candidates:
            if one.key not in self.keys:
                self.keys.add(one.key)
                self.fragments.append(one.text)


class Phases:
    """The phases of one workspace. All raise ``UnavailableError`` or ``DamagedError`` with the ledger."""

    def __init__(
        self,
        *,
        signals: SignalStore,
        consolidation: Consolidation,
        is_deleted: Callable[[str], Awaitable[bool]],
        dating: Dating,
        runs: Runs,
        pages: Pages,
        analyzer: Analyzer,
        zone: Zone,
        settings: Dreaming,
    ) -> None:
        self._signals = signals
        self._consolidation = consolidation
        self._is_deleted = is_deleted
        self._dating = dating
        self._runs = runs
        self._pages = pages
        self._analyzer = analyzer
        self._zone = zone
        self._settings = settings

    @property
    def thresholds(self) -> Thresholds:
        """What a candidate must reach."""
        s = self._settings
        return Thresholds(
            min_score=s.min_score,
            min_recalls=s.min_recalls,
            min_queries=s.min_queries,
            half_life_days=s.half_life_days,
            max_age_days=s.max_age_days,
            limit=s.limit,
        )

    async def rank(self, now: datetime, *, foresee: bool = False) -> Ranking[Candidate]:
        """Every candidate, judged; with ``foresee`` as if light and REM had looked at them now."""
        candidates = await self._signals.candidates()
        if foresee:
            looked_at = await self._signals.considered_at()
            work = partial(_look_ahead, candidates, looked_at, now, self._zone, self._analyzer)
            candidates = await trio.to_thread.run_sync(work)
        eligible = await trio.to_thread.run_sync(
            lambda: [one for one in candidates if why_ineligible(one) is None]
        )
        deleted = {one.key for one in eligible if await self._is_deleted(one.text)}
        ranking = partial(rank, candidates, now, self.thresholds, deleted=deleted)
        return await trio.to_thread.run_sync(ranking)

    async def foresee(self, judged: Judged[Candidate], now: datetime) -> str | None:
        """See ``Consolidation.foresee``."""
        return await self._consolidation.foresee(Ranked(judged.candidate, judged.score), now)

    async def settle(self, now: datetime) -> None:
        """See ``Consolidation.settle``."""
        await self._consolidation.settle(now)

    async def recount(self, keys: Collection[str], now: datetime) -> DeepPart:
        """What can still be told of claims that a run promoted before it was killed."""
        judged = [one for one in (await self.rank(now)).judged if one.candidate.key in keys]
        lines = [CandidateLine.of(replace(one, excluded=None), action=RECONCILED) for one in judged]
        return DeepPart(ranked=len(judged), promoted=len(keys), candidates=tuple(lines[:KEPT_LINES]))

    async def texts(self) -> dict[str, str]:
        """What the candidates say, by key."""
        return {one.key: one.text for one in await self._signals.candidates()}

    async def light(self, run: Run, now: datetime, story: Story) -> LightPart:
        """Choose what was of use of late."""
        candidates = await self._signals.candidates()
        told = [entry.text for entry in (await self._pages.nights())[-TOLD_ENTRIES:]]
        work = partial(choose_light, candidates, now, self._zone.day, self._analyzer, told=told)
        staged = await trio.to_thread.run_sync(work)
        if staged:
            problems = await self._pages.publish("light", run.local_date, run.id, render_light(staged))
            story.problems += problems
            if is_shown(problems):
                await self._signals.stage("light", [one.candidate.key for one in staged], now)
            story.is_news = True
            story.add([one.candidate for one in staged])
        return LightPart(staged=len(staged), merged=sum(len(one.merged) for one in staged))

    async def rem(self, run: Run, now: datetime, story: Story) -> RemPart:
        """Find what many are about, and what may last."""
        looked_at = await self._signals.considered_at()
        candidates = [
            replace(one, considered_at=looked_at.get(one.key)) for one in await self._signals.candidates()
        ]
        work = partial(reflect, candidates, now, self._zone.day, self._analyzer)
        found = await trio.to_thread.run_sync(work)
        problems: list[str] = []
        if found.truths or found.themes:
            problems = await self._pages.publish("rem", run.local_date, run.id, render_rem(found))
            story.problems += problems
        if is_shown(problems):
            await self._signals.considered([one.key for one in found.considered], now)
            await self._signals.stage("rem", [truth.candidate.key for truth in found.truths], now)
        story.add([truth.candidate for truth in found.truths])
        story.themes += [theme.tag for theme in found.themes]
        story.keys |= {one.key for theme in found.themes for one in theme.evidence}
        return RemPart(
            considered=len(found.considered),
            themes=tuple(ThemeLine(count=one.count, strength=round(one.strength, 4)) for one in found.themes),
            truths=tuple(
                TruthLine(key=one.candidate.key, confidence=round(one.confidence, 4)) for one in found.truths
            ),
        )

    async def deep(self, run: Run, now: datetime, story: Story) -> DeepPart:
        """Promote the best, and look at dates; in mode ``off`` nothing is written."""
        today = self._zone.day(now)
        # First, so that what is promoted is the last that a night does to a file, and undone to the byte.
        retired = await self._dating.retire(today) if self._settings.mode == "write" else _NO_DATES
        ranking = await self.rank(now)
        passed = [Ranked(one.candidate, one.score) for one in ranking.passed]
        applied = NOTHING
        if self._settings.mode != "off":
            applied = await self._consolidation.apply(
                passed, run_id=run.id, mode=self._settings.mode, now=now, limit=self._settings.limit
            )
            ranking = ranking.limited(applied.late)
        left = await self._find_left(ranking, story)
        known = {one.key: one.action for one in left}
        applied = replace(applied, promoted={**known, **applied.promoted}, changes=(*left, *applied.changes))
        dates = replace(
            await self._dating.look(today), retired=retired.retired, preimage_ids=retired.preimage_ids
        )
        part = tell_deep(ranking, applied, dates)
        if await self._is_news(part):
            body = render_deep(ranking, applied, part.setbacks, dates)
            story.problems += await self._pages.publish("deep", run.local_date, run.id, body)
        done = [one.candidate for one in ranking.selected if one.candidate.key in applied.promoted]
        done += [one.candidate for one in ranking.judged if one.candidate.key in known]
        if done:
            story.is_news = True
            story.keys |= {one.key for one in done}
            story.promoted += [one.text for one in done]
        return part

    async def _find_left(self, ranking: Ranking[Candidate], story: Story) -> list[Change]:
        """What interrupted runs promoted and had no time to tell of, as far as it was not taken back."""
        promoted = [one.candidate for one in ranking.judged if one.excluded is Exclusion.PROMOTED]
        story.finishes += [one.run_id for one in await self._runs.unfinished()]
        return [
            change
            for run_id in story.finishes
            for change in await self._consolidation.recall_changes(run_id, promoted)
        ]

    async def _is_news(self, part: DeepPart) -> bool:
        """Whether anything happened, or other dates have come than the last night told of.

        That a file has no room is no news: it is so until somebody tidies it up.
        """
        setbacks = part.setbacks.keys() - {Setback.BUDGET.value}
        if part.promoted or part.proposed or setbacks or part.conflicts or part.retired:
            return True
        last = await self._runs.report(None)
        before = ((), ()) if last is None or last.deep is None else (last.deep.due, last.deep.expired)
        return (part.due, part.expired) not in (before, ((), ()))


def _look_ahead(
    candidates: Sequence[Candidate],
    looked_at: Mapping[str, datetime],
    now: datetime,
    zone: Zone,
    analyzer: Analyzer,
) -> list[Candidate]:
    """The candidates as light and REM would leave them."""
    staged = {one.candidate.key for one in choose_light(candidates, now, zone.day, analyzer)}
    lit = [
        replace(
            one,
            considered_at=looked_at.get(one.key),
            signals=replace(one.signals, light_hits=one.signals.light_hits + 1, last_light_at=now)
            if one.key in staged
            else one.signals,
        )
        for one in candidates
    ]
    lasting = {truth.candidate.key for truth in reflect(lit, now, zone.day, analyzer).truths}
    return [
        replace(one, signals=replace(one.signals, rem_hits=one.signals.rem_hits + 1, last_rem_at=now))
        if one.key in lasting
        else one
        for one in lit
    ]


def tell_deep(ranking: Ranking[Candidate], applied: Applied, dates: Dates = _NO_DATES) -> DeepPart:
    """What a report keeps of deep."""
    selected = {one.candidate.key for one in ranking.selected}
    setbacks: Mapping[str, str] = {key: why for key, why in applied.rejected.items() if key in selected}
    actions = {**dict.fromkeys(applied.proposed, "proposed"), **applied.promoted}
    return DeepPart(
        ranked=len(ranking.judged),
        promoted=len(applied.promoted),
        proposed=len(applied.proposed),
        excluded={reason.value: number for reason, number in ranking.excluded.items()},
        setbacks=count(setbacks),
        candidates=tuple(
            CandidateLine.of(
                one, action=actions.get(one.candidate.key), setback=setbacks.get(one.candidate.key)
            )
            for one in ranking.judged[:KEPT_LINES]
        ),
        preimage_ids=(*applied.preimage_ids, *dates.preimage_ids),
        due=tuple(one.citation for one in dates.due),
        expired=tuple(one.citation for one in dates.expired),
        retired=len(dates.retired),
        conflicts=tuple(
            Conflict(source=one.source, other=one.other_citation) for one in applied.contradictions
        ),
        fallback=applied.fallback,
    )
