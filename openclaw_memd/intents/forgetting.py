"""Forgetting what standing intents say, and what calls were answered with."""

from collections.abc import Callable
from functools import partial
from typing import Any

from openclaw_memd.domain.forgetting import Wanted
from openclaw_memd.domain.intents import Intent
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.index.ledger import intents
from openclaw_memd.index.ledger.request_keys import drop_told
from openclaw_memd.index.store import Store
from openclaw_memd.index.turn_answers import TurnAnswers


class IntentForgetting:
    """Forgets intents of the ledger ``state``: those that a session made, and those that hold a query.

    ``on_forgotten`` hears that some went.
    """

    def __init__(
        self,
        state: Store,
        answers: TurnAnswers,
        analyzer: Analyzer,
        on_forgotten: Callable[[], None] = lambda: None,
    ) -> None:
        self._state = state
        self._answers = answers
        self._analyzer = analyzer
        self._on_forgotten = on_forgotten

    async def count(self, wanted: Wanted) -> int:
        """How many ``forget`` would take now.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        return len(await self._state.read(partial(self._find, wanted=wanted)))

    async def forget(self, wanted: Wanted) -> int:
        """Take what is wanted, whatever its state is; how many went.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written; called again, it goes on.
        """

        def work(connection: Any) -> int:
            numbers = self._find(connection, wanted)
            intents.delete_intents(connection, numbers)
            return len(numbers)

        count = await self._state.write(work)
        if count:
            self._on_forgotten()
        return count

    async def forget_answers(self) -> None:
        """Take every answer that may be given again: any may hold text. Errors as in ``forget``."""
        await self._answers.forget()
        await self._state.write(drop_told)

    def _find(self, connection: Any, wanted: Wanted) -> list[int]:
        return [row.number for row in intents.all_intents(connection) if self._takes(wanted, row.intent)]

    def _takes(self, wanted: Wanted, intent: Intent) -> bool:
        if not wanted.is_recent(intent.created_at, None):
            return False
        if wanted.is_everything or (intent.agent, intent.session_id) in wanted.sessions:
            return True
        return wanted.takes_text("\n".join((intent.description, *intent.keywords)), self._analyzer)
