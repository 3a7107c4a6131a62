"""From the text of a file to the rows that the index holds of it. Pure."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from openclaw_memd.domain.annotations import strip_annotations
from openclaw_memd.domain.caching import BoundedCache
from openclaw_memd.domain.chunks import CHUNKING_VERSION, chunk_text
from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.provenance import Tier, trust_tier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.beneath import FileText
from openclaw_memd.files.catalog import FileState, ListedFile
from openclaw_memd.index.origins import attribute
from openclaw_memd.index.rows import IndexIdentity, embedding_text, hash_text, join_heading

_CACHED_LINES: Final = 256  # chunks overlap, so many a line comes twice in a row
_CACHED_LINE_CHARS: Final = 1_000


class ChunkContent(NamedTuple):
    """A chunk as the columns of its table, in their order, without its id, file and place in it."""

    trust: str
    origin: str
    session_kind: str
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
        self._line_terms = BoundedCache(
            lambda line: analyzer.index_line(strip_annotations(line)),
            limit_entries=_CACHED_LINES,
            key_limit_chars=_CACHED_LINE_CHARS,
        )

    def prepare(
        self, file: ListedFile, read: FileText, *, pause: Callable[[], None] = lambda: None
    ) -> PreparedFile:
        """The rows of ``file``. ``pause`` is called often; what it raises ends the work."""
        attribution = attribute(file, read.text.split("\n"))
        pieces = chunk_text(
            read.text,
            per_entry=file.tier is Tier.CURATED,
            tokens=self.identity.chunk_tokens,
            overlap=self.identity.chunk_overlap,
            breaks=attribution.breaks,
        )
        noted_on = note_date(file.path)
        path_terms = self.analyzer.index_line(file.path)
        contexts: dict[tuple[str, tuple[str, ...]], str] = {}
        contents = []
        for piece in pieces:
            pause()
            heading = join_heading(piece.heading_path)
            key = (heading, piece.annotations.triggers)
            if key not in contexts:
                named = map(self.analyzer.index_line, (heading, *piece.annotations.triggers))
                contexts[key] = " ".join(filter(None, (path_terms, *named)))
            provenance = attribution.of_lines(piece.start_line, piece.end_line)
            observed_on = piece.annotations.observed or noted_on
            contents.append(
                ChunkContent(
                    trust=trust_tier(file.tier, provenance.origin).value,
                    origin=provenance.origin.value,
                    session_kind=provenance.session_kind.value,
                    start_line=piece.start_line,
                    end_line=piece.end_line,
                    text=piece.text,
                    terms="\n".join(map(self._line_terms.__getitem__, piece.text.split("\n"))),
                    context=contexts[key],
                    text_hash=hash_text(embedding_text(heading, piece.text)),
                    heading=heading,
                    observed_on=_iso(observed_on),
                    dated=observed_on is not None and not file.evergreen,
                    importance=piece.annotations.importance,
                    triggers=_json(piece.annotations.triggers),
                    projects=_json(piece.annotations.projects),
                    project_valid=piece.annotations.project_valid,
                    supersedes_key=piece.annotations.key,
                    expires_on=_iso(piece.annotations.expires),
                    status=piece.annotations.status,
                )
            )
        return PreparedFile(file, read.state, tuple(contents))


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _json(values: tuple[str, ...]) -> str:
    return json.dumps(values, ensure_ascii=False) if values else "[]"
