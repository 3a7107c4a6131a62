"""Adding to a note: what is in the file stays as it is, whatever fails and whoever else writes meanwhile.

Nothing here shortens, replaces or removes a file. A text that was cut off by a failure stays where it is and
is completed later, as long as it is still the end of the file.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum

from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import Roots

FOLDER_MODE = 0o755  # the owner's files: the process's umask narrows both
FILE_MODE = 0o644

_TRIES = 3
_PIECE_BYTES = 1 << 20
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY
# O_RDWR opens a pipe without waiting for its other end, O_NONBLOCK a device.
_NOTE_FLAGS = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Obstacle(StrEnum):
    """What is in the place of a note so that it cannot be added to."""

    SYMLINK = "symlink"
    NOT_REGULAR = "not_regular"
    NOT_A_FOLDER = "not_a_folder"
    HARD_LINK = "hard_link"


class ObstacleError(Exception):
    """The note, or its folder, is something that is never written to."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(obstacle.value)
        self.obstacle = obstacle


@dataclass(frozen=True, slots=True)
class Addition:
    """What is to stand in a note.

    ``text`` ends with a line end. ``header`` comes before it, with a blank line between, where the file is
    empty. ``is_apart`` asks for a blank line before the text otherwise.
    """

    text: bytes
    header: bytes
    is_apart: bool = False

    @property
    def first(self) -> bytes:
        """The whole of a new file."""
        return self.header + b"\n\n" + self.text


@dataclass(frozen=True, slots=True)
class Landing:
    """Where the text stands: ``offset`` in bytes, lines from 1, both included, as the file was then."""

    offset: int
    start_line: int
    end_line: int


def measure_note(roots: Roots, path: str) -> int | None:
    """The size of the note at ``path`` in bytes, None where there is none; nothing is made.

    Raises:
        ObstacleError: something that is never written to has its place.
        OSError: the workspace, the folder or the file cannot be reached.
    """
    folder_name, name = path.split("/")
    roots.refresh()
    with roots.anchored(WORKSPACE) as root:
        try:
            with _held(_open_folder(root, folder_name)) as folder, _held(_open_note(folder, name, 0)) as note:
                return os.fstat(note).st_size
        except FileNotFoundError:
            return None


def append_note(roots: Roots, path: str, addition: Addition) -> Landing:
    """Add to the note at ``path`` (a folder of the workspace and a name), making both when missing.

    The bytes go out in one write at the end of the file; they are on the disk when this returns. The caller
    holds the workspace's append lock; others may write as they like.

    Raises:
        ObstacleError: something that is never written to has the note's place.
        OSError: it failed; a part of the addition may stand at the end of the file.
    """
    return _add(roots, path, addition, None)


def complete_note(roots: Roots, path: str, addition: Addition, since: int) -> Landing:
    """Do what ``append_note`` began and may have done in part or in full. Errors are the same.

    ``since`` is the size of the file before the first attempt. A text that stands whole behind it is left
    alone; a beginning at the end of the file is continued; else the text is added anew. In a file that is
    shorter than ``since``, and so was rewritten by somebody, the text is looked for everywhere.
    """
    return _add(roots, path, addition, since)


def find_text(data: bytes, text: bytes, since: int) -> int | None:
    """The offset at or after ``since`` at which ``text`` stands in ``data`` from the start of a line."""
    position = data.find(text, since)
    while position > 0 and data[position - 1] != 0x0A:
        position = data.find(text, position + 1)
    return None if position < 0 else position


def find_beginning(data: bytes, text: bytes, since: int) -> int | None:
    """The offset at or after ``since`` from which the rest of ``data`` is the beginning of ``text``.

    It is the start of a line, and of several the first; the text is not whole there.
    """
    position = max(since, len(data) - len(text) + 1)
    while position < len(data):
        if (position == 0 or data[position - 1] == 0x0A) and text.startswith(data[position:]):
            return position
        position = data.find(b"\n", position) + 1
        if position == 0:
            break
    return None


@dataclass(frozen=True, slots=True)
class _Note:
    """An open note, and the folders to sync so that its name lasts."""

    folder: int
    name: str
    descriptor: int

    def is_named(self) -> bool:
        """Whether the name still leads to this file: an editor may put another in its place."""
        try:
            named = os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return False
        own = os.fstat(self.descriptor)
        return (named.st_dev, named.st_ino) == (own.st_dev, own.st_ino)


