"""What a night makes of the candidates that it chose: lines of MEMORY.md and USER.md, or proposals.

Rules decide, and a chat model may only choose within them. Each file is rewritten at most once a night, by
the one writer of curated files; what was written is noted in the ledger before, and the candidates are marked
as promoted after it is there. So whatever ends the process, nothing is written twice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final, Literal

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.deletions import Deletions
from openclaw_memd.curated.entries import CuratedState, CuratedText
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.consolidation import Decision, Prior, Step, decide
from openclaw_memd.domain.consolidation_reply import InvalidPlan
from openclaw_memd.domain.curated_files import CURATED_FILES, MEMORY, bare_text
from openclaw_memd.domain.lineage import find_anchors
from openclaw_memd.domain.promoted_lines import Fact
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.checking import Checking, Signals
from openclaw_memd.dreaming.model_plan import ask_model
from openclaw_memd.dreaming.promoting import Promoting, Work, Wrote
from openclaw_memd.dreaming.proposals import Proposals
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.dreaming.types import Applied, Candidate, Change, Ranked
from openclaw_memd.index.ledger.promotions import (
    CAUSE,
    begun_promotions,
    conclude_promotions,
    promotions_of,
    unclaimed_rewrite,
)
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.ports import ChatModel
from openclaw_memd.zones import Zone

Mode = Literal["write", "propose"]
RECONCILED: Final = "reconciled"
ACCEPT: Final = "accept"
"""What the history says of a rewrite that the owner accepted."""

_WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a night may do to the files: how long each may be, and how much of MEMORY.md may go."""

    budget_chars: Callable[[str], int]
    loss_night: float = 0.25
    loss_week: float = 0.4


