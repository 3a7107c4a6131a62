"""A glance at the curated files that tells whether a look is due: a few system calls."""

import os
import stat
from dataclasses import dataclass

from openclaw_memd.files.beneath import stamp_of
from openclaw_memd.files.catalog import Stamp
from openclaw_memd.files.ignore import IGNORE_NAME
from openclaw_memd.files.names import CURATED, WORKSPACE
from openclaw_memd.files.roots import Roots


@dataclass(frozen=True, slots=True)
class CuratedStamps:
    """What ``lstat`` says of each curated file, and of what may hide it; None for one that is not there.

    ``folder`` is which folder the workspace's path leads to, None for none: an open one may have been moved.
    ``linked`` are the files that have another name too.
    """

    folder: tuple[int, int] | None
    stamps: tuple[Stamp | None, ...]
    linked: frozenset[str]


def stamp_curated(roots: Roots) -> CuratedStamps:
    """The present stamps. Blocking: call it in a thread."""
    names = (*CURATED, IGNORE_NAME)
    try:
        place = roots.place(WORKSPACE).stat()
    except OSError:
        place = None
    try:
        with roots.anchored(WORKSPACE) as folder:
            found = {name: _status(folder, name) for name in names}
    except OSError:
        found = dict.fromkeys(names)
    linked = frozenset(
        name
        for name in CURATED
        if (status := found[name]) is not None and stat.S_ISREG(status.st_mode) and status.st_nlink > 1
    )
    return CuratedStamps(
        None if place is None else (place.st_dev, place.st_ino),
        tuple(None if status is None else stamp_of(status) for status in found.values()),
        linked,
    )


def _status(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
