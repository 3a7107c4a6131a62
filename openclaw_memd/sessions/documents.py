"""Sessions as documents of the index."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from typing import Final, NamedTuple

import trio

from openclaw_memd.domain.provenance import FOREIGN, Provenance, Source, Tier
from openclaw_memd.files.catalog import FileState, ListedFile, Skipped, SkipReason, Stamp
from openclaw_memd.index.documents import DocumentText
from openclaw_memd.index.ledger.session_rows import Part, Said, Session
from openclaw_memd.index.ledger.sessions import read_part
from openclaw_memd.index.origins import Attribution
from openclaw_memd.index.store import Store
from openclaw_memd.sessions.known import KnownSessions, Shown
from openclaw_memd.sessions.messages import Role
from openclaw_memd.sessions.paths import PREFIX, PartName, format_path, parse_path
from openclaw_memd.sessions.rendering import render_lines
from openclaw_memd.zones import Zone

_ANY_INSTANT: Final = datetime(2026, 1, 1, tzinfo=UTC)


class _Block(NamedTuple):
    """A piece of a message. It is a run of its own whoever is behind the next one: how trusted text is cut
    into chunks must not depend on what others say in between.
    """

    lines: list[str]
    provenance: Provenance
    day: date


class SessionDocuments:
    """The documents of all known sessions: each part of a session that is not archived, or not yet, is one.

    ``archives`` shows archived parts too. Days are those of ``zone``. What a rule of admission excludes, or
    what belongs to a scheduled run, is not there, whenever it came.
    """

    def __init__(self, store: Store, known: KnownSessions, *, zone: Zone, archives: bool = False) -> None:
        self._store = store
        self._known = known
        self._archives = archives
        self._zone = zone

    def list(self) -> tuple[ListedFile, ...]:
        """Every document there is now, with its stamp, in the order of the paths."""
        view = self._view()
        files = [file for session in self._known.all() for file in self._list_parts(session, view)]
        return tuple(sorted(files, key=lambda file: file.path))

    def read(self, file: ListedFile) -> DocumentText | Skipped:
        """The document's text, rendered from the ledger.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        found = self._find(file.path)
        if found is None:
            return Skipped(file.path, SkipReason.VANISHED)
        session, part, shown = found
        said = trio.from_thread.run(self._store.read, partial(read_part, key=session.key, part=part.number))
        return _document(self._blocks(said, shown), _stamp(part, shown, self._view()))

    def stamp(self, file: ListedFile) -> Stamp | None:
        """What changes whenever the document does; None when it is gone. Answers at once."""
        found = self._find(file.path)
        return None if found is None else _stamp(found[1], found[2], self._view())

    def lines_of(self, path: str, numbers: Collection[int]) -> frozenset[int]:
        """The lines, from 1, of the messages with these numbers in a document; blocks as ``read`` does."""
        found = self._find(path)
        if found is None:
            return frozenset()
        session, part, shown = found
        said = trio.from_thread.run(self._store.read, partial(read_part, key=session.key, part=part.number))
        lines: set[int] = set()
        end = 0
        for piece in said:
            if self._known.provenance(piece, shown) is not None:
                first, end = end + 1, end + len(render_lines(Role(piece.role), piece.text))
                if piece.seq in numbers:
                    lines.update(range(first, end + 1))
        return frozenset(lines)

    def _list_parts(self, session: Session, view: str) -> Iterator[ListedFile]:
        parts = [part for part in session.parts if self._archives or part.number >= session.first_part]
        shown = self._known.show(session) if parts else ()  # most are archived: a look costs those nothing
        if any(shown):
            for part in parts:
                path = format_path(PartName(session.key, part.number))
                yield _listed(path, _stamp(part, shown, view))

    def _find(self, path: str) -> tuple[Session, Part, tuple[Shown | None, ...]] | None:
        name = parse_path(path)
        session = None if name is None else self._known.get(name.key)
        if name is None or session is None:
            return None
        part = next((part for part in session.parts if part.number == name.part), None)
        shown = self._known.show(session)
        if part is None or not any(shown) or not (self._archives or part.number >= session.first_part):
            return None
        return session, part, shown

    def _blocks(self, said: Iterable[Said], shown: tuple[Shown | None, ...]) -> Iterator[_Block]:
        zone: tzinfo | None = None
        for piece in said:
            provenance = self._known.provenance(piece, shown)
            if provenance is not None:
                zone = zone or self._zone.at(piece.at).tzinfo  # to look it up takes long
                lines = render_lines(Role(piece.role), piece.text)
                yield _Block(lines, provenance, piece.at.astimezone(zone).date())

    def _view(self) -> str:
        """What decides about the text of every document, beside what was said."""
        return repr((sorted(self._known.rules.participants), self._zone.label(_ANY_INSTANT)))


def _stamp(part: Part, shown: tuple[Shown | None, ...], view: str) -> Stamp:
    """The inode stands for all that decides about the text beside what was said."""
    return Stamp(
        size=part.bytes,
        mtime_ns=_nanoseconds(part.last_at),
        ctime_ns=part.fingerprint,
        inode=int.from_bytes(_digest(repr((shown, view)))[:8], "big") >> 1,
    )


def _listed(path: str, stamp: Stamp) -> ListedFile:
    return ListedFile(
        path=path,
        source=Source.SESSIONS,
        tier=Tier.SESSION,
        root=PREFIX,
        relative=path.removeprefix(PREFIX),
        evergreen=False,
        stamp=stamp,
    )


def _document(blocks: Iterable[_Block], stamp: Stamp) -> DocumentText:
    lines: list[str] = []
    runs: list[tuple[int, Provenance]] = []
    days: list[tuple[int, date]] = []
    for block in blocks:
        first = len(lines) + 1
        runs.append((first, block.provenance))
        if not days or days[-1][1] != block.day:
            days.append((first, block.day))
        lines += block.lines
    text = "\n".join(lines)
    facts = json.dumps([text, runs, [(first, day.isoformat()) for first, day in days]], default=str)
    state = FileState(
        size=stamp.size,
        mtime_ns=stamp.mtime_ns,
        ctime_ns=stamp.ctime_ns,
        inode=stamp.inode,
        hash=_digest(facts),
    )
    return DocumentText(text, state, Attribution(tuple(runs) or ((1, FOREIGN),)), tuple(days))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1_000
