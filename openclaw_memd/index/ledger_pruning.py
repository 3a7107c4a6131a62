"""Keeping the ledger from growing for ever: once a day what it kept long enough goes."""

from collections.abc import Callable
from functools import partial
from typing import Final

import structlog
import trio

from openclaw_memd.config.schema import History
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.ledger import pruning
from openclaw_memd.index.ledger.preimages import prune_preimages
from openclaw_memd.index.ledger.signal_upkeep import prune_signals
from openclaw_memd.index.ledger.signals import prune_verdicts
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Clock

log = structlog.get_logger("memd.ledger")

INTERVAL_S: Final = 86_400.0
SLICE_ROWS: Final = 200
"""One transaction changes so many: some milliseconds, and others come between."""

FOUND_ROWS: Final = 50_000
"""Messages have no index by age: one look through all of them finds so many."""

Step = Callable[..., int]

_STEPS: Final[tuple[Step, ...]] = (
    pruning.mark_vanished,
    pruning.mark_gone_files,
    pruning.prune_vanished,
    pruning.prune_gone_files,
    prune_signals,
    prune_verdicts,
)


class LedgerPruning:
    """Prunes the ledger ``state``; ``history`` says how long pre-images are kept."""

    def __init__(self, state: Store, clock: Clock, history: History | None = None) -> None:
        self._state = state
        self._clock = clock
        kept = History() if history is None else history
        prune = partial(prune_preimages, keep_days=kept.keep_days, keep_least=kept.keep_least)
        self._steps: tuple[Step, ...] = (*_STEPS, prune)

    async def run(self) -> None:
        """Prune now and every day, until cancelled.

        Raises:
            DamagedError: the ledger is damaged.
        """
        while True:
            try:
                await self.prune()
            except UnavailableError as error:  # nothing is lost by waiting
                log.warning("ledger not pruned", reason=error.reason)
            await trio.sleep(INTERVAL_S)

    async def prune(self) -> None:
        """Note what is gone since the last time, and delete what was gone for long enough.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used; what went is gone.
        """
        now = self._clock.now()
        for step in self._steps:
            while await self._state.write(partial(step, now=now, most=SLICE_ROWS)) == SLICE_ROWS:
                pass
        is_more = True
        while is_more:
            keys = await self._state.read(partial(pruning.find_skipped, now=now, most=FOUND_ROWS))
            is_more = len(keys) == FOUND_ROWS
            for start in range(0, len(keys), SLICE_ROWS):
                some = keys[start : start + SLICE_ROWS]
                await self._state.write(partial(pruning.delete_skipped, now=now, keys=some))
