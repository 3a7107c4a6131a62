"""Bringing an archive back: all of it is verified before anything is written, and put in place at once.

It is unpacked beside the folder that it is for and changes places with what is there in one step; what was
there stays, under a name with the time.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Final

from openclaw_memd.errors import ConflictError
from openclaw_memd.files.arrival import Marker
from openclaw_memd.files.identity import Identity, host_id
from openclaw_memd.files.lock import LOCK_NAME
from openclaw_memd.files.marker import MARKER_NAME, write_marker, write_record
from openclaw_memd.files.names import NOTES
from openclaw_memd.files.private import FOLDER_MODE, open_folder
from openclaw_memd.ops.backup.manifest import Archived, ArchiveError, Manifest
from openclaw_memd.ops.backup.reading import verify_archive
from openclaw_memd.ops.backup.swapping import swap_folders
from openclaw_memd.ops.backup.unpacking import remove_tree, unpack

ROOM_BYTES: Final = 16 * 1024 * 1024
"""Left free on the disk beside what is unpacked, for the index that the daemon makes."""

_MARKER: Final = f"{NOTES}/.dreams/{MARKER_NAME}"
_UNPACKING: Final = "memd-unpacking"
_WHOLE: Final = "memd-restored"
_BLOCK_BYTES: Final = 4096
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class RestoreError(Exception):
    """Nothing was restored; the message says why, for the person who asked."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was brought back. ``kept_aside`` is where that lies which was at ``folder`` before.

    ``untied`` names workspaces in which no marker can be put, so that a daemon does not find their state.
    """

    folder: Path
    manifest: Manifest
    kept_aside: Path | None
    untied: tuple[str, ...] = ()

    @property
    def state_dir(self) -> Path:
        """The folder for ``[paths] state_dir``."""
        return self.folder / "state"

    def workspace(self, one: Archived) -> Path:
        """The folder for ``workspace`` of its agents."""
        return self.folder / "workspace" / one.name


def restore_archive(
    archive: Path,
    to: Path,
    *,
    now: datetime,
    on_step: Callable[[str], None] = lambda _step: None,
) -> Restored:
    """Make the folder ``to`` what ``archive`` holds. Blocks. ``on_step`` hears what is done next.

    Raises:
        ArchiveError: the archive cannot be used; nothing was touched.
        RestoreError: ``to`` cannot be made so; it is as it was.
        ConflictError: a daemon uses it (``reason`` is ``lock_held``).
        OSError: the disk fails; ``to`` is as it was.
    """
    with _opened(archive) as file:
        on_step("verify")
        manifest = verify_archive(file)
        folder = _find_place(to, archive)
        with _locked(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            _check_room(folder.parent, manifest)
            _sweep(folder)
            token = token_hex(8)
            beside = _beside(folder, _UNPACKING, token)
            with _unpacking(beside):
                on_step("unpack")
                unpack(file, manifest, beside)
                on_step("tie")
                untied = _tie(manifest, beside, folder)
                _sync_all(beside)
                on_step("swap")
                whole = _beside(folder, _WHOLE, token)
                beside.rename(whole)  # from here on it is no leftover to be swept
            try:
                kept_aside = swap_folders(whole, folder, now)
            except OSError:
                remove_tree(whole)
                raise
    return Restored(folder, manifest, kept_aside, untied)


def _opened(archive: Path) -> BinaryIO:
    descriptor = os.open(archive, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe keeps nobody waiting
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ArchiveError("it is no file, and an archive is read more than once")
    return open(descriptor, "rb")  # noqa: PTH123 - a descriptor


def _find_place(to: Path, archive: Path) -> Path:
    """The real path of the folder.

    Raises:
        RestoreError: it cannot be replaced.
    """
    folder = Path(os.path.realpath(to))
    if folder.exists() and not folder.is_dir():
        raise RestoreError("there is something else than a folder at this place")
    if Path.home().resolve().is_relative_to(folder) or os.path.ismount(folder):
        raise RestoreError("this folder cannot change places with another; name one inside of it")
    if (folder / _MARKER).exists():
        raise RestoreError("it is a workspace; name a folder that is none")
    for place in folder.parents:
        if folder.is_relative_to(place / NOTES) and (place / _MARKER).exists():
            raise RestoreError(f"all of it would be read as memory of the workspace {place}")
    if folder.exists() and Path(os.path.realpath(archive)).is_relative_to(folder):
        raise RestoreError("the archive lies in this folder, which is to be replaced; move it out first")
    return folder


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold every lock of a daemon in ``folder``, so that none begins in what is about to go.

    A daemon locks its state and its workspace, which may lie however deep.
    """
    with ExitStack() as held:
        for path in _find_locks(folder):
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError:
                continue
            held.callback(os.close, descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ConflictError(
                    "a daemon that runs uses this folder; stop it first", reason="lock_held"
                ) from None
        yield


def _find_locks(folder: Path) -> Iterator[str]:
    pending = [os.fspath(folder)]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    elif entry.name == LOCK_NAME:
                        yield entry.path
        except OSError:  # it is gone, not there at all, or nobody's workspace: nothing can be locked there
            continue


def _beside(folder: Path, what: str, token: str) -> Path:
    return folder.with_name(f".{folder.name[:64]}.{what}-{token}")


def _sweep(folder: Path) -> None:
    """Take away what restores of ``folder`` that did not end have begun to unpack."""
    prefix = _beside(folder, _UNPACKING, "").name
    for found in [entry for entry in folder.parent.iterdir() if entry.name.startswith(prefix)]:
        try:
            descriptor = _open(found)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(found)
        except BlockingIOError:
            continue  # somebody is at it
        finally:
            os.close(descriptor)


@contextmanager
def _unpacking(beside: Path) -> Iterator[None]:
    """Make the folder, mark it as in use, and take it away should that fail."""
    beside.mkdir(FOLDER_MODE)
    descriptor = _open(beside)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    except BaseException:
        remove_tree(beside)
        raise
    finally:
        os.close(descriptor)


def _check_room(parent: Path, manifest: Manifest) -> None:
    found = os.statvfs(parent)
    free = found.f_bavail * found.f_frsize
    needed = manifest.bytes + _BLOCK_BYTES * len(manifest.members) + ROOM_BYTES
    if needed > free:
        raise RestoreError(f"the disk has no room: {needed:,} bytes are needed, {free:,} are free")


def _tie(manifest: Manifest, beside: Path, folder: Path) -> tuple[str, ...]:
    """Say in each workspace and its state that they belong together, where they are going to be.

    The names of those workspaces in which that cannot be said.
    """
    host = host_id()
    untied: list[str] = []
    for one in manifest.workspaces:
        workspace = beside / "workspace" / one.name
        status = workspace.stat()
        real = folder / "workspace" / one.name
        root = _open(workspace)
        try:
            with _writable(root), _machine_folder(root) as machine:
                write_marker(machine, Marker(one.id, host))
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR):  # a link or a file has the folder's place
                raise
            untied.append(one.name)
        finally:
            os.close(root)
        state = _open(beside / "state" / one.id)
        try:
            write_record(state, Identity(str(real), status.st_dev, status.st_ino))
        finally:
            os.close(state)
    return tuple(untied)


@contextmanager
def _writable(folder: int) -> Iterator[None]:
    """Whatever its mode is meanwhile."""
    mode = os.fstat(folder).st_mode & 0o777
    os.fchmod(folder, mode | FOLDER_MODE)
    try:
        yield
    finally:
        os.fchmod(folder, mode)


@contextmanager
def _machine_folder(root: int) -> Iterator[int]:
    notes = open_folder(root, "memory", create=True)
    try:
        with _writable(notes):
            machine = open_folder(notes, ".dreams", create=True)
            try:
                with _writable(machine):
                    yield machine
            finally:
                os.close(machine)
    finally:
        os.close(notes)


def _sync_all(beside: Path) -> None:
    """Make everything survive a power cut before it takes a place. One call for all files is far quicker."""
    os.sync()
    descriptor = _open(beside)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open(folder: Path) -> int:
    return os.open(folder, _FOLDER_FLAGS)
