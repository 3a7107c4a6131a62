"""Writing what was planned, and taking it back. Everything here blocks: it runs in worker threads."""

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from openclaw_memd.domain.importing import ImportReason
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.import_asides import settle
from openclaw_memd.files.imported import (
    ChangedError,
    back_up,
    place_instead,
    place_new,
    read_backup,
    read_present,
    remove_empty_folders,
    sync_names,
    take_away,
)
from openclaw_memd.files.names import IMPORTS, WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.imports import FileState, ImportedFile
from openclaw_memd.ops.imports.collecting import read_offer
from openclaw_memd.ops.imports.types import Left, Offer

FILES_BACKUP = "files"
_FULL = (errno.ENOSPC, errno.EDQUOT)

Outcome = tuple[str, FileState, Left | None]
"""The path, what became of it, and why if it is not what was wanted."""


def settle_files(roots: Roots, files: Sequence[ImportedFile]) -> list[tuple[str, FileState]]:
    """Finish the steps of an import that was cut off; which of its planned files are there after all.

    Raises:
        UnavailableError: the disk failed.
    """
    found: list[tuple[str, FileState]] = []
    with _told(), roots.anchored(WORKSPACE) as root:
        for one in files:
            known = frozenset({one.hash} if one.before is None else {one.hash, one.before})
            settle(root, one.path, known)
            if one.state == "planned" and read_present(root, one.path) == one.hash:
                found.append((one.path, "copied"))
        sync_names(root, [path for path, _ in found])
    return found


def back_up_files(roots: Roots, files: Sequence[ImportedFile], backup: Path) -> list[Outcome]:
    """Copy what will be replaced, and read the copies back; those that changed meanwhile are left alone.

    Raises:
        UnavailableError: the disk is full or fails; nothing was replaced.
    """
    left: list[Outcome] = []
    with _told(), roots.anchored(WORKSPACE) as root:
        for one in files:
            assert one.before is not None
            try:
                back_up(root, one.path, backup / FILES_BACKUP, one.before)
            except ChangedError:
                left.append((one.path, "left", Left(one.path, ImportReason.EXISTS)))
    return left


def sync_outcomes(roots: Roots, outcomes: Sequence[Outcome]) -> None:
    """Make durable what became of these files, before anybody is told.

    Raises:
        UnavailableError: the disk failed.
    """
    with _told(), roots.anchored(WORKSPACE) as root:
        sync_names(root, [path for path, state, _ in outcomes if state in ("copied", "restored")])


def write_file(roots: Roots, one: ImportedFile, offer: Offer, file_bytes: int) -> Outcome:
    """Write one file; what became of it.

    Raises:
        UnavailableError: the disk is full.
    """
    data = read_offer(offer, file_bytes)
    if isinstance(data, SkipReason):
        return one.path, "left", Left(one.path, data)
    with _told(), roots.anchored(WORKSPACE) as root:
        try:
            if one.before is None:
                place_new(root, one.path, data, offer.mtime_ns)
            else:
                place_instead(root, one.path, data, offer.mtime_ns, one.before)
        except ChangedError:
            return one.path, "left", Left(one.path, ImportReason.EXISTS)
        except OSError as error:
            if error.errno in _FULL:
                raise
            return one.path, "left", Left(one.path, _reason(error))
    return one.path, "copied", None


def restore_file(roots: Roots, one: ImportedFile, backup: Path | None) -> Outcome:
    """Make one place what it was before, if nobody changed it since; what became of it.

    Raises:
        UnavailableError: the disk is full.
    """
    with _told(), roots.anchored(WORKSPACE) as root:
        try:
            reason = _restore(root, one, backup)
        except OSError as error:
            if error.errno in _FULL:
                raise
            reason = ImportReason.DISK
    return (one.path, "restored", None) if reason is None else (one.path, "kept", Left(one.path, reason))


def _restore(root: int, one: ImportedFile, backup: Path | None) -> str | None:
    """Why a place cannot be made what it was; None when it is."""
    present = read_present(root, one.path)
    if present == one.before:
        return None
    if present != one.hash:
        return ImportReason.GONE if present is None else ImportReason.EDITED
    try:
        if one.before is None:
            take_away(root, one.path, one.hash)
            remove_empty_folders(root, one.path, IMPORTS.rstrip("/"))
            return None
        kept = None if backup is None else read_backup(backup / FILES_BACKUP / one.path, one.before)
        if kept is None:
            return ImportReason.NO_BACKUP
        place_instead(root, one.path, *kept, one.hash)
    except ChangedError:
        return ImportReason.EDITED
    return None


def _reason(error: OSError) -> str:
    match error.errno:
        case errno.ENAMETOOLONG:
            return ImportReason.NAME_TOO_LONG
        case errno.ELOOP:
            return SkipReason.SYMLINK
        case errno.ENOTDIR | errno.EEXIST | errno.EISDIR:
            return SkipReason.NOT_A_FOLDER
        case _:
            return ImportReason.DISK


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise UnavailableError(
                "the disk is full; once there is room, the same call goes on", reason="disk_full"
            ) from error
        raise UnavailableError("the disk cannot be read or written", reason="disk_error") from error
