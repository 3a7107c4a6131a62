"""Which intents a message is about by its meaning, as far as their makers asked for that."""

from collections.abc import Mapping
from functools import partial
from typing import Final

import structlog
import trio

from openclaw_memd.domain.trigger_index import TriggerText
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.ledger.intents import find_semantic
from openclaw_memd.injection.trigger_vectors import TriggerVectors, wanted_texts
from openclaw_memd.intents.service import Intents

log = structlog.get_logger("memd.intents")

LEAST_MARGIN: Final = 0.5
"""From which margin on a message is about an intent; see ``TriggerVectors`` for what a margin is.

Measured with both models of the catalogue on 8 intents, 24 paraphrases that share no word with them, 24 near
misses, and 200 lines of chat: of the latter none lies above, the highest at .49. Of the near misses one does
(minilm), of the paraphrases three (multilingual-e5-small) and four (minilm); at .4 one line of chat in 50
would fire one of the eight. So what is meant to be found has to be near, and keywords stay the better way."""

MOST: Final = 256
"""Intents that are compared with a message, the oldest of an agent: OpenClaw's limit."""

WHY: Final = "semantic"
_LOOK_S: Final = 60.0


class IntentMeanings:
    """Compares messages with those of ``intents`` that want it. ``run`` keeps their texts in ``vectors``."""

    def __init__(self, intents: Intents, vectors: TriggerVectors) -> None:
        self._intents = intents
        self._vectors = vectors
        self._texts: Mapping[str, Mapping[int, TriggerText]] = {}

    async def about(self, agent: str, message: str) -> Mapping[int, str]:
        """The numbers of the agent's intents that ``message`` is about by its meaning, each with its why.

        It takes as long as the embedder does, so the caller sets the time; with no model it finds nothing.
        """
        texts = self._texts.get(agent)
        if not texts or not message.strip():
            return {}
        near = await self._vectors.nearest(message, texts)
        return {number: WHY for number, (margin, _) in near.items() if margin >= LEAST_MARGIN}

    async def run(self) -> None:
        """Follow what intents there are, until cancelled."""
        while True:
            changed = self._intents.changed
            try:
                await self.refresh()
            except UnavailableError as error:
                log.warning("intents not read", reason=error.reason)
            with trio.move_on_after(_LOOK_S):
                await changed.wait()

    async def refresh(self) -> None:
        """Read what intents there are.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        rows = await self._intents.state.read(partial(find_semantic, most=MOST))
        texts: dict[str, dict[int, TriggerText]] = {}
        for row in rows:
            intent = row.intent
            phrases = intent.keywords or (intent.description,)
            texts.setdefault(intent.agent, {})[row.number] = TriggerText("", intent.description, phrases)
        self._texts = texts
        every = (text for of_agent in texts.values() for text in of_agent.values())
        self._vectors.want(wanted_texts(every))
