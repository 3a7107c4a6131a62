"""A look through old notes or sessions: what they say is shown in the diary and staged, and back again.

The diary is written first, in one step; then the claims of one source after the other, each in one
transaction with the note that it was brought. So whatever a kill leaves is the beginning of a whole: a second
run goes on where it was, and a rollback takes what is there.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from typing import Final, Literal

import structlog
import trio

from openclaw_memd.domain.backfill_pages import BackfillEntry, count_entries, drop_entries, put_entries
from openclaw_memd.dreaming.old_sources import OldDay, OldSources, OldText, Scope
from openclaw_memd.dreaming.pages import Pages, is_shown
from openclaw_memd.dreaming.signals import SignalStore
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.errors import ConflictError, UnavailableError
from openclaw_memd.files.catalog import ListedFile
from openclaw_memd.index.ledger.grounded import count_there, known_claims
from openclaw_memd.index.ledger.signal_rows import Sighting
from openclaw_memd.index.store import Store
from openclaw_memd.jobs import Progress
from openclaw_memd.ports import Clock

log = structlog.get_logger("memd.dreaming")

What = Literal["diary", "staged", "all"]

SAMPLES: Final = 3  # OpenClaw's value
MOST_SAMPLES: Final = 60
_LOOKS: Final = 3
"""The diary is written so often until what it tells still stands in the sources."""


@dataclass(frozen=True, slots=True)
class BackfillDay:
    """One day: how many claims are new, how many were brought before, where some of the new ones stand."""

    day: date
    candidates: int
    known: int
    samples: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Backfilled:
    """What a look came to, without any text of a memory.

    ``staged`` of the new claims are candidates now, ``no_room`` found none. ``entries`` are those of the
    diary, ``left_out`` counts claims and sources by reason, ``next_from`` is the day to go on from.
    """

    source: str
    dry_run: bool
    stage: bool
    read: int
    days: tuple[BackfillDay, ...] = ()
    candidates: int = 0
    known: int = 0
    staged: int = 0
    no_room: int = 0
    entries: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    next_from: date | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RolledBack:
    """How many entries of the diary and how many candidates went, and what could not be done."""

    what: str
    entries: int = 0
    candidates: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pass:
    """What each pass goes through: ``files``, and what of them is meant, as of ``now``.

    ``texts`` are what they stood for when they were last read, by path.
    """

    files: Sequence[ListedFile]
    scope: Scope
    now: datetime
    texts: dict[str, OldText] = field(default_factory=dict)


@dataclass(slots=True)
class _Look:
    """What one pass found."""

    days: list[OldDay]
    left_out: Counter[str]

    @property
    def entries(self) -> list[BackfillEntry]:
        return [one.entry for one in self.days if one.entry is not None]


class Backfill:
    """Looks through the old notes and sessions of one workspace. One call at a time, apart from nights.

    ``is_off``: the configuration has dreaming write nothing.
    """

    def __init__(
        self,
        *,
        state: Store,
        signals: SignalStore,
        old: OldSources,
        pages: Pages,
        clock: Clock,
        is_off: bool,
    ) -> None:
        self._state = state
        self._signals = signals
        self._sources: Sources = signals.sources
        self._old = old
        self._pages = pages
        self._clock = clock
        self._is_off = is_off

    async def run(self, scope: Scope, *, stage: bool, dry_run: bool, progress: Progress) -> Backfilled:
        """Look, write the diary, and with ``stage`` stage what may last; with ``dry_run`` only tell.

        Raises:
            InvalidParamsError: see ``Scope.check``.
            NotFoundError: nothing is at the path of the scope.
            ConflictError: dreaming is off, and this would write.
            UnavailableError, DamagedError: the disk or the ledger cannot be used; what was brought is whole.
        """
        scope.check()
        if self._is_off and not dry_run:
            raise ConflictError("dreaming is off, so nothing is written", reason="dreaming_off")
        now = self._clock.now()
        chosen = await trio.to_thread.run_sync(self._old.choose, scope)
        if chosen.next_from is not None:
            scope = _before(scope, chosen.next_from)
        files = chosen.files
        sources = _Pass(files, scope, now)
        steps = len(files) * (1 if dry_run else 2 + stage)
        progress(0, steps)
        look = await self._look(sources, partial(_ahead, progress, 0))
        days = await self._tell_days(look.days)
        done = Backfilled(
            source=scope.kind,
            dry_run=dry_run,
            stage=stage,
            read=len(files),
            days=days,
            candidates=sum(one.candidates for one in days),
            known=sum(one.known for one in days),
            entries=len(look.entries),
            left_out=dict(sorted((look.left_out + chosen.skipped).items())),
            next_from=chosen.next_from,
        )
        if dry_run:
            return done
        problems = await self._write(scope, look.entries)
        if stage:
            done = await self._stage(sources, done, partial(_ahead, progress, len(files)))
        again = partial(_ahead, progress, steps - len(files))
        problems += await self._look_again(sources, look.entries, again)
        log.info("backfilled", count=len(files), added=done.staged)
        return replace(done, problems=tuple(dict.fromkeys(problems)))

    async def rollback(self, what: What, progress: Progress) -> RolledBack:
        """Take back what such looks wrote into the diary, or staged, or both; all else stays as it is.

        Raises:
            UnavailableError, DamagedError: the disk or the ledger cannot be used.
        """
        gone = 0
        candidates = 0
        problems: list[str] = []
        progress(0, 2)

        def plan(text: str) -> str:
            nonlocal gone
            gone = count_entries(text)
            return drop_entries(text, lambda _day, _source: True)

        if what != "diary":
            candidates = await self._signals.drop_grounded()
        progress(1, 2)
        if what != "staged":
            problems = _checked(await self._pages.edit(plan))
        progress(2, 2)
        return RolledBack(what, 0 if problems else gone, candidates, tuple(problems))

    async def texts(self, places: Collection[tuple[str, int]]) -> dict[tuple[str, int], str]:
        """What stands at these places now: (path, line)."""

        def read() -> dict[tuple[str, int], str]:
            found: dict[tuple[str, int], str] = {}
            for path in dict.fromkeys(path for path, _ in places):
                source = self._sources.find(path)
                for claim in () if source is None else source.claims():
                    found.setdefault((path, claim.source.start_line), claim.text)
            return {place: found[place] for place in places if place in found}

        return await trio.to_thread.run_sync(read)

    async def _look(self, sources: _Pass, progress: Progress) -> _Look:
        look = _Look([], Counter())
        for number, file in enumerate(sources.files, start=1):
            text = await trio.to_thread.run_sync(self._read, file, sources)
            look.days += text.days
            look.left_out += text.left_out
            progress(number)
        return look

    async def _tell_days(self, days: Sequence[OldDay]) -> tuple[BackfillDay, ...]:
        places = {(claim.key, day.path) for day in days for claim in day.claims}
        known = await self._state.read(partial(known_claims, claims=places))
        told: dict[date, BackfillDay] = {}
        room = MOST_SAMPLES
        seen: set[tuple[str, str]] = set()
        for day in sorted(days, key=lambda one: (one.day, one.path)):
            before = told.get(day.day, BackfillDay(day.day, 0, 0))
            fresh = [one for one in day.claims if (one.key, day.path) not in known | seen]
            seen |= {(one.key, day.path) for one in day.claims}
            samples = tuple((day.path, one.source.start_line) for one in fresh)
            samples = samples[: max(0, min(room, SAMPLES - len(before.samples)))]
            room -= len(samples)
            told[day.day] = BackfillDay(
                day.day,
                before.candidates + len(fresh),
                before.known + len(day.claims) - len(fresh),
                (*before.samples, *samples),
            )
        return tuple(told.values())

    async def _write(self, scope: Scope, entries: Sequence[BackfillEntry]) -> list[str]:
        def replaces(day: date, source: str) -> bool:
            return scope.has_day(day) and scope.has_path(source)

        def plan(text: str) -> str:
            return put_entries(text, entries, replaces)

        return _checked(await self._pages.edit(plan))

    async def _stage(self, sources: _Pass, done: Backfilled, progress: Progress) -> Backfilled:
        new: list[str] = []
        for number, file in enumerate(sources.files, start=1):
            new += await self._signals.ground(partial(self._sightings, file, sources))
            progress(number)
        kept = await self._state.read(partial(count_there, keys=new))
        return replace(done, staged=kept, no_room=len(new) - kept)

    def _read(self, file: ListedFile, sources: _Pass) -> OldText:
        text = self._old.read(file, sources.scope, sources.now, sources.texts.get(file.path))
        sources.texts[file.path] = text
        return text

    def _sightings(self, file: ListedFile, sources: _Pass) -> list[Sighting]:
        return [one for day in self._read(file, sources).days for one in day.sightings]

    async def _look_again(
        self, sources: _Pass, told: Sequence[BackfillEntry], progress: Progress
    ) -> list[str]:
        """What was forgotten or changed since it was read does not stay in the diary."""
        problems: list[str] = []
        for _ in range(_LOOKS):
            entries = (await self._look(sources, progress)).entries
            if entries == told:
                break
            told = entries
            problems = await self._write(sources.scope, told)
        return problems


def _before(scope: Scope, day: date) -> Scope:
    last = date.fromordinal(day.toordinal() - 1)
    return replace(scope, last=last if scope.last is None else min(last, scope.last))


def _ahead(progress: Progress, before: int, done: int, _total: int | None = None) -> None:
    progress(before + done)


def _checked(problems: list[str]) -> list[str]:
    """``problems`` that the run goes on with: DREAMS.md may be a link, but the disk has to work."""
    if not is_shown(problems):
        raise UnavailableError("DREAMS.md cannot be written", reason="disk_error")
    return problems
