"""Who is behind each line of changed files, from what is known of their lines before and of all records.

A line gets its provenance from the first of these that knows it:

1. the file as it was last seen: lines that did not change keep what they had;
2. a record of this line in this file that no other line uses;
3. a record of the same line elsewhere: the owner's decision or a trusted record moves along with a line that
   vanished there, and a copy of outside text is outside text too;
4. a record of a line that this one is kin to (see ``line_kin``): an edit of outside text stays outside text,
   and what the owner decided about a line of the file holds for the edited line, unless the change itself is
   trusted less;
5. what is known of the change itself (see ``explain_change``).

A line of less than three words is known in its own file only: such lines are alike by chance. Equal lines of
a file have no identity; when some of them go, the most trusted are taken to be gone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Final

from openclaw_memd.domain.line_kin import LEAST_WORDS, LineKin, LineReader
from openclaw_memd.domain.provenance import FOREIGN, HANDWRITTEN, Origin, Provenance, trust_rank
from openclaw_memd.domain.records import Lineage, Record, Records, pick

KEPT_GONE_LINES: Final = 4096

Run = tuple[int, Provenance]


@dataclass(frozen=True, slots=True)
class KnownLines:
    """The lines of a file as they were attributed last, without the blank ones.

    ``runs`` are (first index, provenance), ascending; ``gone`` are handwritten lines that were in the file
    before, the last to go first.
    """

    hashes: Sequence[bytes] = ()
    runs: tuple[Run, ...] = ()
    gone: Sequence[bytes] = ()

    @property
    def provenances(self) -> list[Provenance]:
        """The provenance of each line."""
        found: list[Provenance] = []
        for (first, provenance), (end, _) in pairwise([*self.runs, (len(self.hashes), HANDWRITTEN)]):
            found += [provenance] * (end - first)
        return found


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file whose lines are to be attributed: ``hashes`` of those that are not blank, ``text_at`` gives one.

    ``change`` is the provenance of lines that nothing else explains, ``lineage`` goes with it. Lines of a
    file that is not ``own`` get that one unless something was recorded of them in this very file.
    """

    path: str
    known: KnownLines
    hashes: Sequence[bytes]
    text_at: Callable[[int], str]
    change: Provenance
    lineage: Lineage
    own: bool = True


@dataclass(frozen=True, slots=True)
class AttributedFile:
    """The lines of a file as they are attributed now; ``changed`` are [first, last] indexes of those that
    only the change itself explains.
    """

    lines: KnownLines
    changed: tuple[tuple[int, int], ...]


def explain_change(
    *, reported: Provenance | None, suspect: bool, lost: bool, quarantined: bool
) -> Provenance:
    """The provenance of a changed line that no record explains.

    ``reported`` is that of the turn whose write of the file was reported; ``suspect`` says that the change,
    or a part of it, was not reported and some session's turn was tainted when it may have been made; ``lost``
    that the file is older than the ledger; ``quarantined`` that its name is one of outside notes.
    """
    if lost or suspect:
        return FOREIGN
    found = HANDWRITTEN if reported is None else reported
    if quarantined:
        return replace(found, origin=Origin.UNTRUSTED)
    return found


def attribute_files(
    files: Sequence[ChangedFile], records: Records, reader: LineReader
) -> list[AttributedFile]:
    """Attribute the lines of files that changed together, in order; ``records`` are brought up to date."""
    loose: Counter[bytes] = Counter()
    works = [_Work(file, records, reader, loose) for file in files]
    for work in works:
        work.keep_unchanged()
    return [work.attribute_changed() for work in works]


