"""A ledger of lines in memory, with files that are attributed again and again."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

from openclaw_memd.domain import sketches
from openclaw_memd.domain.attribution import (
    AttributedFile,
    ChangedFile,
    KnownLines,
    attribute_files,
)
from openclaw_memd.domain.line_hashes import hash_line, normalize_line
from openclaw_memd.domain.line_kin import Alike, LineReader
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, Provenance, SessionKind
from openclaw_memd.domain.records import Lineage, Record, Records
from openclaw_memd.domain.sketches import Sketch
from openclaw_memd.domain.text import Analyzer

AGENT = Provenance(Origin.AGENT, SessionKind.INTERACTIVE, "session:1")
CRON = Provenance(Origin.AGENT, SessionKind.CRON, "session:2")
SYSTEM = Provenance(Origin.SYSTEM, SessionKind.HEARTBEAT, "session:3")
WEB = Provenance(Origin.UNTRUSTED, SessionKind.INTERACTIVE, "session:4")
NO_LINEAGE = Lineage(None, None, None, datetime(2026, 1, 11, tzinfo=UTC))

ANALYZER = Analyzer()


sketch_line = partial(sketches.sketch_line, analyzer=ANALYZER)


class LineLedger:
    """What one workspace's ledger would hold."""

    def __init__(self) -> None:
        self.records = Records()
        self.known: dict[str, KnownLines] = {}
        self._every: list[Record] = []
        self._sketches: dict[bytes, Sketch] = {}

    def record(
        self, path: str, lines: Iterable[str], provenance: Provenance, *, decided: bool = False
    ) -> None:
        """Lines that are going to be written to ``path``."""
        for line in lines:
            made = sketch_line(line)
            self._sketches[hash_line(line)] = made
            record = Record(None, path, hash_line(line), made.words, provenance, decided, 1, 0, 0, NO_LINEAGE)
            self._every.append(self.records.load(record))

    def look(
        self,
        files: Mapping[str, Sequence[str]],
        *,
        change: Provenance = HANDWRITTEN,
        own: bool = True,
    ) -> dict[str, dict[str, Provenance]]:
        """Attribute files that changed together: the provenance of each line, by file and text."""
        return {
            path: dict(zip(_texts(files[path]), found, strict=True))
            for path, found in self.look_at_lines(files, change=change, own=own).items()
        }

    def look_at_lines(
        self,
        files: Mapping[str, Sequence[str]],
        *,
        change: Provenance = HANDWRITTEN,
        own: bool = True,
    ) -> dict[str, list[Provenance]]:
        """The provenance of each line that is not blank."""
        return {
            path: found.lines.provenances
            for path, found in self.attribute(files, change=change, own=own).items()
        }

    def attribute(
        self, files: Mapping[str, Sequence[str]], *, change: Provenance, own: bool = True
    ) -> dict[str, AttributedFile]:
        changed = [
            ChangedFile(
                path=path,
                known=self.known.get(path, KnownLines()),
                hashes=[hash_line(line) for line in _texts(lines)],
                text_at=_texts(lines).__getitem__,
                change=change,
                lineage=NO_LINEAGE,
                own=own,
            )
            for path, lines in files.items()
        ]
        for file in changed:
            texts = map(file.text_at, range(len(file.hashes)))
            self._sketches.update(zip(file.hashes, map(sketch_line, texts), strict=True))
        found = attribute_files(
            changed, self.records, LineReader(sketch_line, self._find_alike, self._recorded)
        )
        self.known.update(
            (file.path, attributed.lines) for file, attributed in zip(changed, found, strict=True)
        )
        for record in self.records.changed.values():
            if record not in self._every:
                self._every.append(record)
            assert record.recorded >= record.seen >= record.present >= 0
        return {file.path: attributed for file, attributed in zip(changed, found, strict=True)}

    def _find_alike(self, line: str) -> list[Alike]:
        made = sketch_line(line)
        return [
            Alike(record, self._sketches[record.hash])
            for record in self._every
            if record.recorded
            and (record.is_outside or record.decided)
            and made.shingles & self._sketches[record.hash].shingles
        ]

    def _recorded(self, hashes: Collection[bytes]) -> dict[bytes, Sketch]:
        return {line_hash: self._sketches[line_hash] for line_hash in hashes}


def _texts(lines: Iterable[str]) -> list[str]:
    return [text for line in lines if (text := normalize_line(line))]
