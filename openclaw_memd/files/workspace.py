"""Opening a workspace: the folder, its locks, its marker, and the state folder that belongs to it."""

import errno
import os
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self

from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.arrival import Arrival, Known, Marker, Moved, judge_arrival, loses_origins
from openclaw_memd.files.earlier_state import EarlierState
from openclaw_memd.files.identity import Identity, host_id, is_in_place
from openclaw_memd.files.lock import FolderLock
from openclaw_memd.files.marker import find_record, lost_origins, read_marker, write_marker, write_record
from openclaw_memd.files.private import FOLDER_MODE, open_folder

READ_ONLY_WARNING = (
    "memory/.dreams in the workspace cannot be written to, so the lock is in the state folder alone: a daemon"
    " with another state folder would not be noticed"
)
UNMARKED_WARNING = (
    "memory/.dreams/memd.json in the workspace cannot be written, so a lost state or a copy of the workspace"
    " would not be noticed"
)
_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class WorkspaceProblem(StrEnum):
    """Why a workspace cannot be opened."""

    MISSING = "missing"
    NOT_A_FOLDER = "not_a_folder"
    UNREADABLE = "unreadable"
    EVERYTHING = "everything"
    STATE_FOLDER = "state_folder"


class WorkspaceError(Exception):
    """The workspace or its state folder cannot be used: a matter of configuration.

    The message names the path, for the person who starts the daemon; it is not for callers.
    """

    def __init__(self, problem: WorkspaceProblem, path: Path, detail: str) -> None:
        super().__init__(f"{path}: {detail}")
        self.problem = problem
        self.path = path


class Workspace:
    """An open workspace, locked until `close`.

    ``path`` is the real path, ``id`` names the workspace's state, ``state`` is the state folder (mode 0700)
    and ``arrival`` what this start found. ``origins_lost`` says that the state folder was made where the
    workspace had a state before: a ledger that begins in it cannot know where the lines come from.
    ``warnings`` are plain sentences for status.
    """

    def __init__(
        self,
        own: Identity,
        arrival: Arrival,
        state: Path,
        warnings: tuple[str, ...],
        *,
        origins_lost: bool,
        host: str,
        folder: int,
        place: ExitStack,
        held: ExitStack,
    ) -> None:
        """``place`` holds what lies in the workspace, ``held`` the rest."""
        self.path = Path(own.path)
        self.id = state.name
        self.state = state
        self.arrival = arrival
        self.warnings = warnings
        self.origins_lost = origins_lost
        self._own = own
        self._host = host
        self._folder = folder
        self._place = place
        self._held = held

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def has_state(self) -> bool:
        """Whether the state folder is in its place. One that was removed, or made anew, is not."""
        try:
            return os.path.samestat(self.state.stat(), os.fstat(self._folder))
        except OSError as error:
            return error.errno not in (errno.ENOENT, errno.ENOTDIR)

    @property
    def earlier(self) -> EarlierState | None:
        """The state that this workspace had where it lay before, when it was moved here."""
        if not isinstance(self.arrival, Moved):
            return None
        return EarlierState(self.state.parent, self.arrival.previous_id, self._own)

    def renew(self) -> None:
        """Lock and mark the folder that took the workspace's place, once there are notes in it. Blocking.

        What the disk refuses is left for the next call.

        Raises:
            ConflictError: another daemon was quicker (``reason`` is ``lock_held``).
        """
        try:
            own, root = _open_root(self.path, create=False)
        except WorkspaceError:
            return
        with ExitStack() as place:
            place.callback(os.close, root)
            if own == self._own or not _has_notes(root):
                return
            machine = _lock_machine_folder(root, place)
            try:
                write_record(self._folder, own)
            except OSError:  # the disk is full, say
                return
            if _look_for_marker(root, self._host) is None:
                _mark(machine, Known(self.id), Marker(self.id, self._host))
            self._own = own
            self._place.close()
            self._place = place.pop_all()

    def close(self) -> None:
        """Release the locks."""
        self._place.close()
        self._held.close()