class _Work:
    """One file at work. ``loose`` counts handwritten lines that vanished from files of the same change."""

    def __init__(
        self, file: ChangedFile, records: Records, reader: LineReader, loose: Counter[bytes]
    ) -> None:
        self._file = file
        self._records = records
        self._reader = reader
        self._loose = loose
        self._found: list[Provenance | None] = []
        self._vanished: list[bytes] = []
        self._lost: list[Record] = []

    def keep_unchanged(self) -> None:
        file = self._file
        if not file.known.hashes:
            self._found = [None] * len(file.hashes)
            return
        before: dict[bytes, list[Provenance]] = defaultdict(list)
        for line_hash, provenance in zip(file.known.hashes, file.known.provenances, strict=True):
            before[line_hash].append(provenance)
        now = Counter(file.hashes)
        for line_hash, provenances in before.items():
            if now[line_hash] < len(provenances):
                provenances.sort(key=lambda provenance: trust_rank(provenance.origin))
            provenances.reverse()  # so that the first is the next to be taken
        for line_hash in file.hashes:
            left = before.get(line_hash)
            self._found.append(left.pop() if left else None)
        for line_hash, provenances in before.items():
            for provenance in provenances:
                self._vanish(line_hash, provenance)

    def attribute_changed(self) -> AttributedFile:
        file = self._file
        if self._is_plain():
            return AttributedFile(
                KnownLines(file.hashes, to_runs([file.change] * bool(file.hashes))),
                ((0, len(file.hashes) - 1),) if file.hashes else (),
            )
        gone = Counter(file.known.gone)
        unexplained = []
        for index, line_hash in enumerate(file.hashes):
            if self._found[index] is not None:
                continue
            self._found[index] = self._find_in_file(line_hash, gone)
            if self._found[index] is None and file.own:
                self._found[index] = self._find_elsewhere(index) or self._find_like(index)
            if self._found[index] is None:
                self._found[index] = self._take_change(index)
                unexplained.append(index)
        lines = KnownLines(file.hashes, to_runs([found for found in self._found if found]), self._gone(gone))
        return AttributedFile(lines, to_ranges(unexplained))

    def _is_plain(self) -> bool:
        """Whether nothing is known that could explain a line and nothing is to be recorded."""
        file = self._file
        return (
            not (file.known.hashes or file.known.gone or self._records or self._loose)
            and self._reader.find_alike is None
            and (file.change == HANDWRITTEN or not file.own)
        )

    def _vanish(self, line_hash: bytes, provenance: Provenance) -> None:
        record = self._records.vanish(self._file.path, line_hash, provenance)
        if record is not None:
            self._lost.append(record)
            return
        if provenance == HANDWRITTEN:
            self._vanished.append(line_hash)
            self._loose[line_hash] += 1

    def _find_in_file(self, line_hash: bytes, gone: Counter[bytes]) -> Provenance | None:
        if line_hash in self._records:
            record = pick(self._records.own(self._file.path, line_hash), lambda record: record.unused)
            if record is not None:
                self._records.use(record)
                return record.provenance
        if gone and gone[line_hash]:
            gone[line_hash] -= 1
            return HANDWRITTEN
        return None

    def _find_elsewhere(self, index: int) -> Provenance | None:
        path, line_hash, record = self._file.path, self._file.hashes[index], None
        if line_hash in self._records:
            record = pick(
                self._records.elsewhere(path, line_hash),
                lambda record: record.words >= LEAST_WORDS and (record.is_outside or record.vanished),
            )
        if record is None:
            if self._loose and self._loose[line_hash] and self._words(index) >= LEAST_WORDS:
                self._loose[line_hash] -= 1
                return HANDWRITTEN
            return None
        if record.vanished:
            self._records.move(record, path)
        else:
            self._records.add(path, line_hash, record.words, record.provenance, record.lineage)
        return record.provenance

    def _find_like(self, index: int) -> Provenance | None:
        if self._reader.find_alike is None:
            return None
        near = self._kin.find(index)
        if near is None:
            return None
        change = self._file.change
        if change != HANDWRITTEN and trust_rank(change.origin) < trust_rank(near.provenance.origin):
            return None  # whoever decided on the line did not see what it became
        decided = near.decided and near.path == self._file.path
        self._record(index, near.provenance, near.lineage, decided=decided)
        return near.provenance

    @cached_property
    def _kin(self) -> LineKin:
        """What lines of the file are kin to."""
        file = self._file
        return LineKin(
            file.path,
            file.text_at,
            before=file.known.hashes,
            now=file.hashes,
            lost=self._lost,
            reader=self._reader,
        )

    def _take_change(self, index: int) -> Provenance:
        change = self._file.change
        if self._file.own and change != HANDWRITTEN:
            self._record(index, change, self._file.lineage)
        return change

    def _record(self, index: int, provenance: Provenance, lineage: Lineage, *, decided: bool = False) -> None:
        path, line_hash = self._file.path, self._file.hashes[index]
        self._records.add(path, line_hash, self._words(index), provenance, lineage, decided=decided)

    def _words(self, index: int) -> int:
        return self._reader.sketch(self._file.text_at(index)).words

    def _gone(self, before: Counter[bytes]) -> list[bytes]:
        """Of what was gone before, what is still; no more than is worth it, but never less than a whole
        change: an editor may empty a file before it writes it.
        """
        left = before.copy()
        older = []
        for line_hash in self._file.known.gone:
            if left[line_hash] > 0:
                left[line_hash] -= 1
                older.append(line_hash)
        return [*self._vanished, *older][: max(KEPT_GONE_LINES, len(self._vanished))]


def to_runs(provenances: Sequence[Provenance]) -> tuple[Run, ...]:
    """Provenances by line as runs of equal ones."""
    runs = []
    first = 0
    for provenance, group in groupby(provenances):
        runs.append((first, provenance))
        first += len(list(group))
    return tuple(runs)


def to_ranges(indexes: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Ascending indexes as ranges, both ends inclusive."""
    ranges: list[tuple[int, int]] = []
    for index in indexes:
        if ranges and ranges[-1][1] == index - 1:
            ranges[-1] = (ranges[-1][0], index)
        else:
            ranges.append((index, index))
    return tuple(ranges)
