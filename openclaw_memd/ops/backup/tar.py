"""Tar members one after the other, in bounded memory: only what an archive of ours may hold.

GNU's format: long names come before their member, as contents of members of their own.
"""

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final, Protocol

from openclaw_memd.ops.backup.manifest import ArchiveError, Kind, Member

BLOCK: Final = 512
PIECE_BYTES: Final = 256 * 1024
_MOST_NAME_BYTES: Final = 64 * 1024
_TYPES: Final[dict[Kind, bytes]] = {
    "file": tarfile.REGTYPE,
    "folder": tarfile.DIRTYPE,
    "link": tarfile.SYMTYPE,
}
_KINDS: Final[dict[bytes, Kind]] = {number: kind for kind, number in _TYPES.items()}
_NAME: Final = tarfile.GNUTYPE_LONGNAME
_TARGET: Final = tarfile.GNUTYPE_LONGLINK


class Sink(Protocol):
    """Takes bytes."""

    def write(self, data: bytes, /) -> None:
        """Take ``data``."""
        ...


class Stream(Protocol):
    """Gives bytes."""

    def read(self, size: int, /) -> bytes:
        """The next ``size`` bytes; fewer only at the end."""
        ...


def write_member(sink: Sink, member: Member, content: IO[bytes] | None = None) -> None:
    """Write ``member``; ``content`` has the bytes of a file, as many as the member says."""
    info = tarfile.TarInfo(member.path)
    info.type = _TYPES[member.kind]
    info.mode, info.mtime = member.mode, max(0, member.mtime_ns // 1_000_000_000)
    info.size, info.linkname = member.size, member.target
    sink.write(info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape"))
    left = member.size
    while left and content is not None:
        data = content.read(min(left, PIECE_BYTES))
        if not data:
            raise EOFError("the content is shorter than its size")
        sink.write(data)
        left -= len(data)
    sink.write(bytes(-member.size % BLOCK))


def write_end(sink: Sink) -> None:
    """Write what ends a tar file."""
    sink.write(bytes(2 * BLOCK))


@dataclass(slots=True)
class Found:
    """A member as its header has it. ``read`` gives its content; what is not read is skipped."""

    path: str
    kind: Kind
    size: int
    target: str
    _stream: Stream
    _left: int

    def read(self, size: int = PIECE_BYTES) -> bytes:
        """The next bytes of the content; empty at its end.

        Raises:
            ArchiveError: it is cut off.
        """
        data = _read(self._stream, min(size, self._left))
        self._left -= len(data)
        return data

    def skip(self) -> None:
        """Read what is left, and what fills the last block."""
        while self.read():
            pass
        _read(self._stream, -self.size % BLOCK)


def read_members(stream: Stream) -> Iterator[Found]:
    """The members in their order; each is to be used before the next.

    Raises:
        ArchiveError: there is something that our archives do not have.
    """
    while (header := _read_header(stream)) is not None:
        names: dict[bytes, str] = {}
        while header.type in (_NAME, _TARGET):
            names[header.type] = _read_name(stream, header.size)
            following = _read_header(stream)
            if following is None:
                raise ArchiveError("a long name is that of nothing")
            header = following
        kind = _KINDS.get(header.type)
        if kind is None or header.size < 0 or (kind != "file" and header.size):
            raise ArchiveError("it holds something that is neither file, folder nor link")
        path = names.get(_NAME, header.name).removesuffix("/")
        target = names.get(_TARGET, header.linkname)
        found = Found(path, kind, header.size, target, stream, header.size)
        yield found
        found.skip()
    if stream.read(BLOCK) != bytes(BLOCK) or stream.read(1):
        raise ArchiveError("there is something behind its last member")


def _read_header(stream: Stream) -> tarfile.TarInfo | None:
    """The next header; None at the end."""
    block = _read(stream, BLOCK)
    if block == bytes(BLOCK):
        return None
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        raise ArchiveError("it is no tar file") from None


def _read_name(stream: Stream, size: int) -> str:
    if not 0 < size <= _MOST_NAME_BYTES:
        raise ArchiveError("a name of it is too long")
    data = _read(stream, size)
    _read(stream, -size % BLOCK)
    return data.removesuffix(b"\0").decode("utf-8", "surrogateescape")


def _read(stream: Stream, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise ArchiveError("it ends too early")
    return data
