"""Taking the messages of a call into a session: decided by what is known, stored, and passed on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.instants import clamp_instant
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.index.ledger.session_rows import Changes, Session, SessionKey, SessionSource
from openclaw_memd.index.store import Work
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.announcing import Announcer
from openclaw_memd.sessions.book import SessionBook
from openclaw_memd.sessions.intake import Intake
from openclaw_memd.sessions.messages import Message
from openclaw_memd.sessions.outcomes import Appended
from openclaw_memd.sessions.paths import session_paths

NOTHING = Appended(0, (), tainted=False)


class Receiver:
    """Takes messages into the sessions of ``book``, which must not be touched meanwhile.

    ``announcer`` hears which documents changed, ``on_taint`` which sessions that one descends from whose turn
    is tainted.
    """

    def __init__(
        self,
        book: SessionBook,
        clock: Clock,
        rules: AdmissionRules,
        announcer: Announcer,
        on_taint: Callable[[Iterable[SessionKey]], None],
    ) -> None:
        self._book = book
        self._known = book.known
        self._clock = clock
        self._rules = rules
        self._announcer = announcer
        self._on_taint = on_taint

    async def receive(
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
        """Store ``messages`` and ``also`` in one transaction; ``texts`` are what can be kept, by id.

        ``anew`` takes out what there was of the session before. Nothing but ``also`` is stored when a
        transcript tells of a session that the host reports itself.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written; nothing was taken in.
        """
        before = self._known.get(key)
        is_reported = before is not None and before.source is SessionSource.RPC
        if source is SessionSource.FOLDER and is_reported:
            await self._book.note(key, also)
            return NOTHING
        now = self._clock.now()
        mark = heard_at = self._known.heard_at(key)
        recalled_at = self._known.recalled_at(key)
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
                recalled_at=recalled_at,
                outside_at=self._known.outside_at(key),
                is_beneath_taint=any(self._known.turn(one, now).tainted for one in above),
                is_buried=partial(self._known.is_buried, key),
            )
            intakes.append(intake)
            return intake.take(messages)

        ids = [message.id for message in messages]
        after = await self._book.change(key, ids, decide, also, anew=anew)
        if anew and before is not None:
            self._announcer.tell(session_paths(before))
        if after is None or not intakes:
            return NOTHING
        intake = intakes[-1]
        if heard_at is not None and self._known.heard_at(key) == mark:
            if source is SessionSource.FOLDER and intake.heard_at is not None:
                self._known.hear(key, heard_at)  # until the transcript comes to that instant
            elif mark is not None:
                self._known.heard(key, mark)
        if recalled_at is not None and intake.recalled_at is None:
            self._known.recalled(key, recalled_at)
        self._announcer.grown(before, after, intake.accepted)
        tainted = self._known.turn(key, now).tainted
        if tainted:  # what it brings goes to those that it descends from
            self._on_taint(self._known.still_open(above))
        return Appended(intake.accepted, tuple(intake.skipped), tainted)


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
