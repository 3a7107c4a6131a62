"""The entries of one folder, by descriptor: names, kinds and stamps, links not followed."""

import os
import stat
from collections.abc import Container
from dataclasses import dataclass
from enum import Enum, auto

from openclaw_memd.files.beneath import stamp_of
from openclaw_memd.files.catalog import Stamp


class EntryKind(Enum):
    """What a directory entry is, by ``lstat``."""

    FILE = auto()
    FOLDER = auto()
    LINK = auto()
    OTHER = auto()
    UNREADABLE = auto()


@dataclass(frozen=True, slots=True)
class Entry:
    """One directory entry. Unless ``is_utf8``, ``name`` is for people and shows odd bytes as ``\\xNN``."""

    name: str
    is_utf8: bool
    kind: EntryKind
    identity: tuple[int, int]
    stamp: Stamp


def read_entries(descriptor: int, only: Container[str] | None = None) -> list[Entry]:
    """The entries of an open folder in the order of their names; those that vanish meanwhile are left out.

    With ``only``, those of these names alone: the others are not even looked at.

    Raises:
        OSError: the folder cannot be read.
    """
    with os.scandir(descriptor) as found:
        entries = [entry for raw in found if (entry := _read_entry(raw, only)) is not None]
    return sorted(entries, key=lambda entry: entry.name)


def _read_entry(raw: "os.DirEntry[str]", only: Container[str] | None) -> Entry | None:
    if only is not None and raw.name.isascii() and raw.name not in only:
        return None  # at once: there may be thousands
    encoded = os.fsencode(raw.name)
    name = encoded.decode("utf-8", "backslashreplace")
    if only is not None and name not in only:
        return None
    is_utf8 = name.encode("utf-8") == encoded
    try:
        status = raw.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return Entry(name, is_utf8, EntryKind.UNREADABLE, (0, 0), Stamp(0, 0, 0, 0))
    return Entry(name, is_utf8, _kind(status.st_mode), (status.st_dev, status.st_ino), stamp_of(status))


def _kind(mode: int) -> EntryKind:
    if stat.S_ISREG(mode):
        return EntryKind.FILE
    if stat.S_ISDIR(mode):
        return EntryKind.FOLDER
    return EntryKind.LINK if stat.S_ISLNK(mode) else EntryKind.OTHER
