"""Looking for transcripts in a folder: names and stamps, links not followed, nothing opened but folders."""

import errno
import os
import posixpath
from dataclasses import dataclass, field
from typing import Final

from openclaw_memd.files.folder import Entry, EntryKind, read_entries
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.index.ledger.transcripts import FileStamp
from openclaw_memd.sessions.formats.names import TranscriptName, TranscriptSkip, judge_name
from openclaw_memd.sessions.formats.openclaw_index import INDEX_NAME

MOST_FILES: Final = 50_000
DEEPEST: Final = 8
"""Levels of folders below the one that is configured. Claude Code has a project, a session, ``subagents``."""

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A transcript. ``path`` is relative to the folder."""

    path: str
    name: TranscriptName
    stamp: FileStamp


@dataclass(slots=True)
class TranscriptListing:
    """What a look found.

    ``files`` are live ones first, of each sort the newest first. ``indexes`` are the session indexes by the
    folder that they are in. ``unseen`` are beginnings of paths that could not be looked at.
    """

    files: list[FoundFile] = field(default_factory=list)
    skipped: dict[str, TranscriptSkip] = field(default_factory=dict)
    indexes: dict[str, FileStamp] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)

    def hides(self, path: str) -> bool:
        """Whether a file of this path may still be there although the look did not find it."""
        reason = self.skipped.get(path)
        if reason is not None and reason.is_transient:
            return True
        return any(path.startswith(beginning) for beginning in self.unseen)


def list_transcripts(root: int, *, archives: bool) -> TranscriptListing:
    """Look at everything below the open folder ``root``. Never raises for what it finds there."""
    found = TranscriptListing()
    pending = [("", 0)]
    while pending:
        folder, depth = pending.pop()
        try:
            entries = _read(root, folder)
        except OSError as error:
            if error.errno not in _GONE:
                found.unseen.append(f"{folder}/" if folder else "")
                found.skipped[folder or "."] = TranscriptSkip.UNREADABLE
            continue
        for entry in entries:
            path = posixpath.join(folder, entry.name)
            if entry.kind is EntryKind.FOLDER and entry.is_utf8:
                if depth < DEEPEST:
                    pending.append((path, depth + 1))
                else:
                    found.skipped[path] = TranscriptSkip.TOO_DEEP
            else:
                _take(found, path, entry, archives=archives)
    found.files.sort(key=lambda file: (file.name.is_archive, -file.stamp.mtime_ns, file.path))
    for file in found.files[MOST_FILES:]:
        found.skipped[file.path] = TranscriptSkip.TOO_MANY
    del found.files[MOST_FILES:]
    return found


def stamp_of(status: os.stat_result) -> FileStamp:
    """The part of a ``stat`` result that changes when a file does."""
    return FileStamp(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def missing() -> TranscriptListing:
    """What there is of a folder that does not exist."""
    return TranscriptListing(skipped={".": TranscriptSkip.MISSING})


def unreadable() -> TranscriptListing:
    """What there is of a folder that cannot be opened: all of it may still be there."""
    return TranscriptListing(skipped={".": TranscriptSkip.UNREADABLE}, unseen=[""])


def _read(root: int, folder: str) -> list[Entry]:
    descriptor = open_beneath(root, folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return read_entries(descriptor)
    finally:
        os.close(descriptor)


def _take(found: TranscriptListing, path: str, entry: Entry, *, archives: bool) -> None:
    stamp = _stamp(entry)
    if entry.name == INDEX_NAME and entry.kind is EntryKind.FILE:
        found.indexes[posixpath.dirname(path)] = stamp
        return
    verdict = judge_name(entry.name, archives=archives)
    if isinstance(verdict, TranscriptName):
        refusal = _refuse(entry)
        if refusal is None:
            found.files.append(FoundFile(path, verdict, stamp))
            return
        verdict = refusal
    if verdict is not None:
        found.skipped[path] = verdict


def _refuse(entry: Entry) -> TranscriptSkip | None:
    if not entry.is_utf8:
        return TranscriptSkip.NAME_NOT_UTF8
    match entry.kind:
        case EntryKind.FILE:
            return None
        case EntryKind.LINK:
            return TranscriptSkip.SYMLINK
        case EntryKind.UNREADABLE:
            return TranscriptSkip.UNREADABLE
        case _:
            return TranscriptSkip.NOT_REGULAR


def _stamp(entry: Entry) -> FileStamp:
    device, inode = entry.identity
    return FileStamp(device, inode, entry.stamp.size, entry.stamp.mtime_ns, entry.stamp.ctime_ns)
