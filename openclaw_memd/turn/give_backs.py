"""Giving back what answers have spent that reached nobody."""

from collections.abc import Sequence
from typing import Final

import structlog
import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.ledger.turn_answers import TurnKey
from openclaw_memd.index.turn_answers import TurnAnswers
from openclaw_memd.intents.firing import Firing

log = structlog.get_logger("memd.turn")

RETRY_S: Final = 1.0


class GiveBacks:
    """Gives fires back and forgets the answers that they were in, so that the turn can be asked anew."""

    def __init__(self, firing: Firing, answers: TurnAnswers) -> None:
        self._firing = firing
        self._answers = answers
        self._lost: dict[TurnKey, Sequence[str]] = {}
        self._woken = trio.Event()

    def note_lost(self, key: TurnKey, tokens: Sequence[str]) -> None:
        """Hear that the answer of a turn was lost, with these fires; they are given back soon."""
        self._lost[key] = tokens
        self._woken.set()

    def note_found(self, key: TurnKey) -> Sequence[str]:
        """Hear that the answer is given after all: its fires stay spent. Those that it had been lost with."""
        return self._lost.pop(key, ())

    async def give_back(self, key: TurnKey, tokens: Sequence[str]) -> None:
        """Give them back now, or soon where the ledger cannot be written.

        Raises:
            DamagedError: the ledger is damaged.
        """
        if not await self._release(key, tokens):
            self.note_lost(key, tokens)

    async def run(self) -> None:
        """Give back what was lost, until cancelled.

        Raises:
            DamagedError: the ledger is damaged.
        """
        while True:
            await self._woken.wait()
            self._woken = trio.Event()
            for key in [*self._lost]:
                async with self._answers.alone(key):  # who asks again waits, or was there before
                    tokens = self._lost.pop(key, None)
                    if tokens is not None and not await self._release(key, tokens):
                        self._lost.setdefault(key, tokens)
            if self._lost:
                await trio.sleep(RETRY_S)  # meanwhile who asks again is answered
                self._woken.set()

    async def _release(self, key: TurnKey, tokens: Sequence[str]) -> bool:
        try:
            await self._firing.release(
                key.agent, tokens, also=lambda connection, _tokens: self._answers.drop(connection, key)
            )
        except UnavailableError as error:
            log.warning("fires not given back yet", reason=error.reason)
            return False
        return True
