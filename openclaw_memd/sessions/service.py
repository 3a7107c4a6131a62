"""Sessions: taking messages in, ending, and what is known of them."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

import trio

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.instants import clamp_instant
from openclaw_memd.domain.provenance import Origin, SessionKind, is_trusted
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.files.hints import EVERYTHING
from openclaw_memd.index.ledger.session_rows import Changes, Session, SessionKey, SessionSource
from openclaw_memd.index.ledger.transcripts import release_session
from openclaw_memd.index.store import Store, Work
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.announcing import Announcer
from openclaw_memd.sessions.book import SessionBook
from openclaw_memd.sessions.capturing import Capture
from openclaw_memd.sessions.documents import SessionDocuments
from openclaw_memd.sessions.ending import SessionEnds
from openclaw_memd.sessions.forgetting import SessionForgetting
from openclaw_memd.sessions.hearing import Hearing
from openclaw_memd.sessions.intake import Intake, clean_messages
from openclaw_memd.sessions.known import KnownSessions
from openclaw_memd.sessions.messages import Message
from openclaw_memd.sessions.outcomes import Appended, CaptureWish, Ended, EndReason, SessionSummary
from openclaw_memd.sessions.paths import PartName, format_path
from openclaw_memd.sessions.rendering import has_lone_surrogate
from openclaw_memd.sessions.summaries import LISTED, count_exclusions, list_sessions
from openclaw_memd.sessions.turns import SessionTurns
from openclaw_memd.zones import Zone

MOST_ID_CHARS: Final = 512


class Sessions:
    """The sessions of one workspace. What ``append`` accepted is in the ledger when it answers.

    ``hint`` hears the paths of documents that changed, in the event loop; ``run`` passes on those that it is
    not to hear of at once. ``load`` comes before everything else. ``documents`` are what is to be indexed,
    ``turns`` what the writing of notes depends on, ``forgetting`` takes out what was said, ``hearing`` keeps
    what ``hear`` was told.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        rules: AdmissionRules,
        zone: Zone,
        *,
        archives: bool = False,
        hint: Callable[[frozenset[str]], None] = lambda _: None,
    ) -> None:
        self._known = KnownSessions(rules)
        self._book = SessionBook(store, self._known, clock)
        self._ends = SessionEnds(self._book, clock, zone)
        self._announcer = Announcer(hint)
        self._hint = hint
        self._clock = clock
        self._rules = rules
        self._locks: dict[SessionKey, trio.Lock] = {}
        self.documents = SessionDocuments(store, self._known, archives=archives, zone=zone)
        self.turns = SessionTurns(self._book, clock)
        self.hearing = Hearing(self._book, clock, self._keep_heard)
        self.forgetting = SessionForgetting(store, self._book, self._alone, self._announcer.tell)

    async def load(self) -> None:
        """Read what the ledger knows.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        await self._book.load()

    async def run(self) -> None:
        """Announce changes of large documents, until cancelled."""
        await self._announcer.run()

    def hear(self, caller: Caller | None, origins: Iterable[Origin]) -> None:
        """Memory of these ``origins`` was handed to the caller's session.

        What nobody vouches for taints its turn as a tool's network content does, and the turns of those that
        it descends from. It holds at once; the ledger says so soon after, while ``hearing`` runs.
        """
        if caller is None or caller.session_id is None or all(map(is_trusted, origins)):
            return
        key = SessionKey(caller.agent, caller.session_id)
        self.hearing.hear({key} | self._open(self._known.family(key, caller.parent_session_id)))

    async def append(self, caller: Caller | None, messages: Sequence[Message]) -> Appended:
        """Take in what a host says was said in the session that its context names.

        From then on no transcript adds to the session, or takes anything from it.

        Raises:
            InvalidParamsError: no session is named, or an id or text cannot be one; nothing was taken in.
            UnavailableError, DamagedError: the ledger cannot be written; nothing was taken in.
        """
        caller, key = _named(caller)
        for number, message in enumerate(messages):
            _check_id(message.id, f"messages[{number}].id")
            if has_lone_surrogate(message.text):
                raise _refusal(f"messages[{number}].text", "holds a lone surrogate")
        also = partial(release_session, agent=key.agent, session_id=key.session_id)
        return await self._take_in(caller, key, messages, SessionSource.RPC, also=also if messages else None)

    async def ingest(
        self,
        caller: Caller,
        messages: Sequence[Message],
        also: Work[None] | None = None,
        *,
        anew: bool = False,
    ) -> Appended:
        """Take in messages of a transcript, which happened when they say.

        ``also`` is stored with them in one transaction; ``anew`` takes out what there was of the session
        before. A session that the host reports itself stays as it is. Errors as in ``append``.
        """
        caller, key = _named(caller)
        return await self._take_in(caller, key, messages, SessionSource.FOLDER, also=also, anew=anew)

    async def end(
        self,
        caller: Caller | None,
        reason: EndReason = EndReason.END,
        wish: CaptureWish | None = None,
        capture: Capture | None = None,
    ) -> Ended:
        """End the session that the context names, or note that it is reset or compacted.

        ``capture`` writes the note that is wished. After a reset nothing that came before is shown. A
        compacted session goes on, and its turn too. The note comes first, so that a session whose note cannot
        be written is not ended.

        Raises:
            InvalidParamsError: no session is named.
            UnavailableError, DamagedError: the note or the ledger cannot be written.
        """
        caller, key = _named(caller)
        async with self._alone(key):
            session = self._known.get(key)
            if session is None:
                return Ended(0)
            was_tainted = self._known.taint(self._clock.now()).is_now
            ended = await self._ends.end(caller, session, reason, wish, capture)
        self._tell_calm(was_tainted)
        self._announcer.tell(_paths(session))
        return ended

    async def remove(self, key: SessionKey, also: Work[None] | None = None) -> None:
        """Take a session out of everything; ``also`` is stored in the same transaction.

        One that the host reports itself stays.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written; nothing changed.
        """
        async with self._alone(key):
            session = self._known.get(key)
            if session is not None and session.source is SessionSource.RPC:
                await self._note(key, also)
                return
            await self._book.remove(key, also)
        if session is not None:
            self._announcer.tell(_paths(session))

    def list(
        self, agent: str | None = None, *, limit: int = LISTED, after: SessionKey | None = None
    ) -> tuple[SessionSummary, ...]:
        """The next ``limit`` sessions after ``after``, of one agent or of all, by agent and id."""
        return list_sessions(self._known, agent, limit=limit, after=after)

    def exclusions(self, agent: str | None = None) -> dict[str, int]:
        """How many messages each rule of admission keeps out, of one agent's sessions or of all."""
        return count_exclusions(self._known, agent)

    async def _take_in(
        self,
        caller: Caller,
        key: SessionKey,
        messages: Sequence[Message],
        source: SessionSource,
        *,
        also: Work[None] | None = None,
        anew: bool = False,
    ) -> Appended:
        async with self._alone(key):
            texts = await trio.to_thread.run_sync(clean_messages, messages)
            return await self._store(caller, key, messages, texts, source=source, also=also, anew=anew)

    async def _store(
        self,
        caller: Caller,
        key: SessionKey,
        messages: Sequence[Message],
        texts: Mapping[str, str],
        *,
        source: SessionSource,
        also: Work[None] | None,
        anew: bool,
    ) -> Appended:
        before = self._known.get(key)
        is_reported = before is not None and before.source is SessionSource.RPC
        if source is SessionSource.FOLDER and is_reported:
            await self._note(key, also)
            return Appended(0, (), tainted=False)
        now = self._clock.now()
        self._known.expire(now)
        was_tainted = self._known.taint(now).is_now
        mark = heard_at = self._known.heard_at(key)
        if anew and before is not None and before.turn.tainted and before.turn.active_at is not None:
            # Whoever wrote the transcript anew must not have left out what tainted the turn.
            heard_at = max(before.turn.active_at, heard_at or before.turn.active_at)
        above = self._known.family(key, caller.parent_session_id) - {key}
        ancestry = self._known.ancestry(key, caller.parent_session_id)
        intakes: list[Intake] = []

        def decide(before: Session | None, known: frozenset[str]) -> Changes | None:
            if before is None and not messages and not caller.tainted:
                return None
            intake = Intake(
                _session(before, key, caller, source=source, messages=messages, now=now),
                known,
                texts,
                caller,
                ancestry,
                self._rules,
                now,
                replayed=source is SessionSource.FOLDER,
                heard_at=heard_at,
                is_beneath_taint=any(self._known.turn(one, now).tainted for one in above),
                is_buried=partial(self._known.is_buried, key),
            )
            intakes.append(intake)
            return intake.take(messages)

        ids = [message.id for message in messages]
        after = await self._book.change(key, ids, decide, also, anew=anew)
        if anew and before is not None:
            self._announcer.tell(_paths(before))
        if after is None or not intakes:
            return Appended(0, (), tainted=False)
        if heard_at is not None and self._known.heard_at(key) == mark:
            if source is SessionSource.FOLDER and intakes[-1].heard_at is not None:
                self._known.hear(key, heard_at)  # until the transcript comes to that instant
            elif mark is not None:
                self._known.heard(key, mark)
        self._announce(before, after, intakes[-1].accepted)
        tainted = self._known.turn(key, now).tainted
        if tainted:  # what it brings goes to those that it descends from
            self.hearing.hear(self._open(above))
        self._tell_calm(was_tainted)
        return Appended(intakes[-1].accepted, tuple(intakes[-1].skipped), tainted)

    async def _note(self, key: SessionKey, also: Work[None] | None) -> None:
        """Store ``also`` and nothing else of the session."""
        await self._book.change(key, (), lambda _session, _known: None, also)

    async def _keep_heard(self, key: SessionKey) -> None:
        session = self._known.get(key)
        source = SessionSource.RPC if session is None else session.source
        await self._take_in(Caller(key.agent, key.session_id), key, (), source)

    def _open(self, keys: Iterable[SessionKey]) -> set[SessionKey]:
        """Those of ``keys`` that have not ended, as far as that is known."""
        sessions = ((key, self._known.get(key)) for key in keys)
        return {key for key, session in sessions if session is None or session.ended_at is None}

    def _tell_calm(self, was_tainted: bool) -> None:
        """When no turn is tainted any more, have everything looked at: what changes later is not suspect."""
        if was_tainted and not self._known.taint(self._clock.now()).is_now:
            self._hint(frozenset({EVERYTHING}))

    @asynccontextmanager
    async def _alone(self, key: SessionKey) -> AsyncIterator[None]:
        """Calls for one session come one after another, however long each takes."""
        lock = self._locks.setdefault(key, trio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked() and self._locks.get(key) is lock:
                del self._locks[key]

    def _announce(self, before: Session | None, after: Session, accepted: int) -> None:
        old = frozenset(before.parts) if before else frozenset()
        for part in after.parts:
            if part not in old:
                self._announcer.changed(format_path(PartName(after.key, part.number)), part.bytes, accepted)


def _session(
    before: Session | None,
    key: SessionKey,
    caller: Caller,
    *,
    source: SessionSource,
    messages: Sequence[Message],
    now: datetime,
) -> Session:
    """The session with what the call's context adds to it; what was stated first stays.

    Once the host reports messages, they are what counts.
    """
    if before is None:
        began_at = now
        if source is SessionSource.FOLDER and messages:
            began_at = clamp_instant(messages[0].at, now)
        before = Session(*key, source=source, created_at=began_at, last_at=began_at)
    known_kind = before.kind if before.kind is not SessionKind.UNKNOWN else caller.session_kind
    if source is SessionSource.RPC and messages:
        before = replace(before, source=source)
    return replace(before, parent=before.parent or caller.parent_session_id, kind=known_kind)


def _named(caller: Caller | None) -> tuple[Caller, SessionKey]:
    if caller is None or caller.session_id is None:
        raise InvalidParamsError(
            "context.session_id is missing", field="context.session_id", reason="missing"
        )
    _check_id(caller.session_id, "context.session_id")
    return caller, SessionKey(caller.agent, caller.session_id)


def _check_id(text: str, field: str) -> None:
    if not 0 < len(text) <= MOST_ID_CHARS:
        raise _refusal(field, f"has to have 1 to {MOST_ID_CHARS} characters")
    if has_lone_surrogate(text):
        raise _refusal(field, "holds a lone surrogate")


def _refusal(field: str, what: str) -> InvalidParamsError:
    return InvalidParamsError(f"{field} {what}", field=field, reason="value")


def _paths(session: Session) -> list[str]:
    return [format_path(PartName(session.key, part.number)) for part in session.parts]
