"""What the disks under memd can do, by trying it in a folder of its own. It blocks."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Final

from openclaw_memd.files.beside import can_exchange
from openclaw_memd.files.private import FOLDER_MODE, open_file
from openclaw_memd.ops.doctor.findings import Finding, begin_sentence
from openclaw_memd.ops.doctor.kind_definition import Severity

PREFIX: Final = ".memd-doctor-"
NAME: Final = re.compile(re.escape(PREFIX) + r"[0-9a-f]{16}")

COARSE_NS: Final = 1_000_000
"""Times that are kept to a millisecond tell all saves of people apart."""

LOW_BYTES: Final = 500_000_000
FULL_BYTES: Final = 50_000_000
LOW_FILES: Final = 1_000

_NETWORK: Final = frozenset(
    {"9p", "afs", "ceph", "cifs", "fuse.rclone", "fuse.sshfs", "glusterfs", "nfs", "nfs4", "smb3", "smbfs"}
)
_SYNCED: Final = frozenset(
    {"Dropbox", "Google Drive", "GoogleDrive", "Mobile Documents", "Nextcloud", "OneDrive", "iCloud Drive"}
)
_TIME_NS: Final = 1_700_000_000_123_456_789


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a trial found. ``grain_ns`` is how exactly a time was kept."""

    exchanges: bool
    tells_case: bool
    locks: bool
    grain_ns: int


@dataclass(frozen=True, slots=True)
class Room:
    """What is left on a disk; ``free_files`` is None where files are not counted."""

    free_bytes: int
    free_files: int | None


def try_disk(folder: Path) -> Abilities | None:
    """What can be done in ``folder``; None where nothing can be written."""
    try:
        with _own_folder(folder) as descriptor:
            return Abilities(
                exchanges=can_exchange(descriptor),
                tells_case=_tells_case(descriptor),
                locks=_locks(descriptor),
                grain_ns=_grain_ns(descriptor),
            )
    except OSError:
        return None


def measure_room(folder: Path) -> Room | None:
    """What is left on the disk of ``folder``; None when it is not there."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    return Room(found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None)


def read_mounts() -> str:
    """The mounts of this process as the kernel lists them; '' where it does not."""
    try:
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def judge_abilities(what: str, found: Abilities | None, *, is_workspace: bool) -> Iterator[Finding]:
    """What is to be said of a disk's abilities. ``what`` is what people call the folder."""
    if found is None:
        if is_workspace:
            yield Finding.of("read-only-workspace")
        return
    if not found.exchanges and is_workspace:
        yield Finding.of("no-exchange")
    if not found.locks:
        yield Finding.of("no-locks", f"The disk of {what} has no locks that work.", subject=_subject(what))
    if not found.tells_case and is_workspace:
        yield Finding.of("case-insensitive")
    if found.grain_ns > COARSE_NS and is_workspace:
        yield Finding.of("coarse-times", f"The disk keeps times to {found.grain_ns / 1e6:,.0f} ms.")


def judge_room(what: str, room: Room | None) -> Iterator[Finding]:
    """What is to be said of the room that is left."""
    if room is None:
        return
    if room.free_bytes < LOW_BYTES:
        severity: Severity = "error" if room.free_bytes < FULL_BYTES else "warning"
        told = f"The disk of {what} has {room.free_bytes / 1e6:,.0f} MB left."
        yield Finding.of("disk-low", told, subject=_subject(what), severity=severity)
    elif room.free_files is not None and room.free_files < LOW_FILES:
        told = f"The disk of {what} has room for {room.free_files:,} more files."
        yield Finding.of("disk-low", told, subject=_subject(what))


def judge_mount(what: str, folder: Path, mounts: str, *, is_workspace: bool) -> Iterator[Finding]:
    """Whether a folder lies where others change files without the system's knowing. Pure."""
    kind = mount_type(folder, mounts)
    if kind in _NETWORK:
        yield Finding.of(
            "network-disk", f"{begin_sentence(what)} lies on a disk of type {kind}.", subject=_subject(what)
        )
    elif synced := _SYNCED.intersection(folder.parts):
        told = (
            f"{begin_sentence(what)} lies in a folder that {min(synced)} keeps the same on several machines."
        )
        severity: Severity = "info" if is_workspace else "warning"  # many keep their notes there
        yield Finding.of("network-disk", told, subject=_subject(what), severity=severity)


def mount_type(folder: Path, mounts: str) -> str | None:
    """The type of the file system of ``folder`` by proc_pid_mountinfo(5); the last of equal mounts counts."""
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        fields, _, after = line.partition(" - ")
        parts = fields.split(" ")
        if len(parts) < 5 or not after:
            continue
        point = Path(_ESCAPE.sub(lambda match: chr(int(match[1], 8)), parts[4]))
        if folder.is_relative_to(point) and (best is None or len(point.parts) >= best[0]):
            best = len(point.parts), after.split(" ")[0]
    return None if best is None else best[1]


_ESCAPE: Final = re.compile(r"\\([0-7]{3})")


@contextmanager
def _own_folder(folder: Path) -> Iterator[int]:
    """A new folder in ``folder`` as a descriptor; it goes with all that is in it."""
    name = f"{PREFIX}{token_hex(8)}"
    parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.mkdir(name, FOLDER_MODE, dir_fd=parent)
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=parent)
            try:
                yield descriptor
            finally:
                for inside in os.listdir(descriptor):  # noqa: PTH208 - a descriptor
                    os.unlink(inside, dir_fd=descriptor)
                os.close(descriptor)
        finally:
            os.rmdir(name, dir_fd=parent)
    finally:
        os.close(parent)


def _tells_case(folder: int) -> bool:
    os.close(open_file(folder, "case", os.O_WRONLY))
    try:
        os.stat("CASE", dir_fd=folder)
    except FileNotFoundError:
        return True
    return False


def _locks(folder: int) -> bool:
    """Whether a lock of one descriptor keeps another one out."""
    first, second = (open_file(folder, "lock", os.O_RDWR) for _ in range(2))
    try:
        fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with suppress(BlockingIOError):
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
    except OSError:
        return False
    finally:
        os.close(second)
        os.close(first)
    return True


def _grain_ns(folder: int) -> int:
    descriptor = open_file(folder, "time", os.O_WRONLY)
    try:
        os.utime(descriptor, ns=(_TIME_NS, _TIME_NS))
        return abs(_TIME_NS - os.fstat(descriptor).st_mtime_ns)
    finally:
        os.close(descriptor)


def _subject(what: str) -> str:
    return what.removeprefix("the ").removesuffix(" folder")
