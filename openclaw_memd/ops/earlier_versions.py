"""Earlier versions of files that others may still write to: what comes late is not lost, the rest goes."""

import hashlib
import os
import posixpath
from collections.abc import Sequence
from typing import Final

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.forgetting import LineRecord, Wanted, cut_text
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.beside import PREFIX
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.tombstones import Rewrite
from openclaw_memd.ops.drafts import MOST_BYTES

_ASIDE: Final = (".new", ".old")


class EarlierVersions:
    """What lies beside files of the workspace. Everything here blocks: use a thread."""

    def __init__(self, roots: Roots, analyzer: Analyzer) -> None:
        self._roots = roots
        self._analyzer = analyzer

    def open_folder(self, path: str) -> int:
        """A descriptor of the folder of a file.

        Raises:
            OSError: it cannot be reached.
        """
        with self._roots.anchored(WORKSPACE) as root:
            return open_beneath(root, posixpath.dirname(path), os.O_RDONLY | os.O_DIRECTORY)

    def sweep(self, rewrite: Rewrite, records: Sequence[LineRecord], wanted: Wanted) -> None:
        """Take away what a rewrite that was cut off left; what somebody added to it goes to the file.

        Raises:
            OSError: the disk cannot be written.
        """
        try:
            folder = self.open_folder(rewrite.path)
        except FileNotFoundError:
            return
        try:
            for name in os.listdir(folder):  # noqa: PTH208 - a descriptor
                if name.startswith(PREFIX) and name.endswith(_ASIDE):
                    self._sweep_one(folder, name, rewrite, records, wanted)
        finally:
            os.close(folder)

    def add(self, folder: int, path: str, late: bytes, records: Sequence[LineRecord], wanted: Wanted) -> None:
        """Add what came late to the file, without what is wanted.

        Raises:
            OSError: the disk cannot be written.
        """
        late = self._without(path, late, records, wanted)
        if not late.strip():
            return
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        descriptor = os.open(posixpath.basename(path), flags, 0o644, dir_fd=folder)
        try:
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                late = b"\n" + late
            while late:
                late = late[os.write(descriptor, late) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _sweep_one(
        self, folder: int, name: str, rewrite: Rewrite, records: Sequence[LineRecord], wanted: Wanted
    ) -> None:
        found = read_bytes(folder, name, MOST_BYTES)
        if isinstance(found, SkipReason):
            return
        data, _ = found
        if hashlib.sha256(data[: rewrite.size]).digest() == rewrite.made_from:
            self.add(folder, rewrite.path, data[rewrite.size :], records, wanted)
        elif hashlib.sha256(data).digest() != rewrite.becomes:
            return
        os.unlink(name, dir_fd=folder)

    def _without(self, path: str, late: bytes, records: Sequence[LineRecord], wanted: Wanted) -> bytes:
        if not late.strip():
            return b""
        try:
            text = late.decode("utf-8")
        except UnicodeDecodeError:
            return b"" if wanted.is_whole else late
        return cut_text(text, records, wanted, self._analyzer, note_date(path)).text.encode()