class Consolidation:
    """Brings what nights chose into the curated files of one workspace.

    ``model`` gives the chat model of now. ``turn`` is held while anything is decided and written.
    """

    def __init__(
        self,
        *,
        state: Store,
        core: CuratedCore,
        writer: CuratedWriter,
        deletions: Deletions,
        signals: Signals,
        sources: Sources,
        analyzer: Analyzer,
        zone: Zone,
        bounds: Bounds,
        model: Callable[[], ChatModel],
    ) -> None:
        self.turn = trio.Lock()
        self.proposals = Proposals(state)
        self._state = state
        self._core = core
        self._signals = signals
        self._checking = Checking(sources, deletions, signals, analyzer)
        self._analyzer = analyzer
        self._zone = zone
        self._bounds = bounds
        self._model = model
        self._promoting = Promoting(state, writer, analyzer)

    async def apply(
        self, ranked: Sequence[Ranked], *, run_id: str, mode: Mode, now: datetime, limit: int | None = None
    ) -> Applied:
        """Write the first ``limit`` of ``ranked``, or put them up for review.

        What may not be written takes no place: the next one has it. A file that cannot be rewritten now stays
        as it is, and its candidates wait.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        async with self.turn:
            state = await self._core.refresh()
            promoted = await self._reconcile(state, ranked, now)
        waiting = [one for one in ranked if one.candidate.key not in promoted]
        decision, rejected, late = await self._choose(waiting, state, now, limit)
        steps, fallback = await self._ask(decision.steps, state)
        async with self.turn:
            if fallback is not None or steps is not decision.steps:
                steps, changed = await self._checking.look_again(steps, waiting)
                rejected |= changed
            proposed: list[str] = []
            if mode == "propose":
                proposed = await self.proposals.put(steps, waiting, run_id=run_id, at=now)
                steps = tuple(step for step in steps if step.action == "merged")
            wrote = await self._write(steps, state, run_id=run_id, now=now, cause=CAUSE)
        applied = Applied(promoted, rejected, proposed=proposed, late=late, fallback=fallback)
        return _applied(applied, wrote, decision)

    async def accept(
        self, ranked: Sequence[Ranked], facts: Mapping[str, Fact], *, run_id: str, now: datetime
    ) -> Wrote:
        """Write what the owner wants of what a night proposed; ``facts`` are those in the owner's words.

        Errors as in ``apply``.
        """
        async with self.turn:
            state = await self._core.refresh()
            await self._reconcile(state, (), now)
            looked, rejected = await self._checking.look(
                [one for one in ranked if one.candidate.key not in facts], keep_deleted=True
            )
            decision = await self._decide([*looked, *facts.values()], state, now)
            wrote = await self._write(decision.steps, state, run_id=run_id, now=now, cause=ACCEPT)
            return Wrote(
                wrote.steps,
                {**rejected, **_words(decision.rejected), **wrote.rejected},
                wrote.preimage_ids,
                wrote.entries,
            )

    async def foresee(self, ranked: Ranked, now: datetime) -> str | None:
        """Why a night would not write this one now; None when it would. Errors as in ``apply``."""
        decision, rejected, _ = await self._choose([ranked], await self._core.refresh(), now, None)
        return None if decision.steps else rejected.get(ranked.candidate.key)

    async def settle(self, now: datetime) -> None:
        """Take up what runs wrote that were killed before they noted it. Errors as in ``apply``."""
        if await self._state.read(begun_promotions):
            async with self.turn:
                await self._reconcile(await self._core.refresh(), (), now)

    async def recall_changes(self, run_id: str, candidates: Sequence[Candidate]) -> list[Change]:
        """What a run that could not tell of it did with these. Errors as in ``apply``."""
        files = {one.key: one.file for one in await self._state.read(partial(promotions_of, run_id=run_id))}
        return [
            Change(one.key, RECONCILED, files[one.key], one.text, one.source)
            for one in candidates
            if one.key in files
        ]

    async def _reconcile(
        self, state: CuratedState, selected: Sequence[Ranked], now: datetime
    ) -> dict[str, str]:
        """Mark what an earlier run wrote and had no time to mark; what of ``selected`` is in the files."""
        anchors = {file: _find_vouched_anchors(text) for file, text in state.files.items()}
        begun = await self._state.read(begun_promotions)
        for run_id, file in sorted({(one.run_id, one.file) for one in begun}):
            if file not in state.files and file in state.problems:
                continue
            there = [
                one.key
                for one in begun
                if (one.run_id, one.file) == (run_id, file) and one.key in anchors.get(file, {})
            ]
            await self._signals.mark_promoted(there, now)
            await self._state.write(partial(_conclude, run_id=run_id, file=file, keys=there))
        keys = [
            one.candidate.key
            for one in selected
            if any(one.candidate.key in found for found in anchors.values())
        ]
        if keys:
            await self._signals.mark_promoted(keys, now)
        return dict.fromkeys(keys, RECONCILED)

    async def _choose(
        self, waiting: Sequence[Ranked], state: CuratedState, now: datetime, limit: int | None
    ) -> tuple[Decision, dict[str, str], frozenset[str]]:
        """What to do with the first ``limit`` that may be written, why others may not, and who is late."""
        most = len(waiting) if limit is None else limit
        facts: list[Fact] = []
        rejected: dict[str, str] = {}
        decision = Decision(())
        looked = 0
        while looked < len(waiting) and len(decision.steps) < most:
            batch = waiting[looked : looked + max(most, looked)]  # ever more, so that few rounds will do
            found, why = await self._checking.look(batch, keep_deleted=False)
            looked += len(batch)
            facts += found
            rejected |= why
            decision = await self._decide(facts, state, now)
        late = {one.candidate.key for one in waiting[looked:]}
        late.update(key for step in decision.steps[most:] for key in step.fact.keys)
        rejected |= _words(decision.rejected)
        return replace(decision, steps=decision.steps[:most]), rejected, frozenset(late)

    async def _decide(self, facts: Sequence[Fact], state: CuratedState, now: datetime) -> Decision:
        work = partial(decide, facts, _priors(state), self._analyzer, today=self._zone.day(now))
        return await trio.to_thread.run_sync(work)

    async def _ask(self, steps: tuple[Step, ...], state: CuratedState) -> tuple[tuple[Step, ...], str | None]:
        """The steps as a chat model would take them, and why that counts for nothing, if it does."""
        asked = [step for step in steps if step.fact.file == MEMORY and step.action != "merged"]
        model = self._model()
        if not asked or model.model_id is None or not any(prior.file == MEMORY for prior in _priors(state)):
            return steps, None
        found = await ask_model(
            model, asked, [prior for prior in _priors(state) if prior.file == MEMORY], self._analyzer
        )
        if isinstance(found, InvalidPlan):
            return steps, found.why
        judged = {step.fact.key: step for step in found}
        return tuple(judged.get(step.fact.key, step) for step in steps), None

    async def _write(
        self, steps: Sequence[Step], state: CuratedState, *, run_id: str, now: datetime, cause: str
    ) -> Wrote:
        """Rewrite each file that has steps, which were decided on by ``state``, and mark their candidates."""
        everything = Wrote()
        for file in CURATED_FILES:
            own = [step for step in steps if step.fact.file == file]
            if not own:
                continue
            work = Work(
                file=file,
                run_id=run_id,
                cause=cause,
                now=now,
                today=self._zone.day(now),
                steps=tuple(own),
                priors=tuple(_priors(state)),
                text=state.files[file].text if file in state.files else "",
                budget_chars=self._bounds.budget_chars(file),
                loss_night=self._bounds.loss_night if cause == CAUSE else 1.0,
                loss_week=self._bounds.loss_week if cause == CAUSE else 1.0,
                since=now - _WEEK,
            )
            wrote = await self._promoting.write(work)
            await self._signals.mark_promoted([key for step in wrote.steps for key in step.fact.keys], now)
            await self._promoting.conclude(work, wrote)
            everything = everything.joined(wrote)
        await self._core.refresh()
        return everything


def _conclude(connection: Connection, run_id: str, file: str, keys: Sequence[str]) -> None:
    preimage_id = unclaimed_rewrite(connection, run_id, file) if keys else None
    conclude_promotions(connection, run_id, file, keys, preimage_id)


def _find_vouched_anchors(text: CuratedText) -> dict[str, None]:
    """The anchors of a file, without those that come from outside: nobody may keep a claim out by them."""
    lines = enumerate(text.text.split("\n"), start=1)
    return find_anchors("\n".join(line for number, line in lines if number not in text.unvouched))


def _priors(state: CuratedState) -> list[Prior]:
    return [
        Prior(file, entry.entry, entry.provenance.origin)
        for file, text in state.files.items()
        for entry in text.entries
    ]


def _words(rejected: Mapping[str, Setback]) -> dict[str, str]:
    return {key: why.value for key, why in rejected.items()}


def _applied(so_far: Applied, wrote: Wrote, decision: Decision) -> Applied:
    """What a night did, with what it wrote."""
    done = {key: str(step.action) for step in wrote.steps for key in step.fact.keys}
    changes = tuple(
        Change(
            key=step.fact.key,
            action=step.action,
            file=step.fact.file,
            text=wrote.entries.get(step.fact.key, step.fact.text),
            source=step.fact.source,
            replaced=tuple(bare_text(prior.entry.text) for prior in step.gone),
        )
        for step in wrote.steps
    )
    shown = {*done, *so_far.proposed}
    return replace(
        so_far,
        promoted={**so_far.promoted, **done},
        rejected={**so_far.rejected, **wrote.rejected},
        preimage_ids=wrote.preimage_ids,
        changes=changes,
        contradictions=tuple(one for one in decision.contradictions if one.key in shown),
        compacted=wrote.compacted,
    )
