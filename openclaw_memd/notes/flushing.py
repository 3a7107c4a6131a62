"""Flushes: notes that are saved before a conversation is compacted, with the trust of what was heard."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, Final

import structlog
import trio

from openclaw_memd.config.sections import Flush
from openclaw_memd.domain import flush_plan
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.classification import origin_of_write
from openclaw_memd.domain.flush_plan import FlushRules, FlushState
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.note_names import note_path
from openclaw_memd.domain.provenance import Origin, SessionKind, is_trusted, join
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import InvalidParamsError, UnavailableError
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.ledger import cycles
from openclaw_memd.index.ledger.cycles import CycleKey, CycleRow
from openclaw_memd.index.store import Store, Work
from openclaw_memd.notes.ahead import WriteAhead
from openclaw_memd.notes.drafts import Content, Draft
from openclaw_memd.notes.places import Author, Target
from openclaw_memd.notes.repeats import RequestKey, find_call
from openclaw_memd.notes.telling_apart import ToldApart
from openclaw_memd.notes.turns import Cycle, Turns
from openclaw_memd.notes.types import Appended, FlushPlan
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.notes")

PIN: Final = timedelta(hours=24)
"""How long a cycle goes on, with the day that was planned: over midnight, but a host that never changes its
cycle id must not write to the same day for ever, nor flush only once."""

REMEMBERED_CYCLES: Final = 64
REMEMBERED_CHARS: Final = 4_194_304
"""What was said in cycles that were flushed is kept in memory up to both."""


@dataclass(frozen=True, slots=True)
class FlushRequest:
    """What a host tells when it asks whether to flush."""

    projected_tokens: int
    cycle_id: str
    context_window: int | None = None
    reserve_tokens: int | None = None
    transcript_bytes: int | None = None
    read_only_sandbox: bool = False
    self_compacting: bool = False


class Flushes:
    """Plans and takes flushes of the sessions of one workspace.

    A session's cycle ends with the first text of a flush, but a flush may bring several: what was heard is
    remembered by cycle id, so that all of them have the same trust. After a restart only the worst origin is
    known; then nobody vouches for a line of a tainted cycle.
    """

    def __init__(
        self,
        state: Store,
        ahead: WriteAhead,
        *,
        turns: Turns,
        analyzer: Analyzer,
        clock: Clock,
        zone: Zone,
        settings: Callable[[str], Flush],
        told_apart: ToldApart,
        owner_in_groups: bool,
    ) -> None:
        self._state = state
        self._ahead = ahead
        self._turns = turns
        self._analyzer = analyzer
        self._clock = clock
        self._zone = zone
        self._settings = settings
        self._told_apart = told_apart
        self._owner_in_groups = owner_in_groups
        self._heard: OrderedDict[CycleKey, Cycle] = OrderedDict()

    async def plan(self, caller: Caller | None, request: FlushRequest) -> FlushPlan:
        """Whether the session should flush now, and the prompts for that.

        A plan that is due names the day that flushes of the cycle go to, also after midnight.

        Raises:
            InvalidParamsError: there is no cycle id.
            UnavailableError: the ledger cannot be used.
        """
        key = _cycle_key(caller, request.cycle_id)
        now = self._clock.now()
        async with self._ahead.turn:
            row = await self._find_open(key, now)
            settings = self._settings(key.agent)
            reason = flush_plan.judge_flush(_state_of(caller, request, row), _rules(settings))
            due = flush_plan.is_due(reason)
            day, zone = self._today(now) if due else self._planned_day(row, now)
            if due:
                await self._state.write(partial(cycles.pin_day, key=key, day=day, zone=zone, now=now))
        path = note_path(day, is_trusted=is_trusted(self._base_origin(caller)))
        complete = partial(flush_plan.complete_prompt, path=path, day=day)
        prompt = complete(settings.prompt or flush_plan.DEFAULT_PROMPT)
        return FlushPlan(
            due=due,
            reason=reason,
            path=path,
            system_prompt=complete(settings.system_prompt or flush_plan.DEFAULT_SYSTEM_PROMPT),
            prompt=flush_plan.add_time(prompt, self._zone.at(now), self._zone.label(now)),
            model=settings.model or None,
        )

    async def append(
        self, caller: Caller | None, content: Content | None, cycle_id: str, request_key: str | None
    ) -> Appended:
        """Write ``content`` to the planned day's note; None says that there is nothing to save.

        Raises: as `WriteAhead.accept`, and InvalidParamsError without a cycle id.
        """
        key = _cycle_key(caller, cycle_id)
        request = RequestKey(key.agent, "flush.append", request_key)
        base = self._base_origin(caller)
        async with self._ahead.turn:
            now = self._clock.now()
            if repeat := await request.find(self._state, now):
                return repeat
            row = await self._find_open(key, now)
            heard = await self._hear(caller, key, row)
            flush = _Flush(key, row, *self._planned_day(row, now), heard.origin, now)
            if content is None:
                await self._state.write(flush.take(None))
                path = note_path(flush.day, is_trusted=is_trusted(base))
                result = Appended(path, None, None, base, hash_text(""), False, False, ())
            else:
                # With the origin, so that a text from outside does not keep out the same one of the owner.
                text_hash = hash_text(f"{base}\n{content.whole}")
                if known := await self._find_known(row, text_hash, request, now):
                    return known
                result = await self._ahead.accept(
                    await self._sort(content, base, heard),
                    Target.of_day(flush.day, flush.zone),
                    Author.of(caller),
                    now,
                    lambda call: _in_turn(
                        flush.take((text_hash, call)), request.keep(call, now, appended=True)
                    ),
                )
            await self._end_cycle(key, heard)
        return result

    def forget_heard(self) -> None:
        """Forget what was said in open cycles, as after a restart."""
        self._heard.clear()

    async def _sort(self, content: Content, base: Origin, heard: Cycle) -> list[Draft]:
        if heard.is_clean:
            return await self._told_apart.drafts(content, base)
        if not is_trusted(base):
            return [content.draft(join(base, heard.origin))]
        return content.launder(base, heard.clean_texts, self._analyzer)

    async def _find_open(self, key: CycleKey, now: datetime) -> CycleRow | None:
        """The cycle, unless it is over: then another one begins, though it has the same id."""
        row = await self._state.read(partial(cycles.find_cycle, key=key))
        if row is not None and now - row.planned_at > PIN:
            self._heard.pop(key, None)
            return None
        return row

    async def _find_known(
        self, row: CycleRow | None, text_hash: str, request: RequestKey, now: datetime
    ) -> Appended | None:
        """The answer for a text that is in the cycle already."""
        if row is None:
            return None
        call = await self._state.read(partial(cycles.find_text, cycle=row.id, text_hash=text_hash))
        answer = None if call is None else await find_call(self._state, call, appended=False)
        if answer is not None and call is not None:
            await self._state.write(request.keep(call, now, appended=False))
        return answer

    async def _hear(self, caller: Caller | None, key: CycleKey, row: CycleRow | None) -> Cycle:
        """Everything that this flush is made from. Where that is not known, nobody vouches for anything."""
        if key.session_id is None:
            return Cycle(Origin.UNTRUSTED)
        before = self._heard.get(key)
        if before is None:
            before = Cycle() if row is None else Cycle(row.origin)
        heard = before.followed_by(await self._turns.cycle(key.agent, key.session_id))
        if self._turns.is_tainted(caller) or (caller is not None and caller.tainted):
            heard = heard.followed_by(Cycle(Origin.UNTRUSTED))
        return heard

    async def _end_cycle(self, key: CycleKey, heard: Cycle) -> None:
        """Let the session's next cycle begin. If that fails, the next flush is trusted less, not more."""
        self._heard[key] = heard
        self._heard.move_to_end(key)
        chars = sum(cycle.chars for cycle in self._heard.values())
        while chars > REMEMBERED_CHARS or len(self._heard) > REMEMBERED_CYCLES:
            _, oldest = self._heard.popitem(last=False)
            chars -= oldest.chars
        if key.session_id is None:
            return
        with trio.CancelScope(shield=True):
            try:
                await self._turns.flushed(key.agent, key.session_id, heard.through)
            except (UnavailableError, DamagedError) as error:
                log.warning("flush cycle not ended", error_type=type(error).__name__)

    def _base_origin(self, caller: Caller | None) -> Origin:
        """The origin of what the caller writes, apart from any taint."""
        clean = None if caller is None else replace(caller, tainted=False)
        return origin_of_write(clean, tainted=False, owner_in_groups=self._owner_in_groups)

    def _today(self, now: datetime) -> tuple[date, str]:
        return self._zone.day(now), self._zone.label(now)

    def _planned_day(self, row: CycleRow | None, now: datetime) -> tuple[date, str]:
        return self._today(now) if row is None else (row.day, row.zone)


