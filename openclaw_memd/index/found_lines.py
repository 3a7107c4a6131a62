"""What becomes of the lines of files by what the ledger knows of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

import apsw

from openclaw_memd.domain.attribution import (
    AttributedFile,
    ChangedFile,
    KnownLines,
    attribute_files,
    explain_change,
)
from openclaw_memd.domain.line_kin import Alike, LineReader
from openclaw_memd.domain.provenance import FOREIGN
from openclaw_memd.domain.records import Lineage, Records
from openclaw_memd.domain.sketches import Sketch
from openclaw_memd.domain.suspicion import Taint, is_suspect
from openclaw_memd.files.names import NOTES
from openclaw_memd.index.ledger.lines import FileLines, read_files, read_revision
from openclaw_memd.index.ledger.losses import read_lost
from openclaw_memd.index.ledger.reports import Reports, find_reports, read_last_reports
from openclaw_memd.index.ledger.spans import (
    find_alike,
    has_sketches,
    has_spans,
    read_keys,
    read_sketches,
    spans_of,
)
from openclaw_memd.index.ledger.taint import read_looked_at
from openclaw_memd.index.ledger.trusting import has_late_report
from openclaw_memd.index.origins import is_own
from openclaw_memd.index.read_lines import ReadLines

QUARANTINE_SUFFIX: Final = "-untrusted.md"

MANY_LINES: Final = 256
KEYS_IN_MEMORY: Final = 300_000
"""For many lines at once the keys of sketches are read first, if there are no more, to spare look-ups."""


@dataclass(slots=True)
class Found:
    """What came out for a batch at one ``revision`` of the ledger.

    ``files`` are all that the ledger speaks of, ``changed`` those that are to be stored, ``reported`` those
    whose last change may have been reported since.
    """

    revision: int
    taint: Taint
    files: dict[str, FileLines]
    changed: tuple[str, ...]
    reported: tuple[str, ...]
    sketch: Callable[[str], Sketch]
    records: Records

    @property
    def is_settled(self) -> bool:
        """Whether nothing is to be stored."""
        return not self.changed and not self.reported


def find_lines(
    connection: apsw.Connection,
    texts: Sequence[ReadLines],
    *,
    taint: Taint,
    sketch: Callable[[str], Sketch],
    at: datetime,
) -> Found:
    """Attribute what changed in ``texts`` since they were last attributed; nothing is stored.

    ``taint`` tells of network content in the sessions' turns. ``sketch`` should remember what it made.
    """
    paths = [text.path for text in texts]
    known = read_files(connection, paths)
    changed = [text for text in texts if text.is_noted(known) and not text.is_same(known.get(text.path))]
    changed_paths = {text.path for text in changed}
    last_reports = read_last_reports(connection, paths)
    found = Found(
        revision=read_revision(connection),
        taint=taint,
        files=known,
        changed=tuple(text.path for text in changed),
        reported=tuple(
            path
            for path in last_reports
            if path in known and path not in changed_paths and has_late_report(connection, known[path])
        ),
        sketch=sketch,
        records=Records(),
    )
    if changed:
        lineage = Lineage(None, None, None, at)
        lost = read_lost(connection, found.changed)
        suspect = is_suspect(taint, read_looked_at(connection), at)
        files = [
            _changed_file(
                connection,
                text,
                known.get(text.path),
                suspect=suspect,
                lost=text.path in lost,
                is_reported=text.path in last_reports,
                lineage=lineage,
            )
            for text in changed
        ]
        if has_spans(connection):
            found.records = Records(spans_of(connection, _differing(files), found.changed))
        reader = _reader(connection, found, files)
        attributed = attribute_files(files, found.records, reader)
        for text, one in zip(changed, attributed, strict=True):
            known[text.path] = _file_lines(text, known.get(text.path), one, last_reports.get(text.path, 0))
    return found


def _reader(connection: apsw.Connection, found: Found, files: Sequence[ChangedFile]) -> LineReader:
    if not has_sketches(connection):
        return LineReader(found.sketch, None, lambda _hashes: {})
    has_many = len(_differing(files)) > MANY_LINES
    keys = read_keys(connection, most=KEYS_IN_MEMORY) if has_many else None

    def find_alike_records(line: str) -> list[Alike]:
        wanted = found.sketch(line)
        if not wanted.words or (keys is not None and keys.isdisjoint(wanted.shingles)):
            return []
        alike = dict(find_alike(connection, wanted))
        records = map(found.records.load, spans_of(connection, alike.keys(), found.changed))
        return [Alike(record, alike[record.hash]) for record in records]

    return LineReader(found.sketch, find_alike_records, partial(read_sketches, connection))


def _changed_file(
    connection: apsw.Connection,
    text: ReadLines,
    known: FileLines | None,
    *,
    suspect: bool,
    lost: bool,
    is_reported: bool,
    lineage: Lineage,
) -> ChangedFile:
    reports = _reports(connection, text, known, is_reported=is_reported)
    write = reports.worst
    own = is_own(text.file)
    change = explain_change(
        reported=reports.provenance,
        suspect=suspect and not reports.is_whole,
        lost=lost,
        quarantined=is_quarantined(text.path),
    )
    return ChangedFile(
        path=text.path,
        known=KnownLines() if known is None else known.lines,
        hashes=text.hashes,
        text_at=lambda index: text.texts[index],
        change=change if own else FOREIGN,
        lineage=lineage if write is None else write.lineage,
        own=own,
    )


def _reports(
    connection: apsw.Connection, text: ReadLines, known: FileLines | None, *, is_reported: bool
) -> Reports:
    """What was reported of the change; where ``is_reported`` is False nothing ever was of this file."""
    before, since = (None, 0) if known is None else (known.content_hash, known.last_report)
    if not is_reported:
        return Reports(None, 0, is_whole=before == text.content_hash)
    return find_reports(connection, text.path, before, text.content_hash, since=since)


def _file_lines(text: ReadLines, known: FileLines | None, found: AttributedFile, report: int) -> FileLines:
    before = None if known is None else known.content_hash
    return FileLines(text.path, before, text.content_hash, found.lines, found.changed, report)


def _differing(files: Iterable[ChangedFile]) -> set[bytes]:
    """The lines that came or went."""
    found: set[bytes] = set()
    for file in files:
        if not file.known.hashes:
            found.update(file.hashes)
            continue
        before, now = Counter(file.known.hashes), Counter(file.hashes)
        found.update(before - now, now - before)
    return found


def is_quarantined(path: str) -> bool:
    """Whether the name says that the file holds outside notes."""
    return path.startswith(f"{NOTES}/") and path.casefold().endswith(QUARANTINE_SUFFIX)
