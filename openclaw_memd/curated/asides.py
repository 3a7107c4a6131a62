"""Versions of curated files that lost their place, and that an editor may still have open.

Each is looked at again after two seconds. Lines that were written to it meanwhile come back into the file, by
a rewrite that the ledger knows, so that they do so once; then it is looked at again. One that nobody wrote to
since the last look goes.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from math import inf
from operator import attrgetter
from secrets import token_hex
from typing import Final, TypeVar

import structlog
import trio

from openclaw_memd.curated.revisions import Draft, Drafting, Rewritten
from openclaw_memd.domain.late_lines import Late, add_late, find_late
from openclaw_memd.domain.stored_text import decode_stored, encode_stored
from openclaw_memd.errors import ConflictError, MemdError
from openclaw_memd.files.curated import drop_beside, find_aside, is_beside_let_go, read_beside
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.ledger import rewrites
from openclaw_memd.index.ledger.rewrites import OpenRewrite
from openclaw_memd.index.store import Store

log = structlog.get_logger("memd.curated")

T = TypeVar("T")

SETTLE_S: Final = 2.0
"""So long after the last write to a version that lost its place nobody is taken to write to it any more."""

ENDING_S: Final = 1.0
CONFLICT_S: Final = 0.25
FIRST_RETRY_S: Final = 1.0
LONGEST_RETRY_S: Final = 60.0

Absorb = Callable[[str, Drafting, Mapping[str, bytes]], Awaitable[Rewritten]]
"""Rewrites a file with lines from versions aside, by their tokens."""


@dataclass(slots=True, eq=False)
class _Aside:
    """``base`` is what is known of its content; ``unsettled`` what the ledger was not told yet: whether the
    rewrite took place. ``seen`` is the content of one that lies nowhere.
    """

    token: str
    file: str
    name: str | None
    base: bytes
    unsettled: bool | None
    due_at: float
    seen: bytes | None = None
    retry_s: float = FIRST_RETRY_S


class Asides:
    """The versions aside of one workspace."""

    def __init__(self, state: Store, roots: Roots, absorb: Absorb, *, settle_s: float) -> None:
        self._state = state
        self._roots = roots
        self._absorb = absorb
        self._settle_s = settle_s
        self._asides: list[_Aside] = []
        self._added = trio.Event()
        self._turn = trio.Lock()
        self._thread = trio.CapacityLimiter(1)

    def add(
        self, token: str, file: str, name: str | None, base: bytes, *, unsettled: bool | None = None
    ) -> None:
        """Keep an eye on what a rewrite left beside its file. ``unsettled`` has what is to be noted first."""
        due_at = trio.current_time() + self._settle_s
        self._asides.append(_Aside(token, file, name, base, unsettled, due_at))
        self._added.set()

    def remember(self, file: str, base: bytes, seen: bytes) -> None:
        """Keep an eye on what an editor made of ``base``, which has its place again.

        Whoever read the file while the new version had the place may save that over it, without those lines.
        """
        if seen != base:
            due_at = trio.current_time() + self._settle_s
            self._asides.append(_Aside(token_hex(8), file, None, base, None, due_at, seen))
            self._added.set()

    async def find(self, rewrite: OpenRewrite) -> None:
        """Keep an eye on what an earlier process left, if it is still there."""
        try:
            name = await self._in_thread(partial(find_aside, self._roots, rewrite.token))
        except OSError:
            name = None
        self.add(rewrite.token, rewrite.file, name, rewrite.base or b"")

    async def run(self) -> None:
        """Look at each when it is time, until cancelled; then those go that nobody has open any more.

        Raises:
            DamagedError: the ledger is damaged.
        """
        try:
            while True:
                self._added = trio.Event()
                with trio.move_on_at(min((aside.due_at for aside in self._asides), default=inf)):
                    await self._added.wait()  # one that comes may be due before those that are there
                await self.look()
        finally:
            with trio.move_on_after(ENDING_S, shield=True), suppress(MemdError, DamagedError, OSError):
                await self.let_go()

    async def let_go(self) -> None:
        """Take away, at once, the versions that nobody can write to any more and nobody wrote to.

        Raises:
            UnavailableError, DamagedError, OSError: the disk or the ledger cannot be used.
        """
        async with self._turn:
            over = [aside for aside in self._asides if await self._is_over(aside)]
            await self._drop(over)

    async def _is_over(self, aside: _Aside) -> bool:
        if aside.name is None or aside.unsettled is not None:
            return False
        if not await self._in_thread(partial(is_beside_let_go, self._roots, aside.name)):
            return False
        content = await self._read(aside)
        return content is None or not find_late(aside.base, content)

    async def look(self) -> None:
        """Look at those that are due. Errors as in ``run``."""
        async with self._turn:
            await self._look()

    async def _look(self) -> None:
        now = trio.current_time()
        due = sorted((aside for aside in self._asides if aside.due_at <= now), key=attrgetter("file"))
        for file, group in groupby(due, key=attrgetter("file")):
            asides = list(group)
            try:
                await self._settle(file, asides)
            except ConflictError:
                self._put_off(asides, CONFLICT_S)
            except (MemdError, OSError) as error:
                log.warning("old version kept", path=file, error_type=type(error).__name__)
                for aside in asides:
                    self._put_off([aside], aside.retry_s)
                    aside.retry_s = min(aside.retry_s * 2, LONGEST_RETRY_S)

    async def settled(self, within_s: float) -> bool:
        """Look at each when it is time, until none is left; whether that came about. Errors as in ``run``."""
        deadline = trio.current_time() + within_s
        while self._asides:
            due_at = min(aside.due_at for aside in self._asides)
            if due_at > deadline:
                return False
            await trio.sleep_until(due_at)
            await self.look()
        return True

    async def _settle(self, file: str, asides: Sequence[_Aside]) -> None:
        over: list[_Aside] = []
        late: list[tuple[_Aside, Late, bytes]] = []
        for aside in asides:
            await self._tell(aside)
            content = await self._read(aside)
            found = Late() if content is None else find_late(aside.base, content)
            if content is not None and found:
                late.append((aside, found, content))
            else:
                over.append(aside)
        await self._drop(over)
        if late:
            await self._bring_back(file, late)

    async def _tell(self, aside: _Aside) -> None:
        if aside.unsettled is True:
            await self._state.write(partial(rewrites.finish_curated, token=aside.token))
        elif aside.unsettled is False:
            work = partial(rewrites.revert_curated, token=aside.token, base=aside.base)
            await self._state.write(work)
        aside.unsettled = None

    async def _read(self, aside: _Aside) -> bytes | None:
        if aside.name is None:
            return aside.seen
        return await self._in_thread(partial(read_beside, self._roots, aside.name))

    async def _drop(self, asides: Sequence[_Aside]) -> None:
        """Take away versions, then what the ledger has of them: a crash between leaves nothing behind."""
        for aside in asides:
            if aside.name is not None:
                await self._in_thread(partial(drop_beside, self._roots, aside.name))
        if asides:
            tokens = [aside.token for aside in asides]
            await self._state.write(partial(rewrites.close_curated, tokens=tokens))
        self._asides = [aside for aside in self._asides if aside not in asides]

    async def _bring_back(self, file: str, late: Sequence[tuple[_Aside, Late, bytes]]) -> None:
        def draft(before: bytes | None) -> Draft | None:
            text = decode_stored(before or b"")
            for _, lines, _ in late:
                text = add_late(text, lines)
            return Draft(encode_stored(text, before))

        bases = {aside.token: content for aside, _, content in late}
        rewritten = await self._absorb(file, draft, bases)
        if not rewritten.changed:  # somebody else brought them
            await self._state.write(partial(rewrites.rebase_curated, bases=bases))
        for aside, lines, content in late:
            log.info("late lines kept", path=file, count=len(lines.lines))
            aside.base = content
            aside.retry_s = FIRST_RETRY_S
        self._put_off([aside for aside, _, _ in late], self._settle_s)

    def _put_off(self, asides: Sequence[_Aside], delay_s: float) -> None:
        for aside in asides:
            if aside in self._asides:
                aside.due_at = trio.current_time() + delay_s

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(work, limiter=self._thread)
