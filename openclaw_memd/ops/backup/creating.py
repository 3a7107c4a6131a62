"""Making one archive of several workspaces while they are in use.

Everything is made in a folder of its own beside the archive's place, verified by reading it back, and put in
its place by one rename: an archive that is not whole never has its name.
"""

import errno
import fcntl
import os
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Final

import trio

from openclaw_memd.errors import ConflictError, MemdError, UnavailableError
from openclaw_memd.files.private import FOLDER_MODE
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.snapshots import copy_database
from openclaw_memd.jobs import Progress
from openclaw_memd.ops.backup.manifest import ArchiveError, Manifest
from openclaw_memd.ops.backup.packing import Frozen, Source, pack
from openclaw_memd.ops.backup.reading import verify_archive
from openclaw_memd.ops.backup.staging import Stage
from openclaw_memd.ops.backup.tree import Identity
from openclaw_memd.ops.backup.types import Made

_TRIES: Final = 3
"""How often a moment is looked for at which others, too, do not write to the files."""

_SCRATCH: Final = ".memd-backup-"
_SCRATCH_NAME: Final = re.compile(re.escape(_SCRATCH) + r"[0-9a-f]{16}")
_DISK: Final = {
    errno.ENOSPC: ("the disk is full", "disk_full"),
    errno.EDQUOT: ("the disk is full", "disk_full"),
    errno.EROFS: ("the folder of the archive cannot be written", "read_only"),
    errno.EACCES: ("the folder of the archive cannot be written", "denied"),
    errno.EPERM: ("the folder of the archive cannot be written", "denied"),
}


class _ChangedError(Exception):
    """Somebody wrote to the files before the ledger's moment was fixed."""


async def create_archive(
    sources: Sequence[Source],
    target: Path,
    *,
    at: datetime,
    copies: Path | None = None,
    skip: frozenset[Identity] = frozenset(),
    progress: Progress = lambda _done, _total=None: None,
) -> Made:
    """Archive ``sources`` into the new file ``target``, in a folder that is there.

    ``copies`` is the folder for what is kept meanwhile, the archive's own by default: that one may be on a
    slow disk, or on one without modes. ``skip`` has folders that are not archived. Cancelled or failed, it
    leaves nothing.

    Raises:
        ConflictError: there is something at ``target`` (``reason`` is ``exists``).
        TooLargeError: there are more files than one archive can list.
        UnavailableError: a workspace, its ledger or the disk cannot be used.
    """
    thread = trio.CapacityLimiter(1)
    with disk_told():
        async with (
            _scratch(copies or target.parent, thread) as scratch,
            _scratch(target.parent, thread) as place,
        ):
            skip |= {_identity(scratch), _identity(place)}
            frozen = [(source, await _freeze(source, scratch, skip, thread)) for source in sources]
            archive = place / "archive"
            work = partial(pack, frozen, archive, scratch, at=at, skip=skip, progress=progress)
            manifest = await trio.to_thread.run_sync(work, limiter=thread)
            await trio.to_thread.run_sync(partial(_verify, archive, manifest), limiter=thread)
            size = archive.stat().st_size
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(partial(_put, archive, target), limiter=thread)
    return Made(target, size, manifest.files, manifest.left_out)


def sweep_scratch(folder: Path) -> None:
    """Take away what makers of archives that did not end have left in ``folder``."""
    for entry in folder.iterdir():
        if _SCRATCH_NAME.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink():
            descriptor = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue  # its maker lives
            else:
                shutil.rmtree(entry, ignore_errors=True)
            finally:
                os.close(descriptor)


async def _freeze(
    source: Source, scratch: Path, skip: frozenset[Identity], thread: trio.CapacityLimiter
) -> Frozen:
    folder = scratch / source.id
    folder.mkdir(FOLDER_MODE)
    stage = Stage(source.roots, folder, skip)
    ledger = scratch / f"{source.id}.db"
    failure: Exception | None = None
    schema = 0
    async with source.forgetting:
        await trio.to_thread.run_sync(partial(_look, source, stage), limiter=thread)
        async with trio.open_nursery() as nursery:
            let_go = trio.Event()
            await nursery.start(_hold, source.turn, let_go)
            try:
                schema = await _fix(source, stage, ledger, let_go, thread)
            except (MemdError, DamagedError, OSError) as error:
                failure = error
            finally:
                let_go.set()
    if failure is not None:
        raise failure
    return Frozen(stage, ledger, schema)


async def _hold(
    lock: trio.Lock, let_go: trio.Event, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    async with lock:
        task_status.started()
        await let_go.wait()


async def _fix(
    source: Source, stage: Stage, ledger: Path, let_go: trio.Event, thread: trio.CapacityLimiter
) -> int:
    """Copy the ledger as of a moment at which the files are as staged; the number of its schema.

    Where others write all the time, the copies are older than that moment, never newer: a line that the
    ledger has not heard of would have nobody behind it, and be taken for handwritten.
    """
    for left in reversed(range(_TRIES)):
        await trio.to_thread.run_sync(stage.refresh, limiter=thread)

        def on_fixed(is_last: bool = not left) -> None:
            if not is_last and stage.differs():
                raise _ChangedError
            trio.from_thread.run_sync(let_go.set)

        try:
            return await source.state.read(partial(copy_database, target=ledger, on_fixed=on_fixed))
        except _ChangedError:
            continue
    raise AssertionError


def _look(source: Source, stage: Stage) -> None:
    source.roots.refresh()
    try:
        stage.refresh()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise UnavailableError("a workspace folder is gone", reason="missing") from None
        raise


def _verify(archive: Path, manifest: Manifest) -> None:
    with archive.open("rb") as file:
        try:
            found = verify_archive(file, trio.from_thread.check_cancelled)
        except ArchiveError:
            found = None
    if found != manifest:
        raise UnavailableError("the archive is not on the disk as it was written", reason="disk_error")


def _put(archive: Path, target: Path) -> None:
    try:
        os.link(archive, target)  # a rename would replace what came meanwhile
    except FileExistsError:
        raise ConflictError(
            "there is something at this place already", field="path", reason="exists"
        ) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
            raise
        if target.exists():
            raise ConflictError(
                "there is something at this place already", field="path", reason="exists"
            ) from None
        archive.rename(target)
    _sync(target.parent)


@asynccontextmanager
async def _scratch(parent: Path, thread: trio.CapacityLimiter) -> AsyncIterator[Path]:
    await trio.to_thread.run_sync(sweep_scratch, parent, limiter=thread)
    folder = parent / f"{_SCRATCH}{token_hex(8)}"
    folder.mkdir(FOLDER_MODE)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield folder
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True), limiter=thread)
        os.close(descriptor)


@contextmanager
def disk_told() -> Iterator[None]:
    """Turn what the disk says into ``UnavailableError``."""
    try:
        yield
    except DamagedError:
        raise UnavailableError("the ledger is damaged, so nothing was archived", reason="damaged") from None
    except OSError as error:
        told, reason = _DISK.get(error.errno or 0, ("the disk cannot be read or written", "disk_error"))
        raise UnavailableError(told, reason=reason) from error


def _identity(path: Path) -> Identity:
    status = path.stat()
    return status.st_dev, status.st_ino


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
