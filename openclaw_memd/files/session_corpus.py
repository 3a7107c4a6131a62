"""What was said of the kind that dreaming looks at, by days, as text for people.

It lies in ``memory/.dreams/session-corpus``, one file a day, is only added to, and is never read as memory.
Everything here blocks.
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Final

from openclaw_memd.domain.dates import iso_date
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.private import open_file, open_folder, replace_file
from openclaw_memd.files.roots import Roots

MACHINE: Final = "memory/.dreams"
FOLDER: Final = "session-corpus"
_SUFFIX: Final = ".txt"
_LINE: Final = re.compile(r"#L\d+\]")
_MOST_BYTES: Final = 8 * 1024 * 1024
"""A day with more is not added to any more."""


def add_lines(roots: Roots, days: Mapping[date, Sequence[str]]) -> int:
    """Add lines to the files of their days, each that is not in it already; how many were added.

    A line begins with where it was said, as ``[sessions/main/s1#L3]``. One that only moved is no other.

    Raises:
        OSError: the folder cannot be written.
    """
    added = 0
    with roots.anchored(WORKSPACE) as root:
        folder = _open(root, create=True)
        try:
            for day, lines in days.items():
                added += _add(folder, f"{day.isoformat()}{_SUFFIX}", lines)
        finally:
            os.close(folder)
    return added


def cut_lines(roots: Roots, keeps: Callable[[str], bool], *, dry_run: bool = False) -> int:
    """Take out every line that is not to be kept, and files that nothing is left of; how many lines went.

    With ``dry_run`` nothing is written.

    Raises:
        OSError: the folder cannot be read or written.
    """
    with roots.anchored(WORKSPACE) as root:
        try:
            folder = _open(root, create=False)
        except FileNotFoundError:
            return 0
        try:
            return sum(_cut(folder, name, keeps, dry_run=dry_run) for name in sorted(_names(folder)))
        finally:
            os.close(folder)


def _open(root: int, *, create: bool) -> int:
    machine = open_beneath(root, MACHINE, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return open_folder(machine, FOLDER, create=create)
    finally:
        os.close(machine)


def _names(folder: int) -> list[str]:
    return [
        name
        for name in os.listdir(folder)
        if name.endswith(_SUFFIX) and iso_date(name.removesuffix(_SUFFIX)) is not None
    ]


def _add(folder: int, name: str, lines: Sequence[str]) -> int:
    descriptor = open_file(folder, name, os.O_RDWR | os.O_APPEND)
    try:
        data = _read(descriptor)
        if len(data) >= _MOST_BYTES:
            return 0
        known = {_LINE.sub("]", line, count=1) for line in data.decode("utf-8", "replace").split("\n")}
        new = [line for line in dict.fromkeys(lines) if _LINE.sub("]", line, count=1) not in known]
        if new:
            lead = "" if not data or data.endswith(b"\n") else "\n"
            os.write(descriptor, (lead + "\n".join(new) + "\n").encode("utf-8", "surrogatepass"))
            os.fsync(descriptor)
        return len(new)
    finally:
        os.close(descriptor)


def _cut(folder: int, name: str, keeps: Callable[[str], bool], *, dry_run: bool) -> int:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        lines = _read(descriptor).decode("utf-8", "surrogateescape").splitlines(keepends=True)
    finally:
        os.close(descriptor)
    left = [line for line in lines if keeps(line.rstrip("\n"))]
    gone = len(lines) - len(left)
    if gone and not dry_run:
        if left:
            replace_file(folder, name, "".join(left).encode("utf-8", "surrogateescape"))
        else:
            os.unlink(name, dir_fd=folder)
    return gone


def _read(descriptor: int) -> bytes:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    with open(descriptor, "rb", closefd=False) as file:
        file.seek(0)
        return file.read()
