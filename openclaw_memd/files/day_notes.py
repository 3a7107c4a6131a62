"""The notes of single days, straight from the folder ``memory``: for what cannot wait for the index."""

import os
from collections.abc import Collection
from datetime import date

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.startup_context import NoteName
from openclaw_memd.files.folder import EntryKind, read_entries
from openclaw_memd.files.names import NOTES, WORKSPACE
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import Roots


def list_day_notes(roots: Roots, days: Collection[date]) -> list[NoteName]:
    """The notes of ``days`` directly in ``memory``; none when it cannot be read. Blocking.

    Only names tell the day. Files alone count, not links; whether a file is a memory is not judged here.
    """
    try:
        with roots.anchored(WORKSPACE) as root:
            folder = open_beneath(root, NOTES, os.O_RDONLY | os.O_DIRECTORY)
            try:
                entries = read_entries(folder, _NamesOf(days))
            finally:
                os.close(folder)
    except OSError:
        return []
    return [NoteName(entry.name, entry.stamp.mtime_ns) for entry in entries if entry.kind is EntryKind.FILE]


class _NamesOf:
    """Every name that is one of a note of these days."""

    def __init__(self, days: Collection[date]) -> None:
        self._days = days

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and note_date(name) in self._days