def open_workspace(
    path: Path, *, state_dir: Path, create: bool = False, host: str | None = None
) -> Workspace:
    """Open and lock the workspace at ``path``; ``create`` makes it if it is missing.

    ``state_dir`` is the parent of the state folders; ``host`` stands for `host_id` in tests.

    Raises:
        WorkspaceError: the folder is missing, not a folder or unreadable, or the state folder is unusable.
        UnavailableError: the disk has no room for a state folder.
        ConflictError: another daemon holds the workspace or its state (``reason`` is ``lock_held``).
    """
    host = host_id() if host is None else host
    own, root = _open_root(path, create=create)
    with ExitStack() as held, ExitStack() as place:
        place.callback(os.close, root)
        machine = _lock_machine_folder(root, place)
        marker = _look_for_marker(root, host)
        arrival = judge_arrival(own, marker, host, lambda id_: find_record(state_dir, id_), is_in_place)
        state = state_dir / (arrival.id if isinstance(arrival, Known) else own.id)
        folder = _open_state(state)
        held.callback(os.close, folder)
        try:
            held.callback(FolderLock(folder).release)
            origins_lost = lost_origins(folder)
            if origins_lost is None:
                origins_lost = loses_origins(arrival)
            write_record(folder, own, origins_lost=origins_lost)
        except OSError as error:
            raise _state_error(state, error) from None
        warnings = _mark(machine, arrival, Marker(state.name, host))
        return Workspace(
            own,
            arrival,
            state,
            warnings,
            origins_lost=origins_lost,
            host=host,
            folder=folder,
            place=place.pop_all(),
            held=held.pop_all(),
        )


def _open_root(path: Path, *, create: bool) -> tuple[Identity, int]:
    try:
        if create:
            path.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        real = path.resolve(strict=True)
        if real == Path(real.anchor):
            raise WorkspaceError(
                WorkspaceProblem.EVERYTHING,
                path,
                "the whole file system is no workspace: name a folder in it",
            )
        root = os.open(real, _FLAGS)
    except (FileExistsError, NotADirectoryError):
        raise WorkspaceError(WorkspaceProblem.NOT_A_FOLDER, path, "the workspace is not a folder") from None
    except FileNotFoundError:
        raise WorkspaceError(
            WorkspaceProblem.MISSING,
            path,
            "the workspace does not exist: make it, bring it back or name another",
        ) from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        detail = f"the workspace cannot be opened ({getattr(error, 'strerror', None) or 'links in a circle'})"
        raise WorkspaceError(WorkspaceProblem.UNREADABLE, path, detail) from None
    status = os.fstat(root)
    return Identity(str(real), status.st_dev, status.st_ino), root


def _open_machine_folder(root: int, *, create: bool) -> int:
    notes = open_folder(root, "memory", create=create)
    try:
        return open_folder(notes, ".dreams", create=create)
    finally:
        os.close(notes)


def _has_notes(root: int) -> bool:
    try:
        os.close(open_folder(root, "memory", create=False))
    except OSError:
        return False
    return True


def _lock_machine_folder(root: int, held: ExitStack) -> int | None:
    """The locked folder ``memory/.dreams``, made if missing; None where nothing can be written."""
    try:
        folder = _open_machine_folder(root, create=True)
    except OSError:
        return None
    held.callback(os.close, folder)
    try:
        held.callback(FolderLock(folder).release)
    except OSError:
        return None
    return folder


def _mark(machine: int | None, arrival: Arrival, marker: Marker) -> tuple[str, ...]:
    """Leave the marker in the folder ``machine``, where that may be; what people are to be told."""
    if machine is None:
        return (READ_ONLY_WARNING,)
    if not isinstance(arrival, Moved):
        try:
            write_marker(machine, marker)
        except OSError:
            return (UNMARKED_WARNING,)
    return ()


def _look_for_marker(root: int, host: str) -> Marker | None:
    try:
        folder = _open_machine_folder(root, create=False)
    except OSError:
        return None
    try:
        return read_marker(folder, host)
    finally:
        os.close(folder)


def _open_state(state: Path) -> int:
    """The state folder, made if missing, open to nobody else."""
    try:
        state.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        parent = os.open(state.parent, _FLAGS)
        try:
            folder = open_folder(parent, state.name, create=True)
        finally:
            os.close(parent)
        os.fchmod(folder, FOLDER_MODE)
    except OSError as error:
        raise _state_error(state, error) from None
    return folder


def _state_error(state: Path, error: OSError) -> WorkspaceError | UnavailableError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UnavailableError("the disk is full", reason="disk_full")
    detail = (
        f"the state folder cannot be used ({error.strerror or errno.errorcode.get(error.errno or 0, '?')})"
    )
    return WorkspaceError(WorkspaceProblem.STATE_FOLDER, state, detail)
