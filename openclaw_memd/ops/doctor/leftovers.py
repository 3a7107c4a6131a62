"""Temporary files of memd that a process which was ended has left. All of it blocks."""

import os
import re
import shutil
import stat
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from openclaw_memd.files.beside import is_beside
from openclaw_memd.ops.doctor import disk
from openclaw_memd.ops.doctor.findings import Finding

OLD_S: Final = 600.0
"""What changed in so many seconds may still be in use: nothing of memd's is for longer than some seconds."""

_REPLACING: Final = re.compile(r"\.(?:memd|workspace)\.json\.[0-9a-f]{8}")
_BUILDING: Final = re.compile(r"[a-z0-9-]+\.db\.building-\d+(?:-wal|-shm|\.open)?")
_DAMAGED: Final = re.compile(r"[a-z0-9-]+\.db\.damaged-[0-9TZ]+")


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Where to look, and what is in use.

    ``tokens`` are those of rewrites that the ledger knows; ``is_building`` tells that an index is built now.
    What changed less than ``old_s`` seconds ago is left alone.
    """

    workspace: Path
    state: Path
    tokens: Collection[str] = ()
    is_building: bool = False
    old_s: float = OLD_S

    def find(self) -> Iterator[Finding]:
        """What was left behind, and what was set aside."""
        for folder in self._folders:
            for name in _names(folder):
                path = folder / name
                if self.is_leftover(path):
                    yield Finding.of("leftover", f"{name} was left behind.", subject=name, place=str(path))
                elif folder == self.state and _DAMAGED.fullmatch(name):
                    yield Finding.of("set-aside", f"{name} is a damaged database.", subject=name)

    def remove(self, path: Path) -> bool:
        """Remove a leftover, if it still is one; whether it was there.

        Raises:
            OSError: it cannot be removed.
        """
        if not self.is_leftover(path):
            return False
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        return True

    def is_leftover(self, path: Path) -> bool:
        """Whether a path is that of a temporary file of ours that nobody needs."""
        if path.parent not in self._folders or not self._is_ours(path):
            return False
        try:
            status = path.lstat()
        except OSError:
            return False
        is_known_kind = stat.S_ISREG(status.st_mode) or (
            stat.S_ISDIR(status.st_mode) and disk.NAME.fullmatch(path.name) is not None
        )
        return is_known_kind and time.time() - max(status.st_mtime, status.st_ctime) > self.old_s

    @property
    def _folders(self) -> tuple[Path, ...]:
        return self.workspace, self.workspace / "memory" / ".dreams", self.state

    def _is_ours(self, path: Path) -> bool:
        name = path.name
        if disk.NAME.fullmatch(name) or (path.parent != self.workspace and _REPLACING.fullmatch(name)):
            return True
        if path.parent == self.workspace:
            return is_beside(name) and not any(token in name for token in self.tokens)
        is_building = path.parent == self.state and _BUILDING.fullmatch(name) is not None
        return is_building and not self.is_building


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names alone
    except OSError:
        return []
