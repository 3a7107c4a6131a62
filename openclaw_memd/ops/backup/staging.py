"""Copies of the files that the ledger speaks of, so that both are of one moment.

They are copied at leisure; what changed meanwhile is copied again while memd's own writers wait, which takes
as long as a look at their stamps. Then the ledger's moment is fixed.
"""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from openclaw_memd.files.beneath import FRESH_NS
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.ops.backup.tree import Identity, Node, copy_file, is_ledgered, walk
from openclaw_memd.ops.backup.types import LeftOut

_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Staged:
    """A file, folder or link as it was last looked at; ``copy`` is the number of a file's copy."""

    node: Node
    sha256: str = ""
    copy: int | None = None
    is_fresh: bool = False


class Stage:
    """The copies of one workspace, below ``folder``. One thread at a time."""

    def __init__(self, roots: Roots, folder: Path, skip: frozenset[Identity]) -> None:
        self._roots = roots
        self._folder = folder
        self._skip = skip
        self._count = 0
        self._staged: dict[str, Staged] = {}
        self.left_out: list[LeftOut] = []

    @property
    def staged(self) -> list[Staged]:
        """Everything, a folder before what is in it."""
        return list(self._staged.values())

    def path(self, copy: int) -> Path:
        """Where a copy lies."""
        return self._folder / str(copy)

    def refresh(self) -> None:
        """Make the copies like the files.

        Raises:
            OSError: the workspace cannot be read, or the copies cannot be written.
        """
        before, self._staged, self.left_out = self._staged, {}, []
        with self._roots.anchored(WORKSPACE) as root:
            for found in walk(root, self._skip, is_ledgered):
                if isinstance(found, LeftOut):
                    self.left_out.append(found)
                    continue
                known = before.pop(found.path, None)
                if known is not None and known.node == found and not known.is_fresh:
                    self._staged[found.path] = known
                elif found.kind != "file":
                    self._staged[found.path] = Staged(found)
                else:
                    self._copy(root, found, None if known is None else known.copy)
        for gone in before.values():
            if gone.copy is not None:
                self.path(gone.copy).unlink()

    def differs(self) -> bool:
        """Whether a file is not like its copy any more.

        Raises:
            OSError: the workspace cannot be read.
        """
        with self._roots.anchored(WORKSPACE) as root:
            found = [one for one in walk(root, self._skip, is_ledgered) if isinstance(one, Node)]
        known = {one.path for one in self.left_out}
        return [one for one in found if one.path not in known] != [one.node for one in self._staged.values()]

    def _copy(self, root: int, found: Node, copy: int | None) -> None:
        if copy is None:
            self._count += 1
            copy = self._count
            os.close(os.open(self.path(copy), _FLAGS, 0o600))
        looked_at = time.time_ns()
        with self.path(copy).open("r+b") as sink:
            copied = copy_file(root, found.path, sink)
        if isinstance(copied, SkipReason):
            self.path(copy).unlink()
            if copied is not SkipReason.VANISHED:
                self.left_out.append(LeftOut(found.path, copied))
            return
        node, sha256 = copied
        changed_at = max(node.stamp.mtime_ns, node.stamp.ctime_ns)
        self._staged[found.path] = Staged(node, sha256, copy, looked_at - changed_at < FRESH_NS)
