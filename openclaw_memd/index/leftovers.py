"""Files that lie beside a database: half-built ones to remove, damaged ones to keep for a while."""

from datetime import datetime
from pathlib import Path
from typing import Final

from openclaw_memd.index.database import open_marker, side_files

KEPT_DAMAGED: Final = 2
_BUILDING: Final = ".building-"
_DAMAGED: Final = ".damaged-"


def building_path(path: Path, number: int) -> Path:
    """Where a successor of ``path`` is built."""
    return path.with_name(f"{path.name}{_BUILDING}{number}")


def sweep_building(path: Path) -> int:
    """Remove what builds of ``path`` that did not end have left; how many files went."""
    found = _beside(path, _BUILDING)
    for leftover in found:
        leftover.unlink(missing_ok=True)
    return len(found)


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
    return path.with_name(stem)


def _beside(path: Path, infix: str) -> list[Path]:
    prefix = path.name + infix
    return sorted(found for found in path.parent.iterdir() if found.name.startswith(prefix))
