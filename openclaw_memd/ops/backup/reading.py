"""Reading an archive through: nothing of it is used before all of it is known to be as it was made."""

import hashlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

from openclaw_memd.index.snapshots import newest_schema
from openclaw_memd.ops.backup.manifest import (
    MANIFEST,
    MOST_MANIFEST_BYTES,
    ArchiveError,
    Manifest,
    Member,
    parse_manifest,
)
from openclaw_memd.ops.backup.sealing import SealedReader
from openclaw_memd.ops.backup.tar import Found, read_members

DATABASES: Final = ("state",)
"""The databases that an archive may hold."""


def verify_archive(file: BinaryIO, on_piece: Callable[[], None] = lambda: None) -> Manifest:
    """Read ``file`` through; its manifest, which every member agrees with. Nothing is written.

    Memory is bounded by the manifest's size. ``on_piece`` is called now and then and may raise.

    Raises:
        ArchiveError: it is damaged, no archive of memd, or made by a newer version.
        OSError: it cannot be read.
    """
    seen = hashlib.sha256()
    data: bytes | None = None
    for found in read_members(SealedReader(file)):
        if data is not None:
            raise ArchiveError("there is something behind its manifest")
        if found.path == MANIFEST:
            data = _read_manifest(found)
            continue
        content = hashlib.sha256()
        while piece := found.read():
            content.update(piece)
            on_piece()
        hashed = content.hexdigest() if found.kind == "file" else ""
        seen.update(_digest(found.kind, found.path, found.size, hashed, found.target))
    if data is None:
        raise ArchiveError("it has no manifest")
    manifest = parse_manifest(data, {name: newest_schema(name) for name in DATABASES})
    told = hashlib.sha256()
    for member in manifest.members:
        told.update(_digest(member.kind, member.path, member.size, member.sha256, member.target))
    if told.digest() != seen.digest():
        raise ArchiveError("its members are not those of its manifest")
    return manifest


def read_contents(file: BinaryIO, manifest: Manifest) -> Iterator[tuple[Member, Found]]:
    """Each member of a verified archive with its content, in order. Errors as in ``verify_archive``."""
    members = iter(manifest.members)
    for found in read_members(SealedReader(file)):
        if found.path == MANIFEST:
            return
        member = next(members, None)
        if member is None or (member.path, member.size) != (found.path, found.size):
            raise ArchiveError("it changed while it was read")
        yield member, found


def _read_manifest(found: Found) -> bytes:
    if found.kind != "file" or found.size > MOST_MANIFEST_BYTES:
        raise ArchiveError("its manifest is too large")
    return b"".join(iter(found.read, b""))


def _digest(*facts: object) -> bytes:
    return hashlib.sha256(repr(facts).encode("utf-8", "surrogateescape")).digest()
