"""From the text of a file to the rows that the index holds of it. Pure."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from openclaw_memd.domain.annotations import NO_ANNOTATIONS, strip_annotations
from openclaw_memd.domain.chunks import CHUNKING_VERSION, chunk_text
from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.provenance import Tier, trust_tier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.beneath import FileText
from openclaw_memd.files.catalog import FileState, ListedFile
from openclaw_memd.index.documents import DocumentText
from openclaw_memd.index.origins import Attribution
from openclaw_memd.index.rows import IndexIdentity, embedding_text, hash_text, join_heading


class ChunkContent(NamedTuple):
    """A chunk as the columns of its table, in their order, without its id, file and place in it."""

    trust: str
    origin: str
    session_kind: str
    writer: str | None
    start_line: int
    end_line: int
    text: str
    terms: str
    context: str
    text_hash: bytes
    heading: str
    observed_on: str | None
    dated: bool
    importance: int | None
    triggers: str
    projects: str
    project_valid: bool
    supersedes_key: str | None
    expires_on: str | None
    status: str | None


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """A file that was read and analysed, ready to be published."""

    file: ListedFile
    state: FileState
    chunks: tuple[ChunkContent, ...]


class Preparer:
    """Chunks and analyses files, always in the same way."""

    def __init__(self, analyzer: Analyzer, *, chunk_tokens: int, chunk_overlap: int) -> None:
        self.analyzer = analyzer
        self.identity = IndexIdentity(
            chunking=CHUNKING_VERSION,
            analysis=analyzer.identity,
            chunk_tokens=chunk_tokens,
            chunk_overlap=chunk_overlap,
        )

    def prepare(
        self,
        file: ListedFile,
        read: FileText,
        attribution: Attribution,
        *,
        pause: Callable[[], None] = lambda: None,
    ) -> PreparedFile:
        """The rows of ``file``, whose lines are ``attribution``'s. ``pause`` is called often; what it raises
        ends the work.
        """
        document = read if isinstance(read, DocumentText) else None
        pieces = chunk_text(
            read.text,
            per_entry=file.tier is Tier.CURATED,
            tokens=self.identity.chunk_tokens,
            overlap=self.identity.chunk_overlap,
            breaks=attribution.breaks,
        )
        noted_on = note_date(file.path)
        path_terms = "" if document else self.analyzer.index_line(file.path)
        contexts: dict[tuple[str, tuple[str, ...]], str] = {}
        line_terms = _LineTerms(self.analyzer)  # chunks overlap, so many a line comes twice
        contents = []
        for piece in pieces:
            pause()
            annotations = NO_ANNOTATIONS if document else piece.annotations
            heading = join_heading(piece.heading_path)
            key = (heading, annotations.triggers)
            if key not in contexts:
                named = map(self.analyzer.index_line, (heading, *annotations.triggers))
                contexts[key] = " ".join(filter(None, (path_terms, *named)))
            provenance = attribution.of_lines(piece.start_line, piece.end_line)
            observed_on = annotations.observed or noted_on
            if document:
                observed_on = document.day_of_lines(piece.start_line, piece.end_line)
            contents.append(
                ChunkContent(
                    trust=trust_tier(file.tier, provenance.origin).value,
                    origin=provenance.origin.value,
                    session_kind=provenance.session_kind.value,
                    writer=provenance.writer,
                    start_line=piece.start_line,
                    end_line=piece.end_line,
                    text=piece.text,
                    terms="\n".join(map(line_terms.__getitem__, piece.text.split("\n"))),
                    context=contexts[key],
                    text_hash=hash_text(embedding_text(heading, piece.text)),
                    heading=heading,
                    observed_on=_iso(observed_on),
                    dated=observed_on is not None and not file.evergreen,
                    importance=annotations.importance,
                    triggers=_json(annotations.triggers),
                    projects=_json(annotations.projects),
                    project_valid=annotations.project_valid,
                    supersedes_key=annotations.key,
                    expires_on=_iso(annotations.expires),
                    status=annotations.status,
                )
            )
        return PreparedFile(file, read.state, tuple(contents))


class _LineTerms(dict[str, str]):
    """The terms of each line of one file, by its text."""

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__()
        self._index_line = analyzer.index_line

    def __missing__(self, line: str) -> str:
        terms = self[line] = self._index_line(strip_annotations(line))
        return terms


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _json(values: tuple[str, ...]) -> str:
    return json.dumps(values, ensure_ascii=False) if values else "[]"
