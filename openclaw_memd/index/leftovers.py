"""Files that lie beside a database: half-built ones to remove, damaged ones to keep for a while."""

import re
from datetime import datetime
from pathlib import Path
from typing import Final

import structlog

from openclaw_memd.index.database import open_marker, side_files

KEPT_DAMAGED: Final = 2
_BUILDING: Final = ".building-"
_DAMAGED: Final = ".damaged-"

log = structlog.get_logger("memd.index")


def building_path(path: Path, attempt: int) -> Path:
    """Where a successor of ``path`` is built; ``attempt`` is 1 or more when others were cut off."""
    return path.with_name(f"{path.name}{_BUILDING}{attempt}")


def sweep_building(path: Path) -> int:
    """Remove what a build of ``path`` that did not end has left; its attempt, 0 when there is none."""
    attempts = [0]
    for leftover in _beside(path, _BUILDING):
        number = re.match(r"\d+", leftover.name.removeprefix(path.name + _BUILDING))
        attempts.append(0 if number is None else int(number[0]))
        leftover.unlink(missing_ok=True)
    return max(attempts)


def sweep_aside(folder: Path) -> int:
    """Remove every half-built and every damaged database in ``folder``; how many files went.

    No build may run meanwhile.
    """
    found = [path for path in folder.iterdir() if _BUILDING in path.name or _DAMAGED in path.name]
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def set_aside(path: Path, at: datetime, *, keep: int = KEPT_DAMAGED) -> Path:
    """Give a damaged database and its side files a name with the time; of such, the newest ``keep`` stay.

    Returns the new name. The database must be closed.
    """
    stem = f"{path.name}{_DAMAGED}{at:%Y%m%dT%H%M%S%f}Z"
    for suffix, present in zip(("", "-wal", "-shm"), (path, *side_files(path)), strict=True):
        if present.exists():
            present.rename(path.with_name(stem + suffix))
    open_marker(path).unlink(missing_ok=True)
    aside = [kept for kept in _beside(path, _DAMAGED) if not kept.name.endswith(("-wal", "-shm"))]
    for old in aside[:-keep]:
        for part in (old, *side_files(old)):
            part.unlink(missing_ok=True)
    log.warning("database set aside", database=path.name)
    return path.with_name(stem)


def _beside(path: Path, infix: str) -> list[Path]:
    prefix = path.name + infix
    return sorted(found for found in path.parent.iterdir() if found.name.startswith(prefix))
