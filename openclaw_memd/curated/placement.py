"""Giving versions of curated files their place, and knowing of each what became of it, also after a crash."""

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import structlog
import trio

from openclaw_memd.curated.asides import Asides
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.curated import (
    Aside,
    Version,
    find_leftover,
    has_exchange,
    put_curated,
    sweep_beside,
)
from openclaw_memd.files.exchange import RevertedError
from openclaw_memd.files.names import CURATED
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.ledger import rewrites
from openclaw_memd.index.ledger.rewrites import NewRewrite, OpenRewrite, RecordLines
from openclaw_memd.index.ledger.tombstones import load_rewrites
from openclaw_memd.index.store import Store

log = structlog.get_logger("memd.curated")

T = TypeVar("T")


class Placement:
    """Gives one version after the other its place. What lies beside a file afterwards goes to ``asides``.

    ``is_weak``: the file system cannot exchange two names.
    """

    def __init__(self, state: Store, roots: Roots, record: RecordLines, asides: Asides) -> None:
        self.is_weak = False
        self._state = state
        self._roots = roots
        self._record = record
        self._asides = asides
        self._thread = trio.CapacityLimiter(1)
        self._made_at_ns = time.time_ns()  # what lies beside a file before that is an earlier process's

    async def load(self) -> None:
        """Finish or undo what the last end of the process cut off.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        self.is_weak = not await self._in_thread(partial(has_exchange, self._roots))
        found = await self._state.read(rewrites.load_curated)
        begun = {rewrite.token for rewrite in found if rewrite.state == "begun"}
        for rewrite in found:
            if rewrite.token in begun:
                await self._resolve(rewrite)
        for rewrite in await self._state.read(rewrites.load_curated):  # what those that took place absorbed
            if rewrite.token not in begun:
                await self._asides.find(rewrite)
        others = await self._state.read(load_rewrites)
        if not any(other.path in CURATED for other in others):
            known = {rewrite.token for rewrite in found}
            await self._in_thread(partial(sweep_beside, self._roots, known, self._made_at_ns))

    async def put(self, rewrite: NewRewrite) -> int:
        """Give a version its place; the id of the pre-image.

        Cancelled before the version has the place, nothing happened; after that it is done to its end, and
        the answer is given all the same.

        Raises:
            ConflictError: the file is another by now.
            DeniedError: a link or the like has its place.
            OSError: the disk cannot be written.
            UnavailableError, DamagedError: the ledger cannot be written.
        """
        begun: list[int] = []

        def commit(inode: int) -> None:
            begun.append(0)
            work = partial(rewrites.begin_curated, new=rewrite, inode=inode, record=self._record)
            begun.append(trio.from_thread.run(self._state.write, work))
            trio.from_thread.check_cancelled()

        version = Version(rewrite.before, rewrite.after, rewrite.token)
        try:
            done = await self._in_thread(partial(put_curated, self._roots, rewrite.file, version, commit))
        except RevertedError as error:
            aside = Aside(error.displaced.aside, is_ours=error.displaced.base is rewrite.after)
            with trio.CancelScope(shield=True):
                await self._note(rewrite.token, rewrite.file, aside, error.displaced.base, took_place=False)
            self._asides.remember(rewrite.file, rewrite.before or b"", error.found)
            if error.failure is not None:
                raise error.failure from None
            raise
        except BaseException:
            if begun:
                with trio.CancelScope(shield=True):
                    await self._recover(rewrite.token)
            raise
        self.is_weak = done.is_weak or (self.is_weak and done.aside is None)
        with trio.CancelScope(shield=True):
            await self._note(rewrite.token, rewrite.file, done.aside, rewrite.before or b"", took_place=True)
        return begun[-1]

    async def _note(
        self, token: str, file: str, aside: Aside | None, base: bytes, *, took_place: bool
    ) -> None:
        """Note what became of a rewrite; what is aside is looked at again, also if that cannot be noted."""
        unsettled: bool | None = None
        try:
            await self._state.write(
                partial(
                    rewrites.conclude_curated,
                    token=token,
                    reverted_to=None if took_place else base,
                    is_over=aside is None,
                )
            )
        except (UnavailableError, DamagedError) as error:
            log.warning("rewrite not noted", path=file, error_type=type(error).__name__)
            unsettled = took_place
        if aside is not None or unsettled is not None:
            name = None if aside is None else aside.name
            self._asides.add(token, file, name, base, unsettled=unsettled)

    async def _recover(self, token: str) -> None:
        """After a failure, see what came of a rewrite."""
        try:
            for rewrite in await self._state.read(partial(rewrites.load_curated, token=token)):
                await self._resolve(rewrite, is_live=True)
        except (UnavailableError, DamagedError) as error:  # the next start does
            log.warning("rewrite not resolved", error_type=type(error).__name__)

    async def _resolve(self, rewrite: OpenRewrite, *, is_live: bool = False) -> None:
        """See what came of a rewrite. ``is_live``: it failed just now, so what is aside would be there."""
        work = partial(
            find_leftover,
            self._roots,
            rewrite.file,
            rewrite.token,
            rewrite.inode,
            is_new=rewrite.before is None,
        )
        try:
            found = await self._in_thread(work)
        except OSError as error:
            log.warning("rewrite not resolved", path=rewrite.file, errno=error.errno)
            return
        is_ours = found.aside is not None and found.aside.is_ours
        base = (rewrite.after if is_ours else rewrite.before) or b""
        took_place = found.took_place and not (is_live and found.aside is None and rewrite.before is not None)
        await self._note(rewrite.token, rewrite.file, found.aside, base, took_place=took_place)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(work, limiter=self._thread)
