"""Where archives lie, what they are named, and where they may not lie."""

import hashlib
import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from openclaw_memd.errors import ConflictError, DeniedError, InvalidParamsError
from openclaw_memd.files.private import FOLDER_MODE

SUFFIX: Final = ".tar.gz"

MOST_NAME_BYTES: Final = 255
"""The most that file systems in use take for one name."""

_STAMP: Final = "%Y%m%dT%H%M%SZ"
_SCHEDULED: Final = re.compile(r"memd-([0-9a-f]{8})-(\d{8}T\d{6}Z)\.tar\.gz")


def group_of(ids: Iterable[str]) -> str:
    """A short name for the workspaces of one daemon: several daemons may share a data folder."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()[:8]


def scheduled_name(group: str, due_at: datetime) -> str:
    """The name of the archive of one due time. It is made once, so the name says whether it was."""
    return f"memd-{group}-{due_at.astimezone(UTC):{_STAMP}}{SUFFIX}"


def parse_scheduled(name: str, group: str) -> datetime | None:
    """The due time of an archive that the schedule of ``group`` made; None of every other name."""
    found = _SCHEDULED.fullmatch(name)
    if found is None or found[1] != group:
        return None
    try:
        return datetime.strptime(found[2], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def free_place(folder: Path, at: datetime) -> Path:
    """A name in ``folder`` that nothing has, with the time."""
    stem = f"memd-{at.astimezone(UTC):{_STAMP}}"
    number = 1
    while os.path.lexists(found := folder / f"{stem}{'' if number == 1 else f'-{number}'}{SUFFIX}"):
        number += 1
    return found


def make_folder(folder: Path) -> None:
    """Make the folder of archives, open to nobody else."""
    folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    folder.chmod(FOLDER_MODE)


def choose_place(named: str, at: datetime, private: Iterable[Path]) -> Path:
    """The place that a caller named: a new file in a folder that is there, or a folder to put one into.

    ``private`` are the workspaces and the folder of their states.

    Raises:
        InvalidParamsError: the path is none, its name is too long, or there is no such folder.
        DeniedError: it lies in one of ``private``, where it would be indexed, archived or in the way.
        ConflictError: there is something already.
    """
    if not named.startswith("/") or "\0" in named:
        raise InvalidParamsError("path is not absolute", field="path", reason="value")
    path = Path(os.path.realpath(named))
    target = free_place(path, at) if os.path.isdir(path) else path  # noqa: PTH112 - False for what can be none
    if not os.path.isdir(target.parent):  # noqa: PTH112
        raise InvalidParamsError("there is no such folder", field="path", reason="missing")
    if len(os.fsencode(target.name)) > MOST_NAME_BYTES:
        raise InvalidParamsError("the name is too long", field="path", reason="value")
    if any(target.is_relative_to(os.path.realpath(folder)) for folder in private):
        raise DeniedError(
            "an archive cannot lie in a workspace or in the state", field="path", reason="in_workspace"
        )
    if os.path.lexists(target):  # a link to nothing counts
        raise ConflictError("there is something at this place already", field="path", reason="exists")
    return target
