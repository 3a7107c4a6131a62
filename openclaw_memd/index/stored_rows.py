"""Chunks and files as rows of index.db."""

import json
from datetime import date
from typing import Any, Final

from openclaw_memd.domain.provenance import Origin, SessionKind, Source, Tier
from openclaw_memd.files.catalog import FileState, ListedFile
from openclaw_memd.index.rows import ChunkRow, FileRow

CHUNK_COLUMNS: Final = """
  c.id, f.path, f.source, f.tier, c.origin, c.session_kind, c.writer, c.ordinal, c.start_line, c.end_line,
  c.cut_start, c.cut_end, c.text, c.terms, c.context, c.text_hash, c.heading, c.observed_on, c.dated,
  c.importance, c.triggers, c.projects, c.project_valid, c.supersedes_key, c.expires_on, c.status
"""
FILE_COLUMNS: Final = (
    "path, source, tier, root, relative, evergreen, size, mtime_ns, ctime_ns, inode, hash, fresh, chunks"
)

_SOURCE: Final = {one.value: one for one in Source}
_TIER: Final = {one.value: one for one in Tier}
_ORIGIN: Final = {one.value: one for one in Origin}
_KIND: Final = {one.value: one for one in SessionKind}


def read_chunk(row: tuple[Any, ...]) -> ChunkRow:
    """A chunk of its ``CHUNK_COLUMNS``."""
    (
        chunk_id, path, source, tier, origin, kind, writer, ordinal, start_line, end_line, cut_start, cut_end,
        text, terms, context, text_hash, heading, observed_on, dated, importance, triggers, projects,
        project_valid, supersedes_key, expires_on, status,
    ) = row  # fmt: skip
    return ChunkRow(
        id=chunk_id,
        path=path,
        source=_SOURCE[source],
        tier=_TIER[tier],
        origin=_ORIGIN[origin],
        session_kind=_KIND[kind],
        writer=writer,
        ordinal=ordinal,
        start_line=start_line,
        end_line=end_line,
        cut_start=bool(cut_start),
        cut_end=bool(cut_end),
        text=text,
        terms=terms,
        context=context,
        text_hash=text_hash,
        heading=heading,
        observed_on=date.fromisoformat(observed_on) if observed_on else None,
        dated=bool(dated),
        importance=importance,
        triggers=_strings(triggers),
        projects=_strings(projects),
        project_valid=bool(project_valid),
        supersedes_key=supersedes_key,
        expires_on=date.fromisoformat(expires_on) if expires_on else None,
        status=status,
    )


def read_file(row: tuple[Any, ...]) -> FileRow:
    """A file of its ``FILE_COLUMNS``."""
    path, source, tier, root, relative, evergreen, size, mtime_ns, ctime_ns, inode, digest, fresh, number = (
        row
    )
    return FileRow(
        file=ListedFile(path, Source(source), Tier(tier), root, relative, bool(evergreen)),
        state=FileState(size, mtime_ns, ctime_ns, inode, digest, bool(fresh)),
        chunks=number,
    )


def _strings(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))
