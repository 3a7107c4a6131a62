"""Who else could put something in the place of a folder of memd's: the rule that ssh has for its keys."""

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path


def find_exposure(path: Path) -> str | None:
    """What lets others take the place of ``path`` or of a folder above it; None when nothing does.

    Each folder that exists belongs to root or to this user, and only one with the sticky bit may be written
    to by others; a group that is this user's own is nobody else. What does not exist yet is made by memd, in
    a folder that was checked.
    """
    for folder in _folders(path):
        try:
            found = folder.stat()
        except OSError:
            continue
        if found.st_uid not in {os.geteuid(), 0}:
            return f"{folder} belongs to somebody else"
        if _lets_others_write(found) and not found.st_mode & stat.S_ISVTX:
            return f"others can write to {folder}; chmod go-w {folder}"
    return None


def _lets_others_write(found: os.stat_result) -> bool:
    by_others = found.st_mode & stat.S_IWOTH
    by_group = found.st_mode & stat.S_IWGRP and not _is_private_group(found.st_gid)
    return bool(by_others or by_group)


def _is_private_group(gid: int) -> bool:
    """Whether the group has this user for its only member, as where each user has a group of that name."""
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return gid == user.pw_gid and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def _folders(path: Path) -> Iterator[Path]:
    """``path`` and all above it, as it is and as it is written: links lead from one to the other."""
    written = path.absolute()
    real = Path(os.path.realpath(written))
    yield from dict.fromkeys((real, *real.parents, written, *written.parents))
