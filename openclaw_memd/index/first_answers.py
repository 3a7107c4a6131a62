"""The first answers to request keys, and whose turn it is to find one out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

from openclaw_memd.index.key_turns import KeyTurns
from openclaw_memd.index.ledger.request_keys import find_answer, store_answer
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Clock


class AnswerKey(NamedTuple):
    """A key that a caller gave, which holds for one agent and method."""

    agent: str
    method: str
    key: str


class FirstAnswers:
    """What was answered first, in the ledger ``state``."""

    def __init__(self, state: Store, clock: Clock) -> None:
        self._state = state
        self._clock = clock
        self._turns = KeyTurns()

    @asynccontextmanager
    async def turn(self, agent: str, method: str, key: str) -> AsyncIterator[AnswerKey]:
        """Be alone with a key, which holds inside the ``with`` block."""
        wanted = AnswerKey(agent, method, key)
        async with self._turns.alone(wanted):
            yield wanted

    async def find(self, key: AnswerKey) -> str | None:
        """What was kept for the key within 24 hours.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        now = self._clock.now()
        return await self._state.read(partial(find_answer, **key._asdict(), now=now))

    async def keep(self, key: AnswerKey, answer: str) -> None:
        """Keep an answer. Errors as in ``find``."""
        now = self._clock.now()
        await self._state.write(partial(store_answer, **key._asdict(), answer=answer, now=now))
