"""From the text of a file to the rows that the index holds of it. Pure."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from openclaw_memd.domain.annotations import NO_ANNOTATIONS, strip_annotations
from openclaw_memd.domain.chunks import CHUNKING_VERSION, Chunk, chunk_text
from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.folding import fold, normalize
from openclaw_memd.domain.provenance import Tier, trust_tier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.tokens import WEIGHT_PER_TOKEN
from openclaw_memd.files.catalog import FileState, FileText, ListedFile
from openclaw_memd.files.names import EXTRA, IMPORTS, NOTES
from openclaw_memd.index.documents import DocumentText
from openclaw_memd.index.origins import Attribution
from openclaw_memd.index.rows import IndexIdentity, embedding_text, hash_text, join_heading

_LINES_AT_ONCE: Final = 1_000  # some 3 ms
_PLACES: Final = (IMPORTS, f"{NOTES}/", EXTRA)


class ChunkContent(NamedTuple):
    """A chunk as the columns of its table, in their order, without its id, file and place in it."""

    trust: str
    origin: str
    session_kind: str
    writer: str | None
    start_line: int
    end_line: int
    cut_start: bool
    cut_end: bool
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
class Draft:
    """A file as it was read, and who is behind its lines: all that its rows are made of."""

    file: ListedFile
    read: FileText
    attribution: Attribution


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

    def prepare(self, draft: Draft, *, pause: Callable[[], None] = lambda: None) -> PreparedFile:
        """The rows of a file. ``pause`` is called often; what it raises ends the work."""
        file, read, attribution = draft.file, draft.read, draft.attribution
        document = read if isinstance(read, DocumentText) else None
        pieces = chunk_text(
            read.text,
            per_entry=file.tier is Tier.CURATED,
            tokens=self.identity.chunk_tokens,
            overlap=self.identity.chunk_overlap,
            breaks=attribution.breaks,
        )
        noted_on = note_date(file.path)
        path_terms = "" if document else self._path_terms(file.path)
        contexts: dict[tuple[str, tuple[str, ...]], str] = {}
        most_chars = self.identity.chunk_tokens * WEIGHT_PER_TOKEN
        terms = _Terms(self.analyzer, read.text, most_chars=most_chars, pause=pause)
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
                    cut_start=_is_within_line(read.text, piece.start),
                    cut_end=_is_within_line(read.text, piece.end + 1),
                    text=piece.text,
                    terms=terms.of(piece),
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

    def _path_terms(self, path: str) -> str:
        """The terms of a virtual path.

        The folders that memd gave count as part of the whole path only: "memory" is no word of every note.
        """
        place = next(filter(path.startswith, _PLACES), "")
        words = self.analyzer.index_line(path.removeprefix(place))
        return words if not place or path.split() != [path] else f"{words} {fold(normalize(path))}"


class _Terms:
    """The terms of the lines of one file, analysed once: chunks overlap, so many a line comes twice.

    Lines of more than ``most_chars`` never come as a whole.
    """

    def __init__(self, analyzer: Analyzer, text: str, *, most_chars: int, pause: Callable[[], None]) -> None:
        self._analyzer = analyzer
        self._lines = text.split("\n")
        whole = self._lines
        if "<!--" in text:
            whole = [strip_annotations(line) for line in whole]
        if len(text) > most_chars:
            whole = [line if len(line) <= most_chars else "" for line in whole]
        self._terms: list[str] = []
        for start in range(0, len(whole), _LINES_AT_ONCE):
            pause()
            self._terms += analyzer.index_lines(whole[start : start + _LINES_AT_ONCE])

    def of(self, chunk: Chunk) -> str:
        """The terms of each line of ``chunk``, which may begin and end within one."""
        first, last = chunk.start_line - 1, chunk.end_line - 1
        lines = chunk.text.split("\n")
        terms = self._terms[first : chunk.end_line]
        if lines[0] != self._lines[first]:
            terms[0] = self._analyse(lines[0])
        if first < last and lines[-1] != self._lines[last]:
            terms[-1] = self._analyse(lines[-1])
        return "\n".join(terms)

    def _analyse(self, line: str) -> str:
        return self._analyzer.index_line(strip_annotations(line))


def _is_within_line(text: str, position: int) -> bool:
    """Whether no line begins at ``position``; just behind the end of the text one would."""
    return 0 < position <= len(text) and text[position - 1] != "\n"


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _json(values: tuple[str, ...]) -> str:
    return json.dumps(values, ensure_ascii=False) if values else "[]"
