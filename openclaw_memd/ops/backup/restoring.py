"""Bringing an archive back: all of it is verified before anything is written, and put in place at once.

It is unpacked beside the folder that it is for and changes places with what is there in one step; what was
there stays, under a name with the time.
"""

import errno
import fcntl
import hashlib
import os
import shutil
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
from openclaw_memd.files.private import FOLDER_MODE, open_folder
from openclaw_memd.ops.backup.manifest import Archived, ArchiveError, Manifest, Member
from openclaw_memd.ops.backup.reading import read_contents, verify_archive
from openclaw_memd.ops.backup.swapping import swap_folders
from openclaw_memd.ops.backup.tar import Found

ROOM_BYTES: Final = 16 * 1024 * 1024
"""Left free on the disk beside what is unpacked, for the index that the daemon makes."""

_MARKER: Final = f"memory/.dreams/{MARKER_NAME}"
_UNPACKING: Final = "memd-unpacking"
_WHOLE: Final = "memd-restored"
_BLOCK_BYTES: Final = 4096
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCKS: Final = (
    f"state/*/{LOCK_NAME}",
    f"workspace/*/memory/.dreams/{LOCK_NAME}",
    f"memory/.dreams/{LOCK_NAME}",
    f"*/{LOCK_NAME}",
    LOCK_NAME,
)
"""Where a daemon that uses the folder, or something in it, holds a lock."""


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
    with archive.open("rb") as file:
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
                _unpack(file, manifest, beside)
                on_step("tie")
                untied = _tie(manifest, beside, folder)
                _sync_all(beside)
                on_step("swap")
                whole = _beside(folder, _WHOLE, token)
                beside.rename(whole)  # from here on it is no leftover to be swept
            try:
                kept_aside = swap_folders(whole, folder, now)
            except OSError:
                _remove(whole)
                raise
    return Restored(folder, manifest, kept_aside, untied)


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
    if any((place / _MARKER).exists() for place in (folder, *folder.parents)):
        raise RestoreError("it is a workspace or lies in one, where all of it would be read as memory")
    if folder.exists() and Path(os.path.realpath(archive)).is_relative_to(folder):
        raise RestoreError("the archive lies in this folder, which is to be replaced; move it out first")
    return folder


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold every lock of a daemon in ``folder``, so that none begins in what is about to go."""
    with ExitStack() as held:
        for pattern in _LOCKS:
            for path in sorted(folder.glob(pattern)):
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
            _remove(found)
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
        _remove(beside)
        raise
    finally:
        os.close(descriptor)


def _check_room(parent: Path, manifest: Manifest) -> None:
    found = os.statvfs(parent)
    free = found.f_bavail * found.f_frsize
    needed = manifest.bytes + _BLOCK_BYTES * len(manifest.members) + ROOM_BYTES
    if needed > free:
        raise RestoreError(f"the disk has no room: {needed:,} bytes are needed, {free:,} are free")


def _unpack(file: BinaryIO, manifest: Manifest, beside: Path) -> None:
    """Write the members below the empty ``beside``; links come last, so nothing is written through one."""
    links: list[Member] = []
    folders: list[Member] = []
    for member, found in read_contents(file, manifest):
        place = beside / member.path
        match member.kind:
            case "folder":
                place.mkdir(FOLDER_MODE)
                folders.append(member)
            case "file":
                _write_file(place, member, found)
            case "link":
                links.append(member)
    for link in links:
        place = beside / link.path
        place.symlink_to(link.target)
        os.utime(place, ns=(link.mtime_ns, link.mtime_ns), follow_symlinks=False)
    for folder in reversed(folders):
        place = beside / folder.path
        os.utime(place, ns=(folder.mtime_ns, folder.mtime_ns))
        place.chmod(folder.mode)


def _write_file(place: Path, member: Member, found: Found) -> None:
    content = hashlib.sha256()
    with open(os.open(place, _FILE_FLAGS, 0o600), "wb") as file:  # noqa: PTH123 - flags that `open` lacks
        while piece := found.read():
            content.update(piece)
            file.write(piece)
        os.fchmod(file.fileno(), member.mode)
        file.flush()
        os.utime(file.fileno(), ns=(member.mtime_ns, member.mtime_ns))
    if content.hexdigest() != member.sha256:
        raise ArchiveError("it changed while it was read")


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


def _remove(beside: Path) -> None:
    """Take away what was unpacked, whatever modes it has."""
    for folder, _, _ in os.walk(beside):
        os.chmod(folder, FOLDER_MODE)  # noqa: PTH101 - of os.walk
    shutil.rmtree(beside, ignore_errors=True)


def _open(folder: Path) -> int:
    return os.open(folder, _FOLDER_FLAGS)
