"""What was recorded of lines, while it is read and changed as a whole. Nothing here is stored."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from openclaw_memd.domain.provenance import Provenance, is_trusted, least_trusted


@dataclass(frozen=True, slots=True)
class Lineage:
    """Which write a record comes from: the append that memd made, the agent and its session, and when."""

    append_id: int | None
    agent: str | None
    session_id: str | None
    recorded_at: datetime


@dataclass(slots=True, eq=False)
class Record:
    """Equal lines of one text that were recorded in one file with one provenance.

    ``recorded`` lines were written or attributed there, ``seen`` of them were found in the file since,
    ``present`` are in it now. ``words`` counts the analysed words of the text. ``decided`` records are what
    the owner said by hand. ``id`` is None until it is stored.
    """

    id: int | None
    path: str
    hash: bytes
    words: int
    provenance: Provenance
    decided: bool
    recorded: int
    seen: int
    present: int
    lineage: Lineage

    @property
    def is_outside(self) -> bool:
        """Whether it is about text that must not be trusted."""
        return not is_trusted(self.provenance.origin)

    @property
    def unused(self) -> int:
        """How many more of its lines the file may hold."""
        return self.recorded - self.present

    @property
    def vanished(self) -> int:
        """How many of its lines were in the file and are not any more."""
        return self.seen - self.present


class Records:
    """The records of some lines; changes are collected in ``changed``.

    It has every record of the hashes and files that it is asked about: whoever makes it sees to that.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.changed: dict[int, Record] = {}
        self._by_hash: dict[bytes, list[Record]] = {}
        self._ids: dict[int, Record] = {}
        for record in records:
            self.load(record)

    def load(self, record: Record) -> Record:
        """Take in a stored record; the one with its id that is here already counts."""
        if record.id is not None:
            known = self._ids.get(record.id)
            if known is not None:
                return known
            self._ids[record.id] = record
        self._by_hash.setdefault(record.hash, []).append(record)
        return record

    def __bool__(self) -> bool:
        return bool(self._by_hash)

    def __contains__(self, line_hash: bytes) -> bool:
        return line_hash in self._by_hash

    def own(self, path: str, line_hash: bytes) -> Iterator[Record]:
        """What was recorded of this line in this file."""
        return (record for record in self._of(line_hash) if record.path == path)

    def elsewhere(self, path: str, line_hash: bytes) -> Iterator[Record]:
        """What was recorded of this line in other files."""
        return (record for record in self._of(line_hash) if record.path != path)

    def vanish(self, path: str, line_hash: bytes, provenance: Provenance) -> Record | None:
        """One line of this provenance is gone from its file; its record, None when nobody recorded it."""
        for record in self.own(path, line_hash):
            if record.present and record.provenance == provenance:
                record.present -= 1
                self._touch(record)
                return record
        return None

    def use(self, record: Record) -> None:
        """A line of ``record`` is in the file."""
        record.present += 1
        record.seen = max(record.seen, record.present)
        self._touch(record)

    def move(self, record: Record, path: str) -> None:
        """A line that vanished from the file of ``record`` is at ``path`` now."""
        self.withdraw(record)
        self.add(path, record.hash, record.words, record.provenance, record.lineage, decided=record.decided)

    def withdraw(self, record: Record) -> None:
        """Forget one of the lines that vanished."""
        record.recorded -= 1
        record.seen -= 1
        self._touch(record)

    def add(
        self,
        path: str,
        line_hash: bytes,
        words: int,
        provenance: Provenance,
        lineage: Lineage,
        *,
        decided: bool = False,
    ) -> None:
        """Record a line that is in the file now."""
        for record in self.own(path, line_hash):
            if (record.provenance, record.decided, record.lineage) == (provenance, decided, lineage):
                record.recorded += 1
                self.use(record)
                return
        made = Record(None, path, line_hash, words, provenance, decided, 1, 1, 1, lineage)
        self._by_hash.setdefault(line_hash, []).append(made)
        self._touch(made)

    def _of(self, line_hash: bytes) -> list[Record]:
        return self._by_hash.get(line_hash, [])

    def _touch(self, record: Record) -> None:
        self.changed[id(record)] = record


def pick(
    records: Iterable[Record], accept: Callable[[Record], object] = lambda _record: True
) -> Record | None:
    """The one that counts among those that ``accept`` takes: a decided one first, then the least trusted."""
    found = [record for record in records if accept(record)]
    found = [record for record in found if record.decided] or found
    if not found:
        return None
    worst = least_trusted(record.provenance for record in found)
    return next(record for record in found if record.provenance == worst)
