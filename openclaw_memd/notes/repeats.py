"""Calls that come again with the same request key."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from openclaw_memd.index.ledger import appends, request_keys
from openclaw_memd.index.store import Store, Work
from openclaw_memd.notes.types import Appended, answer_from


@dataclass(frozen=True, slots=True)
class RequestKey:
    """A key of one agent for one method; ``key`` is None for a call without one."""

    agent: str
    method: str
    key: str | None

    async def find(self, state: Store, now: datetime) -> Appended | None:
        """The first answer, as things stand now; None for a call that is new."""
        if self.key is None:
            return None
        find = partial(request_keys.find_answer, agent=self.agent, method=self.method, key=self.key, now=now)
        stored = await state.read(find)
        if stored is None:
            return None
        answer = json.loads(stored)
        return await find_call(state, answer["call"], appended=answer["appended"], repeated=True)

    def keep(self, call: int, now: datetime, *, appended: bool) -> Work[None]:
        """What stores that this is to be answered with what became of ``call``."""
        if self.key is None:
            return lambda _connection: None
        answer = json.dumps({"call": call, "appended": appended})
        return partial(
            request_keys.store_answer,
            agent=self.agent,
            method=self.method,
            key=self.key,
            answer=answer,
            now=now,
        )


async def find_call(state: Store, call: int, *, appended: bool, repeated: bool = False) -> Appended | None:
    """The answer for an earlier call; None when it is no longer known."""
    rows = await state.read(partial(appends.rows_of_call, call=call))
    return replace(answer_from(rows, appended=appended), repeated=repeated) if rows else None
