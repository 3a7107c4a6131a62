"""Answers of ``inject.turn`` as long as a turn may be asked again, without a disk on the way to a reply."""

from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final

import structlog
import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.key_turns import KeyTurns
from openclaw_memd.index.ledger.turn_answers import (
    KEPT,
    TurnKey,
    drop_turn,
    drop_turns,
    find_holders,
    find_turn,
    store_turn,
)
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Clock

log = structlog.get_logger("memd.turns")

IN_MEMORY: Final = 256
WAITING: Final = 256


class TurnAnswers:
    """First answers to turns, in memory at once and in the ledger ``state`` soon after.

    Of the last ones an answer can be found while the ledger cannot be used. One that spends something is
    stored by who spends it, in that transaction (``write``).
    """

    def __init__(self, state: Store, clock: Clock) -> None:
        self._state = state
        self._clock = clock
        self._turns = KeyTurns()
        self._recent: OrderedDict[TurnKey, tuple[str, datetime]] = OrderedDict()
        self._send, self._waiting = trio.open_memory_channel[TurnKey](WAITING)

    @asynccontextmanager
    async def alone(self, key: TurnKey) -> AsyncIterator[None]:
        """Be alone with a turn inside the ``with`` block."""
        async with self._turns.alone(key):
            yield

    def find(self, key: TurnKey) -> str | None:
        """What the turn was answered within 24 hours.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        now = self._clock.now()
        recent = self._recent.get(key)
        if recent is not None and recent[1] >= now - KEPT:
            return recent[0]
        return self._state.read_now(lambda connection: find_turn(connection, key, now))

    def keep(self, key: TurnKey, answer: str) -> None:
        """Keep an answer that spent nothing; it reaches the ledger a little later."""
        self.remember(key, answer)
        try:
            self._send.send_nowait(key)
        except trio.WouldBlock:  # it stays in memory for a while: the same question gives much the same
            log.warning("answer of a turn not stored", reason="queue_full")

    def write(self, connection: Any, key: TurnKey, answer: str) -> None:
        """Store an answer in an open transaction of the ledger; ``remember`` it when that is committed."""
        store_turn(connection, key, answer, self._clock.now())

    def remember(self, key: TurnKey, answer: str) -> None:
        """Have an answer in memory that the ledger has."""
        self._recent[key] = answer, self._clock.now()
        self._recent.move_to_end(key)
        while len(self._recent) > IN_MEMORY:
            self._recent.popitem(last=False)

    def drop(self, connection: Any, key: TurnKey) -> None:
        """Forget an answer that did not arrive, in an open transaction of the ledger."""
        self._recent.pop(key, None)
        drop_turn(connection, key)

    def find_holders(
        self, connection: Any, agent: str, part: str, session: str | None = None
    ) -> Sequence[TurnKey]:
        """The turns of an agent, or of one of its sessions, whose answers have ``part`` in them."""
        return find_holders(connection, agent, part, self._clock.now() - KEPT, session)

    async def forget(self) -> None:
        """Forget every answer: they hold text of the memory.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written.
        """
        self._recent.clear()
        await self._state.write(drop_turns)

    async def run(self) -> None:
        """Store what was kept, until cancelled.

        Raises:
            DamagedError: the ledger is damaged.
        """
        async for key in self._waiting:
            kept = self._recent.get(key)
            if kept is None:
                continue
            try:
                await self._state.write(lambda connection: store_turn(connection, key, *kept))  # noqa: B023
            except UnavailableError as error:
                log.warning("answer of a turn not stored", reason=error.reason)
