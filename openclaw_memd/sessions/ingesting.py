"""Taking one transcript's messages into its sessions, with a note of how far it was read."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import msgspec
import trio

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.proofs import Prover
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.index.ledger import transcripts as ledger
from openclaw_memd.index.ledger.session_rows import SessionKey, SessionSource
from openclaw_memd.index.ledger.sessions import find_session
from openclaw_memd.index.ledger.transcripts import Transcript
from openclaw_memd.index.store import Store, Work
from openclaw_memd.sessions.formats.names import TranscriptSkip
from openclaw_memd.sessions.formats.openclaw_index import SessionFacts
from openclaw_memd.sessions.formats.records import Rules
from openclaw_memd.sessions.messages import Message
from openclaw_memd.sessions.reading import Batch, OpenTranscript, Reading, ReadRecord, Spoken, resume

T = TypeVar("T")

_LEFT_OUT: Final = {
    SessionKind.CRON: TranscriptSkip.CRON,
    SessionKind.HEARTBEAT: TranscriptSkip.HEARTBEAT,
}


class Intake(Protocol):
    """Where messages go: the sessions of a workspace. One that the host reports itself is left as it is."""

    async def ingest(
        self,
        caller: Caller,
        messages: Sequence[Message],
        also: Work[None] | None = None,
        *,
        anew: bool = False,
    ) -> object:
        """Take in messages and do ``also`` in one transaction; ``anew`` takes out what there was before."""
        ...

    async def remove(self, key: SessionKey, also: Work[None] | None = None) -> None:
        """Take a session out and do ``also`` in one transaction."""
        ...


@dataclass(frozen=True, slots=True)
class Manner:
    """How a file's records are read. ``name`` names the manner: another one means that all is read anew.

    ``session`` is the session when no record names one, ``facts`` what is known of it, as JSON; ``implied``
    are the facts where nothing is known.
    """

    name: str
    agent: str
    read_record: ReadRecord
    rules: Rules
    session: str
    facts: str | None
    implied: SessionFacts

    @property
    def known(self) -> SessionFacts:
        """The facts."""
        return self.implied if self.facts is None else msgspec.json.decode(self.facts, type=SessionFacts)


class Ingestion:
    """Reads files and stores what they say, one at a time. Work that blocks runs in a thread."""

    def __init__(self, store: Store, intake: Intake, limiter: trio.CapacityLimiter) -> None:
        self._store = store
        self._intake = intake
        self._limiter = limiter

    async def read(
        self,
        opened: OpenTranscript,
        before: Transcript | None,
        start: Transcript,
        manner: Manner,
        *,
        doubted: bool,
        stored: Callable[[Transcript], None],
    ) -> None:
        """Read an open file on from ``before``, or from its beginning where that is not proven any more.

        ``start`` is the file's state when nothing of it was read. ``stored`` hears each state that was
        stored.

        Raises:
            OSError: the file cannot be read. What was read stays.
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        prover: Prover | None = None
        now, stale = start, frozenset[SessionKey]()
        if before is not None and (before.reading, before.facts) == (start.reading, start.facts):
            prover = await self._in_thread(partial(resume, opened, before, doubted=doubted))
        if before is not None and prover is not None:
            now = before
        else:
            stale = await self.sessions_of(start.folder, start.path)
            now = replace(start, left_out=_LEFT_OUT.get(manner.known.kind))
        reading = Reading(
            opened,
            prover or Prover(),
            now,
            name=manner.session,
            read_record=manner.read_record,
            rules=manner.rules,
        )
        last = before
        while (batch := await self._in_thread(reading.next)) is not None:
            last = reading.now = await self._store_batch(batch, manner, stale)
            stored(last)
            stale = frozenset()
        if stale or reading.finish() != last:
            stored(await self._store_batch(Batch((), reading.finish()), manner, stale))

    async def drop(self, folder: str, path: str) -> None:
        """Take out everything that came from a file, and the note of it.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used; called again, it goes on.
        """
        for key in await self.sessions_of(folder, path):
            await self._intake.remove(key, _release(key))
        await self._store.write(partial(ledger.remove_transcript, folder=folder, path=path))

    async def sessions_of(self, folder: str, path: str) -> frozenset[SessionKey]:
        """The sessions that came from a file."""
        found = await self._store.read(partial(ledger.sessions_of, folder=folder, path=path))
        return frozenset(SessionKey(*key) for key in found)

    async def _store_batch(self, batch: Batch, manner: Manner, stale: frozenset[SessionKey]) -> Transcript:
        """Store what a batch says and how far its file is read; what is ``stale`` goes. The file's new state.

        The place in the file moves with the last session of the batch: until then the batch counts as not
        read, and messages that came already are known by their ids.
        """
        after = batch.after
        named: list[tuple[SessionKey, Spoken]] = []
        for spoken in batch.spoken:
            key = await self._key(after, manner, spoken.agent)
            if key is None:
                after = replace(after, left_out=TranscriptSkip.REPORTED)
                break
            named.append((key, spoken))
        if after.left_out is not None:
            named, stale = [], stale | await self.sessions_of(after.folder, after.path)
        for key in sorted(stale.difference(key for key, _ in named)):
            await self._intake.remove(key, _release(key))
        put = partial(ledger.put_transcript, transcript=after)
        for number, (key, spoken) in enumerate(named, start=1):
            await self._intake.ingest(
                _caller(after, manner, key, spoken.agent),
                spoken.messages,
                partial(_note, put=put if number == len(named) else None, after=after, key=key),
                anew=key in stale,
            )
        if not named:
            await self._store.write(put)
        return after

    async def _key(self, after: Transcript, manner: Manner, agent: str | None) -> SessionKey | None:
        """The session that a file's messages go to; None when the host hands them over itself.

        Of two files that name the same session, the second has one with a longer name.
        """
        base = after.session or manner.session
        key = SessionKey(manner.agent, base if agent is None else f"{base}:{agent}")
        known = await self._store.read(partial(find_session, key=key))
        if known is not None and known.source is SessionSource.RPC:
            return None
        claim = partial(ledger.claimant, agent=key.agent, session_id=key.session_id)
        owner = await self._store.read(claim)
        if owner in (None, (after.folder, after.path)):
            return key
        place = digest(after.folder, after.path)[:8]
        return SessionKey(key.agent, f"{key.session_id}~{place}")

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(work, limiter=self._limiter)


def digest(*parts: str) -> str:
    """A short name for ``parts``."""
    joined = "\0".join(parts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(joined).hexdigest()[:20]


def _caller(after: Transcript, manner: Manner, key: SessionKey, agent: str | None) -> Caller:
    """The context of a file's messages. A sub-agent's descend from the session that the file is of."""
    facts = manner.known
    return Caller(
        agent=key.agent,
        session_id=key.session_id,
        parent_session_id=facts.parent if agent is None else after.session,
        session_kind=facts.kind if agent is None else SessionKind.SUBAGENT,
        chat_type=facts.chat_type,
        channel=facts.channel,
    )


def _note(connection: Any, *, put: Work[None] | None, after: Transcript, key: SessionKey) -> None:
    """Store whose a session is, and how far the file is read, or only that there is such a file."""
    if put is None:
        ledger.ensure_transcript(connection, after.folder, after.path)
    else:
        put(connection)
    ledger.claim_session(connection, key.agent, key.session_id, after.folder, after.path)


def _release(key: SessionKey) -> Work[None]:
    return partial(ledger.release_session, agent=key.agent, session_id=key.session_id)
