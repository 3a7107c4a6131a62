"""What was of use: recalls, notes and what was said again, by claim."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Final

import structlog
import trio

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.dreaming.alike import Alike
from openclaw_memd.dreaming.candidates import candidate_of
from openclaw_memd.dreaming.dangling import find_dangling
from openclaw_memd.dreaming.forgetting import ForgottenSignals, SignalForgetting, Unwanted
from openclaw_memd.dreaming.lost_claims import LostClaims
from openclaw_memd.dreaming.recalls import MOST_WAITING, Recalls, find_sightings
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.dreaming.types import Candidate
from openclaw_memd.errors import MemdError, UnavailableError
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.ledger import signal_upkeep as upkeep
from openclaw_memd.index.ledger import signals as ledger
from openclaw_memd.index.ledger.grounded import (
    Grounding,
    drop_grounded,
    known_claims,
    record_grounded,
)
from openclaw_memd.index.ledger.signal_rows import Sighting
from openclaw_memd.index.ledger.signals import Phase
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.ports import Clock
from openclaw_memd.recall.types import GetAnswer, Hit
from openclaw_memd.sessions.known import KnownSessions
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.signals")

BATCH: Final = 256
"""So many answers are recorded in one transaction where somebody waits for it."""

SMALL_BATCH: Final = 8
BUSY_SHARE: Final = 0.05
"""Else so many, in no more than this share of the time: it takes none from those who ask."""

QUIET_S: Final = 0.5
"""They are recorded when no answer came for so long,"""

LONGEST_S: Final = 1.0
"""after this time in any case, and when half of the room is taken."""

RETRY_S: Final = 5.0


class SignalStore:
    """The signals of one workspace.

    ``hear`` and ``hear_get`` answer at once and never fail; ``run`` records what they heard. All other
    methods record it first.
    """

    def __init__(
        self,
        state: Store,
        sources: Sources,
        known: KnownSessions,
        *,
        roots: Roots,
        analyzer: Analyzer,
        clock: Clock,
        zone: Zone,
    ) -> None:
        self.sources = sources
        self._state = state
        self._analyzer = analyzer
        self._clock = clock
        self._zone = zone
        self._recalls = Recalls(known)
        self._forgetting = SignalForgetting(state, sources, roots, analyzer)
        self._heard = trio.Event()
        self._turn = trio.Lock()

    @property
    def lost(self) -> int:
        """How many answers found no room to wait since the start."""
        return self._recalls.lost

    def hear(self, caller: Caller | None, question: str, hits: Sequence[Hit]) -> None:
        """A question was answered with ``hits``."""
        at = self._clock.now()
        if self._recalls.hear(caller, question, hits, day=self._zone.day(at), at=at):
            self._heard.set()

    def hear_get(self, caller: Caller | None, answer: GetAnswer) -> None:
        """Lines of a file were fetched."""
        at = self._clock.now()
        if self._recalls.hear_get(caller, answer, day=self._zone.day(at), at=at):
            self._heard.set()

    async def run(self) -> None:
        """Record what is heard, until cancelled.

        Raises:
            DamagedError: the ledger is damaged.
        """
        while True:
            await self._heard.wait()
            await self._await_quiet()
            if not self._state.path.exists():  # a write would make an empty ledger in the place of a lost one
                continue
            try:
                await self._settle_slowly()
            except UnavailableError as error:  # what was heard waits on
                log.warning("recalls not recorded", reason=error.reason)
                await trio.sleep(RETRY_S)
                self._heard.set()

    async def _await_quiet(self) -> None:
        with trio.move_on_after(LONGEST_S):
            while self._heard.is_set() and len(self._recalls) < MOST_WAITING // 2:
                self._heard = trio.Event()
                await trio.sleep(QUIET_S)
        self._heard = trio.Event()

    async def _settle_slowly(self) -> None:
        while len(self._recalls):
            began_at = trio.current_time()
            async with self._turn:
                await self._settle_some(SMALL_BATCH)
            await trio.sleep((trio.current_time() - began_at) * (1 / BUSY_SHARE - 1))

    async def settle(self) -> None:
        """Record everything that was heard; what cannot be written now waits on.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written now.
        """
        async with self._turn:
            while await self._settle_some(BATCH):
                pass

    async def _settle_some(self, most: int) -> bool:
        recalls = self._recalls.take(most)
        find = partial(find_sightings, recalls, self.sources, self._analyzer)
        try:
            if recalls:
                await self._record(await trio.to_thread.run_sync(find))
        except (MemdError, DamagedError, trio.Cancelled):
            self._recalls.put_back(recalls)
            raise
        return bool(recalls)

    async def record(
        self, sightings: Sequence[Sighting], also: Callable[[Connection], None] | None = None
    ) -> None:
        """Take note of sightings, and do ``also``, in one transaction. Errors as in ``settle``."""
        async with self._turn:
            await self._record(sightings, also)

    async def candidates(self) -> list[Candidate]:
        """The live candidates, the promoted and the rejected too, by key; none whose sources are all gone.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used now.
        """
        await self.repair()
        rows = await self._state.read(upkeep.load_candidates)
        return await trio.to_thread.run_sync(lambda: [candidate_of(row) for row in rows if row.sources])

    async def considered_at(self) -> dict[str, datetime]:
        """When REM last looked at candidates, by key. Errors as in ``candidates``."""
        rows = await self._state.read(upkeep.load_candidates)
        return {row.key: row.phases.considered_at for row in rows if row.phases.considered_at is not None}

    async def repair(self) -> int:
        """Take out candidates whose sources are gone, or whose text is no memory; how many went.

        One whose note was moved goes along with it. Errors as in ``candidates``.
        """
        await self.settle()
        found = await find_dangling(self._state, self.sources)

        def work(connection: Connection) -> int:
            upkeep.move_sources(connection, found.moved)
            upkeep.drop_sources(connection, found.lost)
            return ledger.drop_candidates(connection, found.unfit) + upkeep.drop_homeless(connection)

        if not (found.unfit or found.lost or found.homeless):
            return 0
        return await self._state.write(work)

    async def count_dangling(self) -> int:
        """How many candidates ``repair`` would take out now. Errors as in ``candidates``."""
        found = await find_dangling(self._state, self.sources)
        return len(found.unfit | found.homeless)

    async def mark_promoted(self, keys: Collection[str], at: datetime) -> None:
        """Note that these claims are in the curated files. Errors as in ``candidates``."""
        await self._state.write(partial(ledger.mark_promoted, keys=keys, at=at))

    async def mark_rejected(self, keys: Collection[str], at: datetime) -> None:
        """Note that the owner does not want these claims. Errors as in ``candidates``."""
        await self._state.write(partial(ledger.mark_rejected, keys=keys, at=at))

    async def stage(self, phase: Phase, keys: Collection[str], at: datetime) -> None:
        """Note that a phase chose these candidates. Errors as in ``candidates``."""
        await self._state.write(partial(ledger.stage, phase=phase, keys=keys, at=at))

    async def considered(self, keys: Collection[str], at: datetime) -> None:
        """Note that REM looked at these. Errors as in ``candidates``."""
        await self._state.write(partial(ledger.mark_considered, keys=keys, at=at))

    async def ground(self, read: Callable[[], Sequence[Sighting]]) -> list[str]:
        """Take note of what ``read`` finds in old notes and sessions, once each, in one transaction.

        The keys of the candidates that the new ones among it count for. ``read`` runs in a worker thread;
        what is forgotten meanwhile is not found by it. Errors as in ``settle``.
        """
        async with self._turn:
            found = await trio.to_thread.run_sync(read)
            places = {(one.key, one.source.path) for one in found}
            known = await self._state.read(partial(known_claims, claims=places))
            new = [one for one in found if (one.key, one.source.path) not in known]
            if not new:
                return []
            resolved = await self._resolve(new)
            groundings = [Grounding(one.key, other) for one, other in zip(new, resolved, strict=True)]
            return await self._state.write(partial(record_grounded, groundings=groundings))

    async def drop_grounded(self) -> int:
        """Take back what looks through old notes and sessions brought; how many candidates went.

        Errors as in ``candidates``.
        """
        async with self._turn:
            return await self._state.write(drop_grounded)

    async def forget(self, wanted: Unwanted, *, dry_run: bool = False) -> ForgottenSignals:
        """Forget what is ``wanted``, and what stands nowhere any more.

        It comes after files and sessions were cut: a claim that a source does not hold now goes from there,
        and one that stands nowhere goes whole. With ``dry_run`` nothing is written, and sources count as
        they are. Errors as in ``candidates``.
        """
        if not dry_run:
            self._recalls.forget()
        async with self._turn:
            return await self._forgetting.forget(wanted, dry_run=dry_run)

    async def find_lost(self, wanted: Unwanted) -> LostClaims:
        """The claims that ``forget`` would take from somewhere now. Errors as in ``candidates``."""
        return await self._forgetting.find_lost(wanted)

    async def _record(
        self, sightings: Sequence[Sighting], also: Callable[[Connection], None] | None = None
    ) -> None:
        resolved = await self._resolve(sightings)

        def work(connection: Connection) -> None:
            ledger.record_sightings(connection, resolved)
            if also is not None:
                also(connection)

        if resolved or also is not None:
            await self._state.write(work)

    async def _resolve(self, sightings: Sequence[Sighting]) -> Sequence[Sighting]:
        if not any(sighting.source.is_session for sighting in sightings):
            return sightings
        alike = Alike(await self._state.read(upkeep.known_texts), self._analyzer)
        return await trio.to_thread.run_sync(alike.resolve, sightings)
