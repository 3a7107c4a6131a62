"""Whether OpenClaw itself dreams on the same workspace. Everything here blocks: use a thread."""

import os
import stat
from datetime import date, datetime, timedelta
from typing import Final

from openclaw_memd.domain.dream_pages import read_diary
from openclaw_memd.files.dreams import DreamPages
from openclaw_memd.files.names import NOTES, WORKSPACE
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import Roots

RECENT: Final = timedelta(hours=48)
MACHINE: Final = f"{NOTES}/.dreams"

OWN_RECORDS: Final = (
    "phase-signals.json",
    "daily-ingestion.json",
    "session-ingestion.json",
    "short-term-promotion.lock",
)
"""Files that nothing but OpenClaw's dreaming writes."""


def dreams_here(roots: Roots, pages: DreamPages, now: datetime, today: date) -> bool:
    """Whether OpenClaw's own records show a dream in the last 48 hours.

    These are files of its dreaming, and entries of the diary that are not ours.
    """
    return _has_fresh_record(roots, now) or _has_fresh_entry(pages, today)


def _has_fresh_record(roots: Roots, now: datetime) -> bool:
    try:
        with roots.anchored(WORKSPACE) as root:
            folder = open_beneath(root, MACHINE, os.O_RDONLY | os.O_DIRECTORY)
            try:
                return any(_is_fresh(folder, name, now) for name in OWN_RECORDS)
            finally:
                os.close(folder)
    except OSError:
        return False


def _is_fresh(folder: int, name: str, now: datetime) -> bool:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and 0 <= now.timestamp() - found.st_mtime <= RECENT.total_seconds()


def _has_fresh_entry(pages: DreamPages, today: date) -> bool:
    days = [entry.day for entry in read_diary(pages.read()) if entry.run_id is None]
    return any(day is not None and timedelta(0) <= today - day < RECENT for day in days)
