"""Taking what was said out of sessions, for good."""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from hashlib import blake2b
from itertools import groupby

from openclaw_memd.domain.admission import Exclusion
from openclaw_memd.domain.kinship import lineage
from openclaw_memd.index.ledger.forgotten_sessions import blank_session, drop_messages, message_ids
from openclaw_memd.index.ledger.session_rows import Part, Said, Session, SessionKey, SessionSource
from openclaw_memd.index.ledger.sessions import read_after, read_part
from openclaw_memd.index.ledger.tombstones import (
    Tombstones,
    bury_messages,
    bury_session,
    hash_message,
    sessions_of_participant,
)
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.sessions.book import SessionBook
from openclaw_memd.sessions.messages import Role
from openclaw_memd.sessions.paths import session_paths
from openclaw_memd.sessions.rendering import render_lines

Alone = Callable[[SessionKey], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class SaidToForget:
    """Whole sessions, and the numbers of single messages of others."""

    whole: frozenset[SessionKey] = frozenset()
    messages: Mapping[SessionKey, tuple[int, ...]] = field(default_factory=dict)

    @property
    def keys(self) -> frozenset[SessionKey]:
        """The sessions that lose something."""
        return self.whole | self.messages.keys()


class SessionForgetting:
    """Finds and takes out what is to be forgotten of the sessions in ``book``."""

    def __init__(
        self, store: Store, book: SessionBook, alone: Alone, tell: Callable[[Iterable[str]], None]
    ) -> None:
        self._store = store
        self._book = book
        self._alone = alone
        self._tell = tell

    async def of_participant(self, agent: str, participant: str) -> frozenset[SessionKey]:
        """The sessions of ``agent`` in which somebody wrote, by the sender's id exactly."""
        find = partial(sessions_of_participant, agent=agent, participant=participant)
        return frozenset(await self._store.read(find))

    async def find(
        self,
        sessions: frozenset[SessionKey],
        since: datetime | None,
        takes: Callable[[str], bool] | None,
        *,
        is_everything: bool,
    ) -> SaidToForget:
        """What is to go: ``sessions``, and messages that ``takes`` takes by their text, from ``since`` on.

        With ``is_everything`` all messages from then on; with no ``takes`` no others. It runs in a worker
        thread.
        """
        messages: dict[SessionKey, tuple[int, ...]] = {}
        for session in self._book.known.all():
            key = session.key
            if (key in sessions and since is None) or not session.kept:
                continue
            all_of_it = is_everything or key in sessions
            if not all_of_it and takes is None:
                continue
            numbers = await self._store.read(
                partial(_find_messages, key=key, since=since, takes=None if all_of_it else takes)
            )
            if numbers:
                messages[key] = numbers
        return SaidToForget(sessions if since is None else frozenset(), messages)

    def count(self, what: SaidToForget) -> tuple[int, int]:
        """How many sessions and how many kept messages ``what`` is."""
        known = [session for key in what.whole if (session := self._book.known.get(key)) is not None]
        single = sum(map(len, what.messages.values()))
        whole = [session for session in known if session.kept or session.places]
        return len(whole), single + sum(session.kept for session in known)

    async def bury(self, what: SaidToForget, at: datetime) -> None:
        """From now on nothing of it comes back. That comes first, so that nothing comes between.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written.
        """
        hashes: set[bytes] = set()
        for key, numbers in what.messages.items():
            ids = await self._store.read(partial(message_ids, key=key, numbers=numbers))
            hashes.update(hash_message(key, id_) for id_ in ids)

        def work(connection: Connection) -> None:
            for key in sorted(what.whole):
                bury_session(connection, key, at)
            bury_messages(connection, sorted(hashes))

        await self._book.bury(Tombstones(what.whole, frozenset(hashes)), work)

    async def forget(self, what: SaidToForget) -> None:
        """Take out what was buried. Called again it goes on. Errors as in ``bury``."""
        for key in sorted(what.keys):
            async with self._alone(key):
                revise = _blank if key in what.whole else partial(_drop, numbers=what.messages[key])
                before = await self._book.revise(key, revise)
            if before is not None:
                self._tell(session_paths(before))

    def kin(self, sessions: frozenset[SessionKey]) -> list[SessionKey]:
        """Sessions that descend from one of ``sessions`` and are none of them."""
        known = self._book.known

        def parent_of(agent: str, session_id: str) -> str | None:
            session = known.get(SessionKey(agent, session_id))
            return None if session is None else session.parent

        return [
            session.key
            for session in known.all()
            if session.kept
            and session.key not in sessions
            and any(
                SessionKey(session.agent, id_) in sessions
                for id_ in lineage(session.session_id, partial(parent_of, session.agent))
            )
        ]

    def paths(self, what: SaidToForget) -> list[str]:
        """The documents that lose something."""
        found = [session for key in what.keys if (session := self._book.known.get(key)) is not None]
        return [path for session in found for path in session_paths(session)]

    def from_folders(self, keys: Iterable[SessionKey]) -> list[SessionKey]:
        """Those whose messages come from transcripts."""
        found = [session for key in keys if (session := self._book.known.get(key)) is not None]
        return [session.key for session in found if session.source is SessionSource.FOLDER]


def _blank(connection: Connection, session: Session) -> Session:
    reason = Exclusion.FORGOTTEN.value
    blank_session(connection, session.key, reason)
    return replace(
        session,
        kept=0,
        places=(),
        parts=(),
        exclusions=(),
        excluded=reason,
        turn=replace(session.turn, asker=None),
    )


def _drop(connection: Connection, session: Session, *, numbers: Collection[int]) -> Session:
    """Without the messages of these numbers, and with parts that say so."""
    said = read_after(connection, session.key, 0)
    gone = {piece.seq for piece in said if piece.seq in numbers}
    shortened = [_shorten(connection, session.key, part, gone) for part in session.parts]
    parts = tuple(part for part in shortened if part is not None)
    after = replace(session, kept=session.kept - len(gone), parts=parts)
    drop_messages(connection, session, after, gone, Exclusion.FORGOTTEN.value)
    return after


def _shorten(connection: Connection, key: SessionKey, part: Part, gone: set[int]) -> Part | None:
    said = read_part(connection, key, part.number)
    left = [piece for piece in said if piece.seq not in gone]
    if len(left) == len(said):
        return part
    facts = repr((part.fingerprint, [piece.seq for piece in left])).encode()
    return (
        replace(
            part,
            bytes=sum(map(_rendered_bytes, left)),
            fingerprint=int.from_bytes(blake2b(facts, digest_size=8).digest(), "big") >> 1,
        )
        if left
        else None
    )


def _rendered_bytes(piece: Said) -> int:
    return sum(len(line.encode()) + 1 for line in render_lines(Role(piece.role), piece.text))


def _find_messages(
    connection: Connection,
    *,
    key: SessionKey,
    since: datetime | None,
    takes: Callable[[str], bool] | None,
) -> tuple[int, ...]:
    found = []
    for number, pieces in groupby(read_after(connection, key, 0), key=lambda piece: piece.seq):
        first, *others = pieces
        if since is not None and first.at < since:
            continue
        if takes is None or takes(" ".join(piece.text for piece in (first, *others))):
            found.append(number)
    return tuple(found)
