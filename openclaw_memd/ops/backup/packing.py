"""Writing an archive from what was kept of one moment, and from the files that no ledger speaks of."""

import hashlib
import io
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, BinaryIO, Final

import trio

from openclaw_memd.errors import TooLargeError
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.private import FILE_MODE, FOLDER_MODE
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.store import Store
from openclaw_memd.jobs import Progress
from openclaw_memd.ops.backup.manifest import (
    MANIFEST,
    MOST_MANIFEST_BYTES,
    Archived,
    Manifest,
    Member,
    format_manifest,
)
from openclaw_memd.ops.backup.sealing import SealedWriter
from openclaw_memd.ops.backup.staging import Stage
from openclaw_memd.ops.backup.tar import write_end, write_member
from openclaw_memd.ops.backup.tree import PIECE_BYTES, Identity, Node, copy_file, is_ledgered, walk
from openclaw_memd.ops.backup.types import LeftOut
from openclaw_memd.version import VERSION

_IN_MEMORY_BYTES: Final = 1 << 20
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Source:
    """A workspace to be archived.

    Who holds ``turn`` keeps memd from writing to its files, who holds ``forgetting`` from forgetting.
    """

    name: str
    id: str
    agents: tuple[str, ...]
    roots: Roots
    state: Store
    turn: trio.Lock
    forgetting: trio.Lock


@dataclass(frozen=True, slots=True)
class Frozen:
    """What is kept of one moment: the copies of files, and of the ledger with the number of its schema."""

    stage: Stage
    ledger: Path
    schema: int


def pack(
    frozen: Sequence[tuple[Source, Frozen]],
    archive: Path,
    scratch: Path,
    *,
    at: datetime,
    skip: frozenset[Identity],
    progress: Progress,
) -> Manifest:
    """Write the new file ``archive``; its manifest. Copies in ``scratch`` go as they are packed. Blocks.

    Raises:
        TooLargeError: there are more files than one archive can list.
        OSError: a workspace cannot be read, or the disk written.
    """
    # The mode is asked for, not set: a disk without modes refuses to set one.
    with open(os.open(archive, _FLAGS, FILE_MODE), "wb") as file:  # noqa: PTH123
        sealed = SealedWriter(file)
        packer = _Packer(sealed, scratch, at, progress)
        packer.add_folder("workspace")
        packer.add_folder("state")
        for source, one in frozen:
            packer.add_workspace(source, one.stage, skip)
            packer.add_folder(f"state/{source.id}")
            packer.add_ledger(f"state/{source.id}/state.db", one.ledger)
        manifest = Manifest(
            made_at=at.isoformat(timespec="seconds"),
            memd=VERSION,
            schemas={"state": max(one.schema for _, one in frozen)},
            workspaces=tuple(Archived(one.name, one.id, one.agents) for one, _ in frozen),
            members=tuple(packer.members),
            left_out=tuple(packer.left_out),
        )
        data = format_manifest(manifest)
        if len(data) > MOST_MANIFEST_BYTES:
            raise TooLargeError("there are more files than one archive can list")
        packer.add_manifest(data)
        write_end(sealed)
        sealed.close()
        file.flush()
        os.fsync(file.fileno())
    return manifest


class _Packer:
    """Writes members and remembers them."""

    def __init__(self, sealed: SealedWriter, scratch: Path, at: datetime, progress: Progress) -> None:
        self.members: list[Member] = []
        self.left_out: list[LeftOut] = []
        self._sealed = sealed
        self._scratch = scratch
        self._at_ns = int(at.timestamp()) * 1_000_000_000
        self._progress = progress

    def add_folder(self, path: str) -> None:
        """Add a folder that is only there in archives."""
        self._add(Member(path, "folder", FOLDER_MODE, self._at_ns))

    def add_manifest(self, data: bytes) -> None:
        """Add what names all others; it is not one of them."""
        member = Member(MANIFEST, "file", FILE_MODE, self._at_ns, len(data))
        write_member(self._sealed, member, io.BytesIO(data))

    def add_workspace(self, source: Source, stage: Stage, skip: frozenset[Identity]) -> None:
        top = f"workspace/{source.name}"
        with source.roots.anchored(WORKSPACE) as root:
            status = os.fstat(root)
            self._add(Member(top, "folder", status.st_mode & 0o777, status.st_mtime_ns))
            self.left_out += stage.left_out
            for staged in stage.staged:
                if staged.copy is None:
                    self._add(_member(top, staged.node))
                    continue
                copy = stage.path(staged.copy)
                with copy.open("rb") as content:
                    self._add(_member(top, staged.node, staged.sha256), content)
                copy.unlink()
            for found in walk(root, skip, lambda path: not is_ledgered(path)):
                if isinstance(found, LeftOut):
                    self.left_out.append(found)
                elif found.kind != "file":
                    self._add(_member(top, found))
                else:
                    self._copy(root, top, found.path)

    def add_ledger(self, path: str, ledger: Path) -> None:
        with ledger.open("rb") as content:
            sha256 = _hash(content)
            status = os.fstat(content.fileno())
            self._add(Member(path, "file", FILE_MODE, status.st_mtime_ns, status.st_size, sha256), content)
        ledger.unlink()

    def _copy(self, root: int, top: str, path: str) -> None:
        """Add a file that others may change while it is read: its size is known when it was copied."""
        with tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES, dir=str(self._scratch)) as sink:
            copied = copy_file(root, path, sink)
            if isinstance(copied, SkipReason):
                if copied is not SkipReason.VANISHED:
                    self.left_out.append(LeftOut(path, copied))
                return
            node, sha256 = copied
            sink.seek(0)
            self._add(_member(top, node, sha256), sink)

    def _add(self, member: Member, content: IO[bytes] | None = None) -> None:
        trio.from_thread.check_cancelled()
        write_member(self._sealed, member, content)
        self.members.append(member)
        self._progress(len(self.members))


def _member(top: str, node: Node, sha256: str = "") -> Member:
    size = node.stamp.size if node.kind == "file" else 0
    return Member(f"{top}/{node.path}", node.kind, node.mode, node.mtime_ns, size, sha256, node.target)


def _hash(content: BinaryIO) -> str:
    found = hashlib.sha256()
    while piece := content.read(PIECE_BYTES):
        found.update(piece)
    content.seek(0)
    return found.hexdigest()
