"""A folder takes the place of another one, which is kept under a name with the time."""

import os
from datetime import datetime
from pathlib import Path

from openclaw_memd.files import renaming


def swap_folders(beside: Path, folder: Path, now: datetime) -> Path | None:
    """Put the folder ``beside`` in the place of ``folder``, which may be missing; where that lies now.

    None: nothing was there, or an empty folder, which goes. Both are in the same folder. At each instant the
    place has the one or the other, where names can be exchanged. Blocks.

    Raises:
        OSError: it cannot be done, and was not.
    """
    parent = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not folder.exists():
            _rename_new(parent, beside.name, folder.name)
            os.fsync(parent)
            return None
        aside = _free_name(folder, now)
        try:
            renaming.exchange_names(parent, beside.name, folder.name)
        except OSError as error:
            if error.errno not in renaming.CANNOT:
                raise
            _keep(parent, folder.name, aside.name)
            os.rename(beside.name, folder.name, src_dir_fd=parent, dst_dir_fd=parent)
        else:
            _keep(parent, beside.name, aside.name)
        os.fsync(parent)
    finally:
        os.close(parent)
    try:
        aside.rmdir()  # an empty folder that was made for this is nothing to keep
    except OSError:
        return aside
    return None


def _keep(parent: int, name: str, aside: str) -> None:
    os.rename(name, aside, src_dir_fd=parent, dst_dir_fd=parent)


def _rename_new(parent: int, name: str, target: str) -> None:
    try:
        renaming.rename_new(parent, name, target)
    except OSError as error:
        if error.errno not in renaming.CANNOT:
            raise
        os.rename(name, target, src_dir_fd=parent, dst_dir_fd=parent)


def _free_name(folder: Path, now: datetime) -> Path:
    stem = f"{folder.name}.before-{now:%Y%m%dT%H%M%SZ}"
    number = 1
    while (found := folder.with_name(stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return found
