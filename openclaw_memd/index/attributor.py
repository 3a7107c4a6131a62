"""Says who is behind each line of the files, by the ledger; blocks, so it is used in worker threads."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache, partial
from typing import TypeVar

import apsw
import trio

from openclaw_memd.domain.attribution import KnownLines
from openclaw_memd.domain.provenance import FOREIGN, Origin
from openclaw_memd.domain.sketches import sketch_line
from openclaw_memd.domain.suspicion import Taint, tells_more
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.catalog import FileText, ListedFile
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.found_lines import Found, find_lines
from openclaw_memd.index.ledger.appends import line_counts
from openclaw_memd.index.ledger.lines import (
    FileLines,
    empty_files,
    raise_revision,
    read_revision,
    write_file,
)
from openclaw_memd.index.ledger.losses import awaits_listing, list_lost, settle_loss, settle_lost
from openclaw_memd.index.ledger.spans import leave_files, store_records
from openclaw_memd.index.ledger.taint import note_look, read_looked_at
from openclaw_memd.index.ledger.trusting import apply_late_report, trust_lines
from openclaw_memd.index.origins import Attribution
from openclaw_memd.index.read_lines import ReadLines, Selection, select_lines
from openclaw_memd.index.store import Store, Work
from openclaw_memd.ports import Clock

T = TypeVar("T")


class LedgerAttributor:
    """The ``Attributor`` over the ledger in ``state``.

    A batch of files is one read, and one write when anything changed. ``taint`` tells of network content in
    the sessions' turns; it is called in the event loop.
    """

    def __init__(self, state: Store, analyzer: Analyzer, taint: Callable[[], Taint], clock: Clock) -> None:
        self._state = state
        self._ask_taint = taint
        self._clock = clock
        self._sketch = partial(sketch_line, analyzer=analyzer)
        self._awaits_listing = True
        self._looked_at: datetime | None = None

    def attribute(self, read: Sequence[tuple[ListedFile, FileText]]) -> list[Attribution]:
        """The attribution of each file as it was read, and remember its lines."""
        if not read:
            return []
        texts = [ReadLines(file, text.text.split("\n"), text.state.hash) for file, text in read]
        found = self._read(partial(self._find, texts, self._taint()))
        if not found.is_settled:
            found = self._write(partial(self._settle, texts, found))
        return [text.show(found.files.get(text.path)) for text in texts]

    def peek(self, file: ListedFile, lines: Sequence[str], content_hash: bytes | None = None) -> Attribution:
        """The attribution that ``lines`` would get now; nothing is remembered."""
        text = ReadLines(file, lines, content_hash)
        found = self._read(partial(self._find, [text], self._taint()))
        return text.show(found.files.get(text.path))

    def listed(self, paths: Collection[str]) -> None:
        """Hear which files there are, whether or not they can be read, before any is attributed."""
        if self._awaits_listing and self._read(awaits_listing):
            self._write(partial(list_lost, paths=paths))
        self._awaits_listing = False

    def removed(self, paths: Collection[str]) -> None:
        """Hear that files are gone: their lines may turn up elsewhere."""
        if not paths:
            return

        def leave(connection: apsw.Connection) -> None:
            raise_revision(connection)
            leave_files(connection, paths)
            empty_files(connection, paths)

        self._write(leave)

    def looked(self, at: datetime) -> None:
        """Hear that a look at every file is over, which began ``at``; what had changed is attributed."""
        taint, now = self._taint(), self._clock.now()
        if self._looked_at is None:
            self._looked_at = self._read(read_looked_at)
        if tells_more(taint, self._looked_at, now):
            self._write(partial(note_look, at=at))
            self._looked_at = at

    def trust(self, file: ListedFile, read: FileText, selection: Selection, origin: Origin) -> int:
        """Give the selected lines the ``origin`` that the owner decided on; how many lines changed.

        ``origin`` is agent to raise or untrusted to lower. The decision holds for these lines wherever they
        are moved. A file whose lines changed is to be indexed again, though its bytes are the same.

        Raises:
            InvalidParamsError: the selection is none.
            NotFoundError: no lines have this hash.
            ConflictError: the selected lines are not those that were read.
            UnavailableError: the ledger cannot be written now.
        """
        text = ReadLines(file, read.text.split("\n"), read.state.hash)
        wanted = selection.hash
        counts = () if wanted is None else self._read(partial(line_counts, text_hash=wanted))
        indexes = select_lines(text, selection, counts)
        taint = self._taint()

        def work(connection: apsw.Connection) -> int:
            found = self._settle([text], self._find([text], taint, connection), connection)
            before = found.files.get(text.path)
            if before is None:  # foreign, and nothing was decided yet
                runs = ((0, FOREIGN),) if text.hashes else ()
                before = FileLines(text.path, None, text.content_hash, KnownLines(text.hashes, runs), (), 0)
            raise_revision(connection)
            after = trust_lines(
                connection,
                before,
                indexes,
                origin,
                at=self._clock.now(),
                sketch=text.by_hash(self._sketch),
            )
            settle_loss(connection)
            pairs = zip(before.lines.provenances, after.lines.provenances, strict=True)
            return sum(one != other for one, other in pairs)

        return self._write(work)

    def _find(self, texts: Sequence[ReadLines], taint: Taint, connection: apsw.Connection) -> Found:
        at = self._clock.now()
        return find_lines(connection, texts, taint=taint, sketch=cache(self._sketch), at=at)

    def _settle(self, texts: Sequence[ReadLines], found: Found, connection: apsw.Connection) -> Found:
        """Store what was found, or what is found now if the ledger says something else by now."""
        if found.revision != read_revision(connection):
            found = find_lines(
                connection, texts, taint=found.taint, sketch=found.sketch, at=self._clock.now()
            )
        raise_revision(connection)
        by_path = {text.path: text for text in texts}
        by_hash: dict[bytes, str] = {}
        if found.records.changed:
            for path in found.changed:
                by_hash.update(by_path[path].text_by_hash)
        changed = found.records.changed.values()
        store_records(connection, changed, lambda line_hash: found.sketch(by_hash[line_hash]))
        for path in found.changed:
            write_file(connection, found.files[path])
        settle_lost(connection, found.changed)
        for path in found.reported:
            found.files[path] = apply_late_report(
                connection, found.files[path], sketch=by_path[path].by_hash(found.sketch)
            )
        return found

    def _taint(self) -> Taint:
        return trio.from_thread.run_sync(self._ask_taint)

    def _read(self, work: Work[T]) -> T:
        with _told_apart():
            return trio.from_thread.run(self._state.read, work)

    def _write(self, work: Work[T]) -> T:
        with _told_apart():
            return trio.from_thread.run(self._state.write, work)


@contextmanager
def _told_apart() -> Iterator[None]:
    """Damage of the ledger must not be taken for damage of the index that asks."""
    try:
        yield
    except DamagedError as error:
        raise UnavailableError("the state database is damaged", reason="damaged") from error
