"""What a session is given when it begins, and again when a file that it was given changes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final, Literal

import structlog
import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedState
from openclaw_memd.domain.audience import View
from openclaw_memd.domain.bootstrap_block import Kind, Section, bootstrap_block
from openclaw_memd.domain.bootstrap_files import FILES, Reason, files_for, tells_days
from openclaw_memd.domain.curated_files import CURATED_FILES, USER
from openclaw_memd.domain.startup_context import Startup
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.instructions import Instructions, InstructionText
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.injection.given_files import Asking, CuratedFigures, GivenFile, GivenFiles
from openclaw_memd.injection.startup import StartupLimits, StartupNotes
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.bootstrap")

LOOK_SHARE: Final = 0.8
"""How much of the time the curated files are waited for; what is given of them takes some milliseconds."""

FIGURES_S: Final = 0.1
"""How long ``status`` waits for figures of files that changed."""


Lacking = Literal["files", "startup"]
"""A part of an answer that may be missing: of the files at least one, or the last days' notes."""


@dataclass(frozen=True, slots=True)
class BootstrapAnswer:
    """The ``files`` in their order, the last days' notes, and all of it as one block for a prompt.

    ``degraded`` names what could not be told in time, or not at all just now.
    """

    files: tuple[GivenFile, ...]
    startup: Startup | None
    context: str
    degraded: tuple[Lacking, ...] = ()

    @property
    def total_chars(self) -> int:
        """The length of the block, in code points."""
        return len(self.context)


@dataclass(frozen=True, slots=True)
class RefreshedFile:
    """A file that a session is given anew; ``text`` is all that is shown of it now, ``""`` for nothing."""

    file: str
    text: str
    hash: str


class Bootstrap:
    """Gives one agent's sessions their files. Files that cannot be read in time are given as last known."""

    def __init__(
        self,
        *,
        core: CuratedCore,
        instructions: Instructions,
        notes: StartupNotes,
        files: GivenFiles,
        limits: StartupLimits,
        clock: Clock,
        zone: Zone,
    ) -> None:
        self._core = core
        self._instructions = instructions
        self._notes = notes
        self._files = files
        self._limits = limits
        self._clock = clock
        self._zone = zone
        self._threads = trio.CapacityLimiter(2)
        self._choosing = trio.CapacityLimiter(1)
        self._last_read: Mapping[str, InstructionText | SkipReason] | None = None

    async def build(
        self,
        view: View,
        *,
        files: Sequence[str] | None = None,
        reason: Reason = Reason.START,
        active_projects: Collection[str] = (),
        deadline_at: float | None = None,
    ) -> BootstrapAnswer:
        """What a session of this view is given. ``deadline_at`` is in trio's time.

        ``files`` are the names that are wanted, all by default. One that is wanted and not there has no text;
        one that the view may not see counts as nothing.
        """
        begins = reason is not Reason.REFRESH
        given, is_late = await self._give(view, active_projects, deadline_at, begins=begins)
        wanted = [file for file in given.values() if files is None or file.file in files]
        for file in wanted:
            self._tell(file)
        chosen = wanted if files is not None else [file for file in wanted if file.is_there]
        startup = None
        degraded: list[Lacking] = ["files"] if is_late or any(file.is_unknown for file in wanted) else []
        if tells_days(view, reason):
            is_told = False
            with trio.move_on_at(inf if deadline_at is None else deadline_at):
                startup, is_told = await self._tell_days()
            if not is_told:
                degraded.append("startup")
        sections = [Section(file.file, _kind(file.file), file.text) for file in chosen]
        context = bootstrap_block(sections, () if startup is None else startup.lines)
        return BootstrapAnswer(tuple(chosen), startup, context, tuple(degraded))

    async def changed(
        self,
        view: View,
        known: Mapping[str, str],
        *,
        active_projects: Collection[str] = (),
        deadline_at: float | None = None,
        state: CuratedState | None = None,
    ) -> tuple[RefreshedFile, ...]:
        """The files of which the session was given something else than it would be now.

        ``state`` are the curated files, where somebody looked at them for this call already.
        ``known`` has the hash that each file was given with. A curated file that is not among them counts as
        one of which nothing was given: it may have been made since. Other files come at the start alone.
        """
        refreshed = []
        given, _ = await self._give(view, active_projects, deadline_at, begins=False, state=state)
        for file in given.values():
            if file.is_unknown:
                continue
            before = known.get(file.file, GivenFiles.NO_TEXT if file.is_curated else file.hash)
            if before != file.hash:
                self._tell(file)
                refreshed.append(RefreshedFile(file.file, file.text, file.hash))
        return tuple(refreshed)

    async def figures(self, within_s: float = FIGURES_S) -> tuple[CuratedFigures, ...]:
        """How much of each curated file, as it was last seen, reaches its owner's sessions.

        Of files that take longer to tell of than ``within_s`` it is what was told before.
        """
        today = self._zone.day(self._clock.now())
        work = partial(self._files.figures, self._core.state, today)
        with trio.move_on_after(within_s):
            return await trio.to_thread.run_sync(work, limiter=self._core.spare, abandon_on_cancel=True)
        return self._files.last_figures

    async def _give(
        self,
        view: View,
        active_projects: Collection[str],
        deadline_at: float | None,
        *,
        begins: bool,
        state: CuratedState | None = None,
    ) -> tuple[Mapping[str, GivenFile], bool]:
        """The files, and whether they are those of before since there was no time to choose anew."""
        names = files_for(view, begins=begins)
        if not names:
            return {}, False
        if state is None:
            now = trio.current_time()
            look_until = None if deadline_at is None else now + LOOK_SHARE * (deadline_at - now)
            state = await self._core.refresh(look_until)
        await self._read([name for name in FILES if name not in CURATED_FILES], deadline_at)
        asking = Asking(
            names,
            state,
            self._last_read,
            audience=view.bootstrap,
            active_projects=frozenset(active_projects),
            today=self._zone.day(self._clock.now()),
        )
        known = self._files.known(asking)
        if known is not None:
            return known, False
        give = partial(self._files.give, asking)
        with trio.move_on_at(inf if deadline_at is None else deadline_at):
            return await trio.to_thread.run_sync(give, limiter=self._choosing, abandon_on_cancel=True), False
        return self._files.last_known(asking), True

    async def _tell_days(self) -> tuple[Startup | None, bool]:
        """The last days' notes, and whether the ledger can say who wrote them."""
        try:
            return await self._notes.tell(self._limits), True
        except (DamagedError, UnavailableError):
            log.warning("the last days' notes are not told: the ledger cannot say who wrote them")
            return None, False

    async def _read(self, names: Sequence[str], deadline_at: float | None) -> None:
        with trio.move_on_at(inf if deadline_at is None else deadline_at):
            self._last_read = await trio.to_thread.run_sync(
                partial(self._instructions.read, names), limiter=self._threads, abandon_on_cancel=True
            )

    def _tell(self, file: GivenFile) -> None:
        """Say in the log what a session misses."""
        if file.left_out:
            log.warning(
                "entries are left out of what a session is given",
                path=file.file,
                count=file.left_out,
                limit=file.budget,
            )
        elif file.problem is not None:
            log.warning("a file cannot be given to a session", path=file.file, reason=file.problem)
        elif file.is_cut:
            log.warning("a file is cut for what a session is given", path=file.file, limit=file.budget)


def _kind(file: str) -> Kind:
    if file == USER:
        return "user"
    return "memory" if file in CURATED_FILES else "instructions"
