"""Looking through a folder that is not memd's: no links, a bounded tree, nothing of the workspace itself."""

import errno
import os
import posixpath
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from openclaw_memd.domain.importing import ImportReason
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.folder import Entry, EntryKind, read_entries
from openclaw_memd.files.names import TOOL_FOLDERS
from openclaw_memd.files.openat import open_beneath

MOST_ENTRIES: Final = 1_000_000
"""So many names are looked at; a folder of memories has some thousands."""

MOST_PATH_BYTES: Final = 3_500
"""A path may have 4096 bytes; the new place adds some."""

_KINDS: Final = {
    EntryKind.LINK: SkipReason.SYMLINK,
    EntryKind.OTHER: SkipReason.NOT_REGULAR,
    EntryKind.UNREADABLE: SkipReason.UNREADABLE,
}

Judge = Callable[[str], bool | SkipReason]
"""Whether a file at this path below the folder is wanted: a reason tells why not, False that nobody asks."""


@dataclass(slots=True)
class Found:
    """What a look has found: ``files`` are (path below the folder, size), ``skipped`` (path, reason)."""

    files: list[tuple[str, int]] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def opened_folder(path: Path) -> Iterator[int]:
    """A descriptor of the folder at ``path``; a link at its end is followed, since somebody named it.

    Raises:
        OSError: it cannot be opened, or is no folder.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def look_through(
    folder: int,
    *,
    judge: Judge,
    enters: Callable[[str], bool],
    own: tuple[int, int],
    own_reason: str,
    most_files: int,
    file_bytes: int,
    check: Callable[[], None] = lambda: None,
) -> Found:
    """The files below the descriptor ``folder`` that ``judge`` wants, in the order of their paths.

    ``enters`` says whether a folder is looked into. A folder that is ``own`` (device and inode) is left out
    with ``own_reason``. ``check`` is called for each folder and may raise. Never raises for what it finds.
    """
    found = Found()
    not_markdown: dict[str, SkipReason] = {}
    pending = [""]
    seen = 0
    while pending:
        check()
        where = pending.pop()
        entries = _entries(folder, where, found)
        seen += len(entries)
        deeper = []
        for entry in entries:
            path = posixpath.join(where, entry.name)
            is_folder = entry.kind is EntryKind.FOLDER
            shown = f"{path}/" if is_folder else path
            wanted = enters(path) if entry.kind is not EntryKind.FILE else judge(path)
            if wanted is False and entry.kind is EntryKind.LINK:
                wanted = judge(path)
            if wanted is False:
                continue
            refusal = _refuse(entry.name, path, is_utf8=entry.is_utf8)
            if refusal is None and is_folder and entry.identity == own:
                found.skipped.append((shown, own_reason))
            elif refusal is None and is_folder:
                deeper.append(path)
            elif refusal is None and wanted is SkipReason.NOT_MARKDOWN:
                # One line a folder: there may be thousands of pictures.
                not_markdown[f"{where}/" if where else ""] = wanted
            elif refusal is None and isinstance(wanted, SkipReason):
                found.skipped.append((shown, wanted))
            elif refusal is not None or entry.kind is not EntryKind.FILE:
                found.skipped.append((shown, refusal or _KINDS[entry.kind]))
            elif entry.stamp.size > file_bytes:
                found.skipped.append((shown, SkipReason.TOO_LARGE))
            elif len(found.files) >= most_files or seen > MOST_ENTRIES:
                found.skipped.append((shown, SkipReason.TOO_MANY))
                pending.clear()
                deeper.clear()
                break
            else:
                found.files.append((path, entry.stamp.size))
        pending.extend(reversed(deeper))
    found.files.sort()
    found.skipped = sorted([*found.skipped, *not_markdown.items()])
    return found


def _entries(folder: int, where: str, found: Found) -> list[Entry]:
    try:
        descriptor = open_beneath(folder, where, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return read_entries(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            found.skipped.append((f"{where}/", SkipReason.UNREADABLE))
        return []


def _refuse(name: str, path: str, *, is_utf8: bool) -> SkipReason | ImportReason | None:
    if not is_utf8:
        return SkipReason.NAME_NOT_UTF8
    if name in TOOL_FOLDERS:
        return SkipReason.TOOL_FOLDER
    if name.startswith("."):
        return SkipReason.HIDDEN
    if len(path.encode("utf-8")) > MOST_PATH_BYTES or len(name.encode("utf-8")) > 255:
        return ImportReason.NAME_TOO_LONG
    return None
