"""Finding damage in the index, and mending it from the files."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final, Literal

import apsw
import structlog
import trio

from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.files.hints import EVERYTHING
from openclaw_memd.index.counters import raise_generation
from openclaw_memd.index.faults import DamagedError, proven
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.inspecting import has_sound_pages, has_sound_words
from openclaw_memd.index.leftovers import set_aside
from openclaw_memd.index.opening import read_identity
from openclaw_memd.index.publishing import Published
from openclaw_memd.ports import Clock

log = structlog.get_logger("memd.index")

CHECK_EVERY_S: Final = 6 * 3600.0

Damage = Literal["none", "text", "pages"]
"""``text``: only the full-text tables contradict the chunks. ``pages``: anything else."""

Repair = Literal["sound", "text_rebuilt", "set_aside", "rebuilt"]


def find_damage(connection: apsw.Connection) -> Damage:
    """Check every page of the database, all text, and every full-text table against its chunks.

    Takes a while: pages may agree with each other though what is in them was changed.
    """
    if not has_sound_pages(connection):
        return "pages"
    try:
        with proven():
            for table in ("identity", "files", "chunks"):
                for _ in connection.execute(f"SELECT * FROM {table}"):
                    pass  # text that is no UTF-8 is found by reading it
    except DamagedError:
        return "pages"
    return "none" if all(has_sound_words(connection, tier) for tier in TrustTier) else "text"


def rebuild_text(connection: apsw.Connection) -> None:
    """Fill the full-text tables from the chunks again."""
    with proven():
        for table in _TEXT_TABLES:
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")


class Repairer:
    """Watches over the index of ``indexer``; ``rebuild`` makes a new one and puts it in place.

    ``aside`` is where the last damaged index lies that had to be replaced.
    """

    def __init__(self, indexer: Indexer, rebuild: Callable[[], Awaitable[object]], clock: Clock) -> None:
        self._indexer = indexer
        self._rebuild = rebuild
        self._clock = clock
        self._turn = trio.Lock()
        self._mended = trio.Event()
        self.aside: Path | None = None

    async def run(self, *, check_every_s: float = CHECK_EVERY_S) -> None:
        """Repair after an unclean end, at each sign of trouble, and every ``check_every_s``, until cancelled.

        Raises:
            UnavailableError: the disk does not allow it now; to be run again later.
        """
        store = self._indexer.store
        if store.unclean or await self._seems_wrong():
            await self.repair()
        while True:
            with trio.move_on_after(check_every_s):
                await _wait_for_either(store.damage, store.moved)
            await self.repair()

    async def differences(self) -> tuple[str, ...]:
        """Names of what the index was made with otherwise than it would be now. Errors as ``Store.read``."""
        identity = await self._indexer.store.read(read_identity)
        return self._indexer.preparer.identity.differences(identity)

    async def _seems_wrong(self) -> bool:
        try:
            return bool(await self.differences())
        except DamagedError:
            return True

    async def check(self) -> None:
        """Look for damage; what there is ``run`` mends, and this waits for it.

        A caller with little time may give up: the mending goes on.
        """
        async with self._turn:
            if await self._find_damage() == "none" and not await self._seems_wrong():
                return
            mended = self._mended
            self._indexer.store.damage.set()
        await mended.wait()

    async def repair(self) -> Repair:
        """Check, mend what is broken, and bring the index up to the files again if anything was.

        Raises:
            UnavailableError: the disk does not allow it.
        """
        async with self._turn:
            try:
                return await self._mend_and_sync()
            finally:
                self._mended.set()
                self._mended = trio.Event()

    async def _mend_and_sync(self) -> Repair:
        store = self._indexer.store
        moved = store.moved.is_set()
        outcome = await self._mend()
        store.forget_damage()
        epoch = store.epoch
        if moved:
            await self._replace_generation()
        if outcome != "sound":
            log.warning("index repaired", outcome=outcome)
        if moved or outcome != "sound":
            await self._indexer.sync()
        if moved and store.epoch == epoch:
            store.forget_move()
        return outcome

    async def _mend(self) -> Repair:
        store = self._indexer.store
        damage = await self._find_damage()
        outcome: Repair = "sound"
        if damage == "text":
            try:
                async with self._indexer.turn:
                    await store.write(rebuild_text)
                damage, outcome = await self._find_damage(), "text_rebuilt"
            except DamagedError:
                damage = "pages"
        if damage != "none":
            await self._set_aside()
            return "set_aside"
        if differing := await self.differences():
            log.info("index made otherwise", fields=differing)
            await self._rebuild()
            return "rebuilt"
        return outcome

    async def _find_damage(self) -> Damage:
        store = self._indexer.store
        try:
            return await store.maintain(find_damage)
        except DamagedError:
            return "pages"

    async def _set_aside(self) -> None:
        store = self._indexer.store
        async with self._indexer.turn:
            self._indexer.hint({EVERYTHING})  # until the sync that follows, nothing is known of any file
            with trio.CancelScope(shield=True):
                await store.exchange(self._put_aside)
                await self._replace_generation()

    def _put_aside(self, path: Path) -> None:
        self.aside = set_aside(path, self._clock.now())

    async def _replace_generation(self) -> None:
        """Go on counting where the index before the present one was."""
        number = partial(raise_generation, to=self._indexer.generation + 1)
        self._indexer.announce(Published(await self._indexer.store.write(number), replaced=True))


async def _wait_for_either(first: trio.Event, second: trio.Event) -> None:
    async with trio.open_nursery() as nursery:

        async def wait(event: trio.Event) -> None:
            await event.wait()
            nursery.cancel_scope.cancel()

        nursery.start_soon(wait, first)
        nursery.start_soon(wait, second)


_TEXT_TABLES: Final = tuple(f"{tier.value}_text" for tier in TrustTier)
