"""Composes what one message brings along: ``inject.turn``.

Nothing here may hold up a reply. Each part has its share of the time; one that fails or is late is left out
and named, and the rest is answered. What spends something comes last, in one transaction with the answer.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import msgspec
import structlog
import trio

from openclaw_memd.config.sections import Intents
from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedEntry, CuratedState
from openclaw_memd.domain.audience import Injection
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.curated_files import MEMORY
from openclaw_memd.domain.eligibility import why_not
from openclaw_memd.domain.escalation import (
    Escalation,
    EscalationReason,
    EscalationRules,
    decide_escalation,
)
from openclaw_memd.domain.framing import frame_triggers
from openclaw_memd.domain.keys import join_parts
from openclaw_memd.domain.project_block import ProjectMemory, project_block
from openclaw_memd.domain.spoken import spoken_text
from openclaw_memd.index.ledger.turn_answers import TurnKey
from openclaw_memd.index.turn_answers import TurnAnswers
from openclaw_memd.injection.bootstrap import Bootstrap
from openclaw_memd.injection.projects import ProjectScopes
from openclaw_memd.injection.shown import excerpt_of
from openclaw_memd.injection.triggers import Triggers
from openclaw_memd.intents.firing import Fired, Firing
from openclaw_memd.intents.reminders import Reminders
from openclaw_memd.ports import Clock
from openclaw_memd.turn.drafts import LOOK_SHARE, Draft, Part, Reply, TurnRequest, show_turn
from openclaw_memd.turn.give_backs import GiveBacks
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.turn")

_NOBODY: Final = Escalation(run=False, reason=EscalationReason.NOT_INTERACTIVE)


@dataclass(frozen=True, slots=True)
class LaneOne:
    """What needs no model: the curated core and what is chosen from it."""

    core: CuratedCore
    triggers: Triggers
    projects: ProjectScopes
    bootstrap: Bootstrap


class Turns:
    """Answers the turns of one agent."""

    def __init__(
        self,
        lane: LaneOne,
        firing: Firing,
        reminders: Reminders,
        answers: TurnAnswers,
        give_backs: GiveBacks,
        *,
        intents: Intents,
        escalation: EscalationRules,
        clock: Clock,
        zone: Zone,
    ) -> None:
        self._lane = lane
        self._firing = firing
        self._reminders = reminders
        self._answers = answers
        self._give_backs = give_backs
        self._intents = intents
        self._escalation = escalation
        self._clock = clock
        self._zone = zone

    async def answer(self, request: TurnRequest) -> Reply:
        """The answer with the contract's names; that of a turn that was answered before is the same.

        It comes by the deadline with what there is; when it would come later, nothing is spent.
        """
        key = _key_of(request)
        if key is None:
            return await self._compose(request, None)
        async with self._answers.alone(key):
            with _unless_broken():
                if (first := self._answers.find(key)) is not None:
                    return self._reply(key, msgspec.json.decode(first), self._give_backs.note_found(key))
            return await self._compose(request, key)

    async def release(self, caller: Caller | None, agent: str, tokens: Sequence[str]) -> int:
        """Give back fires of answers that ``caller`` got, the operator any; of how many that was done.

        Their answers are forgotten, so that the same turn is answered anew.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written.
        """
        audience = None if caller is None else _audience_of(caller)

        def choose(connection: Any, tokens: Sequence[str]) -> Sequence[str]:
            if caller is None:
                return tokens
            if audience is None:
                return ()
            return [
                token for token in tokens if self._answers.find_holders(connection, agent, token, audience)
            ]

        def forget(connection: Any, tokens: Sequence[str]) -> None:
            for token in tokens:
                for key in self._answers.find_holders(connection, agent, token):
                    self._answers.drop(connection, key)

        return await self._firing.release(agent, tokens, only=choose, also=forget)

    async def _compose(self, request: TurnRequest, key: TurnKey | None) -> Reply:
        draft = Draft(
            request, spoken_text(request.text), started_at=trio.current_time(), began=self._clock.monotonic()
        )
        await self._part(draft, "projects", self._find_projects)
        if request.view.injection is Injection.ALL:
            await self._part(draft, "triggers", self._find_triggers)
            await self._part(draft, "project", self._find_project_memory)
        await self._part(draft, "files", self._find_changes)
        await self._part(draft, "reminders", self._find_reminders)
        await self._part(draft, "intents", self._find_intents)
        if key is None:
            return Reply(self._finish(draft, ()))
        if draft.found.whys and (reply := await self._spend_in_time(draft, key)) is not None:
            return reply
        answer = self._finish(draft, ())
        self._answers.keep(key, msgspec.json.encode(answer).decode())
        return Reply(answer)

    async def _part(self, draft: Draft, name: Part, work: Callable[[Draft, float], Awaitable[None]]) -> None:
        """Do a part of the work within its share of the time; without it the others are answered."""
        until_at = draft.share_from(trio.current_time())
        with trio.move_on_at(until_at) as scope, _unless_broken(name, draft):
            await work(draft, until_at)
        if scope.cancelled_caught:
            draft.degraded.append(name)

    async def _find_projects(self, draft: Draft, _until_at: float) -> None:
        draft.projects = await self._lane.projects.active(draft.request.caller)

    async def _find_triggers(self, draft: Draft, until_at: float) -> None:
        state = await self._look(draft, until_at)
        hits = await self._lane.triggers.match(
            draft.spoken, active_projects=draft.projects, deadline_at=until_at, state=state
        )
        block = frame_triggers([excerpt_of(hit.entry) for hit in hits])
        draft.triggers = [hits[index] for index in block.shown]
        draft.trigger_block = block.text

    async def _find_project_memory(self, draft: Draft, until_at: float) -> None:
        if not draft.projects:
            return
        state = await self._look(draft, until_at)
        told = {hit.entry.citation for hit in draft.triggers}
        memory = state.files.get(MEMORY)
        entries = () if memory is None else memory.entries
        draft.project_block = project_block(
            [
                ProjectMemory(excerpt_of(entry), entry.entry.annotations.importance)
                for entry in entries
                if entry.entry.annotations.projects  # few have any, and there may be many entries
                and self._is_of_projects(entry, draft.projects)
                and entry.citation not in told
            ]
        ).text

    async def _look(self, draft: Draft, until_at: float) -> CuratedState:
        """The curated files, looked at once for each message; with no time left as far as they are sure."""
        if draft.curated is None:
            now = trio.current_time()
            draft.curated = await self._lane.core.refresh(now + (until_at - now) * LOOK_SHARE)
        return draft.curated

    def _is_of_projects(self, entry: CuratedEntry, projects: Sequence[str]) -> bool:
        return why_not(entry, active_projects=projects, today=self._zone.day(self._clock.now())) is None

    async def _find_changes(self, draft: Draft, until_at: float) -> None:
        request = draft.request
        if request.known:
            draft.refreshed = await self._lane.bootstrap.changed(
                request.view,
                request.known,
                active_projects=draft.projects,
                deadline_at=until_at,
                state=await self._look(draft, until_at),
            )

    async def _find_reminders(self, draft: Draft, _until_at: float) -> None:
        caller = draft.request.caller
        if caller is not None:
            draft.reminders = await self._reminders.due(caller, caller.agent, self._intents.per_turn)

    async def _find_intents(self, draft: Draft, _until_at: float) -> None:
        caller = draft.request.caller
        if caller is not None and self._intents.per_turn:
            draft.found = await self._firing.find(caller, draft.spoken)

    async def _spend_in_time(self, draft: Draft, key: TurnKey) -> Reply | None:
        """Fire what was found; None, with nothing spent, when the ledger is not written by the deadline."""
        if trio.current_time() < draft.cutoff_at:
            with trio.move_on_at(draft.request.deadline_at), _unless_broken("intents", draft):
                return await self._spend(draft, key)
        if "intents" not in draft.degraded:
            draft.degraded.append("intents")
        return None

    async def _spend(self, draft: Draft, key: TurnKey) -> Reply:
        """Fire what was found. When the answer cannot be given in time any more, all of it is given back."""
        caller = draft.request.caller
        if caller is None:
            raise RuntimeError("only a caller fires anything")
        answers: list[Mapping[str, Any]] = []

        def finish(connection: Any, fired: Sequence[Fired]) -> None:
            answers[:] = [self._finish(draft, fired)]
            self._answers.write(connection, key, msgspec.json.encode(answers[0]).decode())

        fired = await self._firing.fire(caller, draft.found, most=self._intents.per_turn, finish=finish)
        tokens = [one.token for one in fired]
        try:
            await trio.lowlevel.checkpoint_if_cancelled()
        except trio.Cancelled:  # the caller was told that its time is over
            with trio.CancelScope(shield=True):
                await self._give_backs.give_back(key, tokens)
            raise
        self._answers.remember(key, msgspec.json.encode(answers[0]).decode())
        return self._reply(key, answers[0], tokens)

    def _reply(self, key: TurnKey, answer: Mapping[str, Any], tokens: Sequence[str]) -> Reply:
        """The answer, with which fires go back if it is lost."""
        return Reply(answer, partial(self._give_backs.note_lost, key, tokens) if tokens else None)

    def _finish(self, draft: Draft, fired: Sequence[Fired]) -> Mapping[str, Any]:
        """The answer as it is now; also from a worker thread."""
        escalation = _NOBODY
        if draft.request.caller is not None:
            escalation = decide_escalation(
                self._escalation, draft.request.caller, draft.spoken, strong_hit=bool(draft.triggers)
            )
        took_ms = (self._clock.monotonic() - draft.began) * 1000
        return show_turn(draft, fired, escalation, took_ms=took_ms)


@contextmanager
def _unless_broken(part: Part | None = None, draft: Draft | None = None) -> Iterator[None]:
    """Go on without a part that fails, whatever the fault is: a reply waits for the others."""
    try:
        yield
    except Exception as error:
        log.warning("a part of a turn failed", kind=part or "turn", reason=type(error).__name__)
        if draft is not None and part is not None:
            draft.degraded.append(part)


def _key_of(request: TurnRequest) -> TurnKey | None:
    """What the turn is known by; None where the context names no session and no conversation."""
    caller = request.caller
    if caller is None or (audience := _audience_of(caller)) is None:
        return None
    return TurnKey(caller.agent, audience, request.turn_id)


def _audience_of(caller: Caller) -> str | None:
    """Whom an answer is for: with the same ids in another chat, for another sender or in another kind of
    session it is another."""
    if (session := caller.session_id or caller.writer) is None:
        return None
    sender = caller.sender
    place = (session, caller.writer or "", caller.session_kind, caller.chat_type)
    return join_parts(*place, sender.id or "", str(sender.is_owner))