def _add(roots: Roots, path: str, addition: Addition, since: int | None) -> Landing:
    folder_name, name = path.split("/")
    roots.refresh()  # the workspace may be another folder by now: what is accepted belongs where people look
    with roots.anchored(WORKSPACE) as root:
        for _ in range(_TRIES):
            with (
                _held(_make_folder(root, folder_name)) as folder,
                _held(_open_note(folder, name, os.O_CREAT)) as descriptor,
            ):
                note = _Note(folder, name, descriptor)
                size = os.fstat(descriptor).st_size
                landing = _settle(note, addition, since)
                if landing is None:
                    since = size if since is None else since
                    continue
                os.fsync(descriptor)
                if size == 0 or since == 0:
                    os.fsync(folder)
                    os.fsync(root)
                if note.is_named():
                    return landing
                since = 0  # what replaced the file may have been made from what we wrote
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def _settle(note: _Note, addition: Addition, since: int | None) -> Landing | None:
    """Write what is missing; None when somebody wrote into the middle of it."""
    size = os.fstat(note.descriptor).st_size
    text = addition.text
    if since is not None:
        start = since if since <= size else 0
        shift = max(start - 1, 0)  # one byte more, which tells whether a line starts here
        data = _read(note.descriptor, shift, size)
        found = find_text(data, text, start - shift)
        if found is not None:
            return _land(note, found + shift, text)
        if start == 0 and data and addition.first.startswith(data):
            return _write(note, addition.first[len(data) :], addition)
        begun = find_beginning(data, text, start - shift)
        if begun is not None:
            return _write(note, text[len(data) - begun :], addition)
    if size == 0:
        return _write(note, addition.first, addition)
    end = _read(note.descriptor, max(size - 3, 0), size)
    lead = b"" if end.endswith(b"\n") else b"\n"
    if addition.is_apart and not end.endswith((b"\n\n", b"\n\r\n")):
        lead += b"\n"
    return _write(note, lead + text, addition)


def _write(note: _Note, rest: bytes, addition: Addition) -> Landing | None:
    """Write ``rest``, which ends the addition, in one go or in pieces that nobody wrote between."""
    while True:
        written = os.write(note.descriptor, rest)
        rest = rest[written:]
        end = os.lseek(note.descriptor, 0, os.SEEK_CUR)  # with O_APPEND: behind what was just written
        if not rest:
            return _land(note, end - len(addition.text), addition.text)
        if os.fstat(note.descriptor).st_size != end:
            return None


def _land(note: _Note, offset: int, text: bytes) -> Landing:
    lines_before = 0
    for start in range(0, offset, _PIECE_BYTES):
        lines_before += _read(note.descriptor, start, min(start + _PIECE_BYTES, offset)).count(b"\n")
    return Landing(offset, lines_before + 1, lines_before + text.count(b"\n"))


def _read(descriptor: int, start: int, end: int) -> bytes:
    data = bytearray()
    while start + len(data) < end and (
        piece := os.pread(descriptor, end - start - len(data), start + len(data))
    ):
        data += piece
    return bytes(data)


def _make_folder(root: int, name: str) -> int:
    try:
        return _open_folder(root, name)
    except FileNotFoundError:
        with suppress(FileExistsError):
            os.mkdir(name, FOLDER_MODE, dir_fd=root)
        return _open_folder(root, name)


def _open_folder(root: int, name: str) -> int:
    try:
        return open_beneath(root, name, _FOLDER_FLAGS)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            mode = os.stat(name, dir_fd=root, follow_symlinks=False).st_mode
            raise ObstacleError(Obstacle.SYMLINK if stat.S_ISLNK(mode) else Obstacle.NOT_A_FOLDER) from None
        raise


def _open_note(folder: int, name: str, flags: int) -> int:
    try:
        descriptor = os.open(name, _NOTE_FLAGS | flags, FILE_MODE, dir_fd=folder)
    except OSError as error:
        match error.errno:
            case errno.ELOOP:
                raise ObstacleError(Obstacle.SYMLINK) from None
            case errno.EISDIR | errno.ENXIO | errno.ENODEV:
                raise ObstacleError(Obstacle.NOT_REGULAR) from None
            case _:
                raise
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_nlink <= 1:
        return descriptor
    os.close(descriptor)
    raise ObstacleError(Obstacle.HARD_LINK if stat.S_ISREG(status.st_mode) else Obstacle.NOT_REGULAR)


@contextmanager
def _held(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)
