"""What candidates are now: by their sources, by what was deleted, and by what is known of them."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

import trio

from openclaw_memd.curated.deletions import Deletions
from openclaw_memd.domain.consolidation import Step
from openclaw_memd.domain.promoted_lines import Fact
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.live_claims import LiveClaims
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.dreaming.types import Candidate, Ranked


class Signals(Protocol):
    """What is known of candidates."""

    async def candidates(self) -> list[Candidate]:
        """Those that are there now."""
        ...

    async def mark_promoted(self, keys: Collection[str], at: datetime) -> None:
        """Note that these are in the curated files."""
        ...

    async def mark_rejected(self, keys: Collection[str], at: datetime) -> None:
        """Note that the owner does not want these."""
        ...


class Checking:
    """Looks candidates up before anything is written of them.

    Every method raises UnavailableError or DamagedError when the ledger cannot be used.
    """

    def __init__(self, sources: Sources, deletions: Deletions, signals: Signals, analyzer: Analyzer) -> None:
        self._live = LiveClaims(sources, analyzer)
        self._deletions = deletions
        self._signals = signals

    async def look(
        self, ranked: Sequence[Ranked], *, keep_deleted: bool
    ) -> tuple[list[Fact], dict[str, str]]:
        """What the sources say now, and why some may not be promoted."""
        facts: list[Fact] = []
        rejected: dict[str, str] = {}
        for key, found in (await trio.to_thread.run_sync(self._live.look, ranked)).items():
            if isinstance(found, str):
                rejected[key] = found
            elif not keep_deleted and await self._deletions.is_deleted(found.text):
                rejected[key] = Setback.DELETED.value
            else:
                facts.append(found)
        return facts, rejected

    async def look_again(
        self, steps: Sequence[Step], selected: Sequence[Ranked]
    ) -> tuple[tuple[Step, ...], dict[str, str]]:
        """The steps whose candidates are what they were before the model was asked."""
        known = {candidate.key: candidate for candidate in await self._signals.candidates()}
        keys = {step.fact.key for step in steps}
        still = [
            one
            for one in selected
            if one.candidate.key in keys and _is_same(one.candidate, known.get(one.candidate.key))
        ]
        found, _ = await self.look(still, keep_deleted=False)
        unchanged = {fact.key: fact for fact in found}
        kept: list[Step] = []
        rejected: dict[str, str] = {}
        for step in steps:
            now = unchanged.get(step.fact.key)
            if now is not None and replace(now, keys=step.fact.keys, source=step.fact.source) == step.fact:
                kept.append(replace(step, fact=replace(step.fact, source=now.source)))
            else:
                rejected |= dict.fromkeys(step.fact.keys, Setback.CHANGED.value)
        return tuple(kept), rejected


def _is_same(before: Candidate, now: Candidate | None) -> bool:
    """Whether nothing that counts became of a candidate meanwhile; new signals do no harm."""
    return (
        now is not None
        and now.promoted_at == before.promoted_at
        and now.rejected_at == before.rejected_at
        and now.provenance == before.provenance
    )
