"""Who else could put something in the place of a folder of memd's: the rule that ssh has for its keys."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def find_exposure(path: Path) -> str | None:
    """What lets others take the place of ``path`` or of a folder above it; None when nothing does.

    Each folder that exists belongs to root or to this user, and only one with the sticky bit may be written
    to by others. What does not exist yet is made by memd, in a folder that was checked.
    """
    for folder in _folders(path):
        try:
            found = folder.stat()
        except OSError:
            continue
        if found.st_uid not in {os.geteuid(), 0}:
            return f"{folder} belongs to somebody else"
        if found.st_mode & _OTHERS_WRITE and not found.st_mode & stat.S_ISVTX:
            return f"others can write to {folder}; chmod go-w {folder}"
    return None


def _folders(path: Path) -> Iterator[Path]:
    """``path`` and all above it, as it is and as it is written: links lead from one to the other."""
    written = path.absolute()
    real = Path(os.path.realpath(written))
    yield from dict.fromkeys((real, *real.parents, written, *written.parents))