@dataclass(frozen=True, slots=True)
class _Flush:
    """One flush of a cycle, with the day that it goes to and the worst origin of what was heard."""

    key: CycleKey
    row: CycleRow | None
    day: date
    zone: str
    origin: Origin
    now: datetime

    def take(self, text: tuple[str, int] | None) -> Work[None]:
        """What books it, with the hash of its text and the call that writes it."""
        pin = partial(cycles.pin_day, key=self.key, day=self.day, zone=self.zone, now=self.now)
        known = None if self.row is None else self.row.id
        return lambda connection: cycles.take_flush(
            connection, pin(connection) if known is None else known, self.origin, self.now, text
        )


def _in_turn(first: Work[None], second: Work[None]) -> Work[None]:
    def both(connection: Any) -> None:
        first(connection)
        second(connection)

    return both


def _cycle_key(caller: Caller | None, cycle_id: str) -> CycleKey:
    if not cycle_id.strip():
        raise InvalidParamsError("cycle_id is blank", field="cycle_id", reason="value")
    author = Author.of(caller)
    return CycleKey(author.agent, author.session_id, cycle_id)


def _state_of(caller: Caller | None, request: FlushRequest, row: CycleRow | None) -> FlushState:
    return FlushState(
        projected_tokens=request.projected_tokens,
        context_window=request.context_window,
        reserve_tokens=request.reserve_tokens,
        transcript_bytes=request.transcript_bytes,
        session_kind=SessionKind.UNKNOWN if caller is None else caller.session_kind,
        is_flushed=row is not None and row.is_flushed,
        self_compacting=request.self_compacting,
        read_only_sandbox=request.read_only_sandbox,
    )


def _rules(settings: Flush) -> FlushRules:
    return FlushRules(settings.enabled, settings.soft_tokens, settings.reserve_tokens, settings.force_bytes)
