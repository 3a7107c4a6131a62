"""The curated files in memory: their entries, and who is behind each.

They are read from disk and attributed by the ledger, so they are there while the index is not.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from math import inf

import trio

from openclaw_memd.curated.doubting import doubt
from openclaw_memd.curated.entries import CuratedState
from openclaw_memd.curated.looking import NOTHING_SEEN, CuratedLook, DaysOfLines, ReadText, Seen
from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.origins import Attributor
from openclaw_memd.index.publishing import Published

OnChanged = Callable[[CuratedState, CuratedState], None]


class CuratedCore:
    """Both curated files as they are on disk.

    ``state`` is what is known at once, ``sure`` what of it may be shown, ``refresh`` looks first, and ``run``
    takes up what it is told of. ``on_changed`` gets the states before and after, in the event loop. ``spare``
    is for threads that work on a state while nobody waits: one at a time, since all of them share the
    interpreter with the event loop.
    """

    def __init__(
        self,
        roots: Roots,
        rules: FileRules,
        attributor: Attributor,
        *,
        days_of_lines: DaysOfLines = lambda _file, _hashes: {},
        on_changed: OnChanged = lambda _before, _now: None,
    ) -> None:
        self.on_changed = on_changed
        self.spare = trio.CapacityLimiter(1)
        self._look = CuratedLook(roots, rules, attributor, days_of_lines)
        self._seen = NOTHING_SEEN
        self._doubted: tuple[int, CuratedState] | None = None  # by which look, and what it leaves
        self._asked = 0
        self._looks = 0
        self._running: set[int] = set()
        self._turn = trio.Lock()
        self._limiter = trio.CapacityLimiter(2)
        self._told = trio.Event()

    @property
    def state(self) -> CuratedState:
        """The files as they were last seen; empty before the first look."""
        return self._seen.state

    @property
    def sure(self) -> CuratedState:
        """The files as they were last seen, without what is known to have changed while nobody can say yet
        who is behind the change. It has a negative version then.
        """
        return self._seen.state if self._doubted is None else self._doubted[1]

    def ask_origins(self) -> None:
        """Take note that who is behind the lines may have changed, though the bytes have not."""
        self._asked += 1
        self._told.set()

    def note_published(self, published: Published) -> None:
        """Take note of a change of the index, which may be one of a curated file or of its origins."""
        changes = (published.added, published.removed)
        if published.replaced or any(by_tier.get(TrustTier.CURATED) for by_tier in changes):
            self.ask_origins()

    async def refresh(self, deadline_at: float | None = None) -> CuratedState:
        """The files as they are now; after ``deadline_at`` (in trio's time) what is ``sure``.

        Who has a deadline does not wait for a look that hung on somebody else.
        """
        with trio.move_on_at(inf if deadline_at is None else deadline_at):
            async with self._turn:
                if deadline_at is None or not self._running:
                    self._looks += 1
                    see = partial(self._see, self._seen, self._looks, self._asked)
                    await trio.to_thread.run_sync(see, abandon_on_cancel=True, limiter=self._limiter)
        return self.sure

    async def run(self) -> None:
        """Keep up with what is told, until cancelled."""
        while True:
            self._told = trio.Event()
            await self.refresh()
            await self._told.wait()

    def _see(self, before: Seen, number: int, asked: int) -> None:
        """Look, in a thread. A look that nobody waits for any more tells what it found when it ends."""
        self._running.add(number)
        try:
            seen = self._look.see(before, number, asked, partial(self._tell_read, number, before))
            if seen is not before:
                with suppress(trio.RunFinishedError):
                    trio.from_thread.run_sync(self._take, seen)
        finally:
            self._running.discard(number)

    def _tell_read(self, number: int, before: Seen, texts: Mapping[str, ReadText]) -> None:
        left = doubt(number, before.state, texts)
        with suppress(trio.RunFinishedError):
            trio.from_thread.run_sync(self._take_doubt, number, left)

    def _take_doubt(self, number: int, left: CuratedState) -> None:
        if number > max(self._seen.number, 0 if self._doubted is None else self._doubted[0]):
            self._doubted = number, left

    def _take(self, seen: Seen) -> None:
        before = self._seen
        if seen.number > before.number:
            self._seen = seen
            if self._doubted is not None and self._doubted[0] <= seen.number:
                self._doubted = None
            if seen.state is not before.state:
                self.on_changed(before.state, seen.state)
