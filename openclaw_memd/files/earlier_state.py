"""The state of a workspace that lay elsewhere: it is tied to the new place when the owner says so."""

import os
from dataclasses import dataclass
from pathlib import Path

from openclaw_memd.files.identity import Identity, is_in_place
from openclaw_memd.files.lock import FolderLock
from openclaw_memd.files.marker import find_record, open_recorded, read_record, write_record


@dataclass(frozen=True, slots=True)
class EarlierState:
    """The state ``id`` below ``state_dir``, and the workspace ``own`` whose marker names it.

    The marker stays as it is, so a state whose record says that it is ``own``'s is found by the next start.
    """

    state_dir: Path
    id: str
    own: Identity

    @property
    def is_tied(self) -> bool:
        """Whether the next start takes it."""
        record = find_record(self.state_dir, self.id)
        return record is not None and record.path == self.own.path

    def tie(self) -> bool:
        """Say in the state that it belongs to ``own``. False when it is gone, or its own workspace is back.

        Raises:
            ConflictError: a daemon uses it (``reason`` is ``lock_held``).
            OSError: the disk refuses it; the state is as it was.
        """
        folder = open_recorded(self.state_dir, self.id)
        if folder is None:
            return False
        try:
            lock = FolderLock(folder)
            try:
                before = read_record(folder)
                if before is None or (before.path != self.own.path and is_in_place(before)):
                    return False
                write_record(folder, self.own)
            finally:
                lock.release()
        finally:
            os.close(folder)
        return True
