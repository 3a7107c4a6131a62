"""Writing the steps of a run into one curated file, such that the ledger knows of it whatever happens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial

import structlog
import trio

from openclaw_memd.curated.revisions import Author, Revision
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.consolidated_text import Consolidated, Limits, Week, consolidate, count_losses_left
from openclaw_memd.domain.consolidation import Prior, Step, decide
from openclaw_memd.domain.curated_files import bare_text, is_memory
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.promoted_lines import format_fact
from openclaw_memd.domain.setbacks import Setback
from openclaw_memd.domain.stored_text import decode_stored
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import (
    ConflictError,
    DeniedError,
    InvalidParamsError,
    TooLargeError,
)
from openclaw_memd.index.ledger.promotions import (
    begin_promotions,
    conclude_promotions,
    promoted_entries,
    rewrites_since,
)
from openclaw_memd.index.store import Store

log = structlog.get_logger("memd.dreaming")


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be written into ``file``, which was ``text`` when it was decided.

    ``loss_night`` and ``loss_week`` are the shares of its entries that may go, the week from ``since`` on.
    """

    file: str
    run_id: str
    cause: str
    now: datetime
    today: date
    steps: tuple[Step, ...]
    priors: tuple[Prior, ...]
    text: str
    budget_chars: int
    loss_night: float
    loss_week: float
    since: datetime


@dataclass(frozen=True, slots=True)
class Wrote:
    """The steps that were taken, and why others were not; ``entries`` are the texts that were written."""

    steps: tuple[Step, ...] = ()
    rejected: Mapping[str, str] = field(default_factory=dict)
    preimage_ids: tuple[int, ...] = ()
    entries: Mapping[str, str] = field(default_factory=dict)
    compacted: tuple[str, ...] = ()

    def joined(self, other: "Wrote") -> "Wrote":
        """Both together."""
        return Wrote(
            (*self.steps, *other.steps),
            {**self.rejected, **other.rejected},
            (*self.preimage_ids, *other.preimage_ids),
            {**self.entries, **other.entries},
            (*self.compacted, *other.compacted),
        )


class Promoting:
    """Writes into the curated files of one workspace what was decided."""

    def __init__(self, state: Store, writer: CuratedWriter, analyzer: Analyzer) -> None:
        self._state = state
        self._writer = writer
        self._analyzer = analyzer

    async def write(self, work: Work) -> Wrote:
        """Write it as one rewrite. What was noted before is to be concluded after the candidates are marked.

        Raises:
            UnavailableError: the disk takes no new version, or the ledger cannot be used. The whole night is
                to be tried again: what was decided is still true when there is room.
            DamagedError: the ledger cannot be used.
        """
        known = await self._state.read(partial(promoted_entries, file=work.file))
        past = await self._state.read(partial(rewrites_since, file=work.file, since=work.since))
        week = await trio.to_thread.run_sync(_sum_up, past)
        planning = _Planning(work, self._analyzer, known, week)
        entries = await trio.to_thread.run_sync(_entry_hashes, work.steps)
        await self._state.write(
            partial(begin_promotions, run_id=work.run_id, file=work.file, entries=entries, at=work.now)
        )
        try:
            done = await self._writer.rewrite(work.file, planning.plan, cause=work.cause, author=Author())
        except (ConflictError, DeniedError, TooLargeError) as error:
            log.warning("not promoted", path=work.file, reason=error.reason)
            waiting = [key for step in work.steps for key in step.fact.keys]
            return Wrote(rejected=dict.fromkeys(waiting, Setback.CONFLICT.value))
        made = planning.made
        return Wrote(
            made.steps,
            {key: why.value for key, why in made.rejected.items()},
            () if done.preimage_id is None else (done.preimage_id,),
            made.entries,
            made.compacted,
        )

    async def conclude(self, work: Work, wrote: Wrote) -> None:
        """Note that it is there, and that what was not written is not. Errors as in ``write``."""
        there = [key for step in wrote.steps if step.fact.key in wrote.entries for key in step.fact.keys]
        await self._state.write(
            partial(
                conclude_promotions,
                run_id=work.run_id,
                file=work.file,
                keys=there,
                preimage_id=next(iter(wrote.preimage_ids), None),
            )
        )


class _Planning:
    """Plans a rewrite, anew when the file was changed meanwhile; ``made`` is the last plan."""

    def __init__(self, work: Work, analyzer: Analyzer, generated: frozenset[str], past: Week) -> None:
        self.made = Consolidated("")
        self._work = work
        self._analyzer = analyzer
        self._generated = generated
        self._past = past

    def plan(self, current: str | None) -> Revision | None:
        work, text = self._work, current or ""
        steps = work.steps
        rejected: Mapping[str, Setback] = {}
        if text != work.text:
            facts = [step.fact for step in work.steps]
            decision = decide(facts, self._priors(text), self._analyzer, today=work.today)
            steps, rejected = decision.steps, decision.rejected
        entries = sum(map(is_memory, parse_entries(text)))
        left = count_losses_left(entries, self._past, night=work.loss_night, week=work.loss_week)
        limits = Limits(work.budget_chars, left)
        made = consolidate(work.file, text, steps, limits, today=work.today, generated=self._generated)
        self.made = replace(made, rejected={**rejected, **made.rejected})
        return None if made.text == text else Revision(made.text, made.added)

    def _priors(self, text: str) -> list[Prior]:
        """The entries as they are now; who is behind those that nobody has looked at is not known."""
        origins = {
            prior.entry.text: prior.origin for prior in self._work.priors if prior.file == self._work.file
        }
        now = [Prior(self._work.file, entry, origins.get(entry.text)) for entry in parse_entries(text)]
        return [*now, *(prior for prior in self._work.priors if prior.file != self._work.file)]


def _entry_hashes(steps: Sequence[Step]) -> dict[str, str]:
    """What the entries are known by, for each claim that leads to one."""
    found: dict[str, str] = {}
    for step in steps:
        if step.action != "merged":
            try:
                entry = hash_text("\n".join(format_fact(step.fact)))
            except InvalidParamsError:
                continue
            found |= dict.fromkeys(step.fact.keys, entry)
    return found


def _sum_up(rewrites: Sequence[tuple[bytes, bytes]]) -> Week:
    """What rewrites, oldest first, did to a file."""
    lost = 0
    for before, after in rewrites:
        left = set(_read(after))
        lost += sum(said not in left for said in _read(before))
    return Week(len(_read(rewrites[0][0])) if rewrites else 0, lost)


def _read(data: bytes) -> list[str]:
    """What the entries of a version say."""
    return [bare_text(entry.text) for entry in parse_entries(decode_stored(data)) if is_memory(entry)]
