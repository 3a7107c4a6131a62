"""What a workspace without memory files holds instead, so that the owner can be told what would take it."""

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass

from openclaw_memd.files.areas import prune_reason
from openclaw_memd.files.folder import Entry, EntryKind, read_entries
from openclaw_memd.files.names import CURATED, INSTRUCTIONS, NOTES, REVIEW, WORKSPACE, is_markdown
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import Roots

_KNOWN = frozenset({*CURATED, *INSTRUCTIONS, REVIEW})


@dataclass(frozen=True, slots=True)
class OtherNotes:
    """Markdown files in the workspace's top two levels that are no memories as things stand.

    ``include`` are the patterns for ``files.include`` that would take them and what lies below.
    """

    count: int
    include: tuple[str, ...]


def find_other_notes(roots: Roots) -> OtherNotes:
    """Count them in the workspace; nothing is found where nothing can be read. Blocking."""
    found: dict[str, int] = {}
    with contextlib.suppress(OSError), roots.anchored(WORKSPACE) as root:
        entries = _entries(root, "")
        found["/*.md"] = _count(entry for entry in entries if entry.name not in _KNOWN)
        for entry in entries:
            if entry.kind is EntryKind.FOLDER and entry.name != NOTES and not prune_reason(entry.name):
                found[f"/{entry.name}/**/*.md"] = _count(_entries(root, entry.name))
    return OtherNotes(sum(found.values()), tuple(pattern for pattern, count in found.items() if count))


def _count(entries: Iterable[Entry]) -> int:
    return sum(
        entry.is_utf8 and entry.kind is EntryKind.FILE and is_markdown(entry.name) for entry in entries
    )


def _entries(root: int, folder: str) -> list[Entry]:
    try:
        descriptor = open_beneath(root, folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return read_entries(descriptor)
        finally:
            os.close(descriptor)
    except OSError:
        return []
