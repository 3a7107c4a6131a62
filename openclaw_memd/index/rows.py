"""Rows of the index as values."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from openclaw_memd.domain.annotations import strip_annotations
from openclaw_memd.domain.identifiers import hide_blobs
from openclaw_memd.domain.provenance import (
    ATTRIBUTION_VERSION,
    Origin,
    SessionKind,
    Source,
    Tier,
    TrustTier,
    trust_tier,
)
from openclaw_memd.files.catalog import FileState, ListedFile


class ChunkRow(NamedTuple):
    """One chunk of one file.

    ``text`` is an exact slice of the file; ``terms`` holds the analysed text, one line of blank-separated
    forms for each line of ``text``, and ``context`` the forms of path, heading and triggers. Lines are
    1-based and inclusive; with ``cut_start`` the first is the end of a longer one, with ``cut_end`` the last
    is the start of one. ``observed_on`` is when the text was noted, by its annotation or its file's name;
    ``dated`` says that its age counts. ``text_hash`` is what vectors are stored under. ``ordinal`` counts a
    file's chunks.
    """

    id: int
    path: str
    source: Source
    tier: Tier
    origin: Origin
    session_kind: SessionKind
    writer: str | None
    ordinal: int
    start_line: int
    end_line: int
    cut_start: bool
    cut_end: bool
    text: str
    terms: str
    context: str
    text_hash: bytes
    heading: str
    observed_on: date | None
    dated: bool
    importance: int | None
    triggers: tuple[str, ...]
    projects: tuple[str, ...]
    project_valid: bool
    supersedes_key: str | None
    expires_on: date | None
    status: str | None

    @property
    def trust(self) -> TrustTier:
        """The full-text table that holds this chunk."""
        return trust_tier(self.tier, self.origin)


@dataclass(frozen=True, slots=True)
class FileRow:
    """One indexed file: how to reach it, the state it was indexed in, and how many chunks it has."""

    file: ListedFile
    state: FileState
    chunks: int


@dataclass(frozen=True, slots=True)
class SourceCount:
    """How much of one source is indexed."""

    source: Source
    files: int
    chunks: int


@dataclass(frozen=True, slots=True)
class IndexIdentity:
    """Everything that decides which rows come out of the same files."""

    chunking: int
    analysis: str
    chunk_tokens: int
    chunk_overlap: int
    attribution: int = ATTRIBUTION_VERSION

    def differences(self, other: "IndexIdentity | None") -> tuple[str, ...]:
        """Names of the fields that differ; all of them when ``other`` is missing."""
        names = self.__slots__
        return tuple(name for name in names if other is None or getattr(self, name) != getattr(other, name))


HEADING_SEPARATOR = " > "


def join_heading(heading_path: Sequence[str]) -> str:
    """A heading path as one line, outermost first."""
    return HEADING_SEPARATOR.join(heading_path)


def embedding_text(heading: str, text: str) -> str:
    """What is embedded of a chunk: its heading path and its text without annotations and encoded bytes."""
    shown = hide_blobs(strip_annotations(text))
    return f"{heading}\n{shown}" if heading else shown


def hash_text(text: str) -> bytes:
    """The key of a text's vectors: SHA-256 of its UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
