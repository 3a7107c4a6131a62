"""Sessions: taking messages in, ending, and what is known of them."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import trio

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.provenance import Origin, is_trusted
from openclaw_memd.files.hints import EVERYTHING
from openclaw_memd.index.ledger.session_rows import SessionKey, SessionSource
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
from openclaw_memd.sessions.intake import clean_messages
from openclaw_memd.sessions.known import KnownSessions
from openclaw_memd.sessions.messages import Message
from openclaw_memd.sessions.naming import check_messages, read_session
from openclaw_memd.sessions.outcomes import Appended, CaptureWish, Ended, EndReason, SessionSummary
from openclaw_memd.sessions.paths import session_paths
from openclaw_memd.sessions.receiving import Receiver
from openclaw_memd.sessions.summaries import LISTED, count_exclusions, list_sessions
from openclaw_memd.sessions.turns import SessionTurns
from openclaw_memd.zones import Zone


class Sessions:
    """The sessions of one workspace. What ``append`` accepted is in the ledger when it answers.

    ``hint`` hears the paths of documents that changed, in the event loop; ``run`` passes on those that it is
    not to hear of at once. ``load`` comes before everything else. ``documents`` are what is to be indexed,
    ``every_document`` is what is kept of sessions, archived ones too,
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
        self._locks: dict[SessionKey, trio.Lock] = {}
        self.documents = SessionDocuments(store, self._known, archives=archives, zone=zone)
        self.every_document = SessionDocuments(store, self._known, archives=True, zone=zone)
        self.turns = SessionTurns(self._book, clock)
        self.hearing = Hearing(self._book, clock, self._keep_heard)
        self._receiver = Receiver(self._book, clock, rules, self._announcer, self.hearing.hear)
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

    @property
    def known(self) -> KnownSessions:
        """What is known of the sessions at once."""
        return self._known

    @property
    def unannounced(self) -> int:
        """How many documents changed that the index was not told of yet."""
        return len(self._announcer.waiting)

    def announce(self) -> None:
        """Tell the index of them now."""
        self._announcer.tell(self._announcer.waiting)

    def hear(self, caller: Caller | None, origins: Iterable[Origin]) -> None:
        """Memory of these ``origins`` was handed to the caller's session.

        The rest of its turn is not kept, for it may repeat that memory. What nobody vouches for taints its
        turn as a tool's network content does, and the turns of those that it descends from. It holds at once;
        the ledger says of a taint soon after, while ``hearing`` runs.
        """
        handed = frozenset(origins)
        if caller is None or caller.session_id is None or not handed:
            return
        key = SessionKey(caller.agent, caller.session_id)
        is_outside = not all(map(is_trusted, handed))
        self._known.recall(key, self._clock.now(), outside=is_outside)
        if not is_outside:
            return
        self.hear_taint(caller)

    def hear_taint(self, caller: Caller) -> None:
        """Network content entered the turn of the caller's session, which is tainted until it ends.

        So are the turns of those that it descends from. It holds at once; the ledger says so soon after.
        """
        if caller.session_id is not None:
            key = SessionKey(caller.agent, caller.session_id)
            family = self._known.family(key, caller.parent_session_id)
            self._known.bring(key, self._clock.now())
            self.hearing.hear({key} | self._known.still_open(family))

    async def append(self, caller: Caller | None, messages: Sequence[Message]) -> Appended:
        """Take in what a host says was said in the session that its context names.

        From then on no transcript adds to the session, or takes anything from it.

        Raises:
            InvalidParamsError: no session is named, or an id or text cannot be one; nothing was taken in.
            UnavailableError, DamagedError: the ledger cannot be written; nothing was taken in.
        """
        caller, key = read_session(caller)
        check_messages(messages)
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
        caller, key = read_session(caller)
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
        caller, key = read_session(caller)
        async with self._alone(key):
            session = self._known.get(key)
            was_tainted = self._is_tainted()
            if session is None:
                if reason is not EndReason.COMPACT:
                    self.hearing.end(key)
                    self._tell_calm(was_tainted)
                return Ended(0)
            ended = await self._ends.end(caller, session, reason, wish, capture)
        self._tell_calm(was_tainted)
        self._announcer.tell(session_paths(session))
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
                await self._book.note(key, also)
                return
            await self._book.remove(key, also)
        if session is not None:
            self._announcer.tell(session_paths(session))

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
            was_tainted = self._is_tainted()
            taken = await self._receiver.receive(
                caller, key, messages, texts, source=source, also=also, anew=anew
            )
            self._tell_calm(was_tainted)
            return taken

    async def _keep_heard(self, key: SessionKey) -> None:
        session = self._known.get(key)
        source = SessionSource.RPC if session is None else session.source
        await self._take_in(Caller(key.agent, key.session_id), key, (), source)

    def _tell_calm(self, was_tainted: bool) -> None:
        """When no turn is tainted any more, have everything looked at: what changes later is not suspect."""
        if was_tainted and not self._is_tainted():
            self._hint(frozenset({EVERYTHING}))

    def _is_tainted(self) -> bool:
        now = self._clock.now()
        self._known.expire(now)
        return self._known.taint(now).is_now

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
