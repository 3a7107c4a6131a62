"""Who can get at what memd keeps: modes and owners of the socket, the state, the files and the keys."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from openclaw_memd.config.exposure import find_exposure
from openclaw_memd.ops.doctor.findings import Finding, begin_sentence, name_some

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600


@dataclass(frozen=True, slots=True)
class Place:
    """Something of memd's that only its user may open. ``what`` is what people call it."""

    what: str
    path: Path


@dataclass(frozen=True, slots=True)
class Mode:
    """What ``lstat`` says of a place."""

    place: Place
    mode: int
    uid: int

    @property
    def wanted(self) -> int:
        """The mode that closes it, with nothing added."""
        mask = FOLDER_MODE if stat.S_ISDIR(self.mode) else FILE_MODE
        return stat.S_IMODE(self.mode) & mask

    @property
    def is_open(self) -> bool:
        """Whether others may do anything with it."""
        return bool(stat.S_IMODE(self.mode) & 0o077)


def list_places(state: Path, socket: Path | None) -> list[Place]:
    """The state folder with all that is in it, folders first, and the socket with its lock."""
    places = [Place("the state folder", state)]
    try:
        names = sorted(entry.name for entry in state.iterdir())
    except OSError:
        names = []
    places += [Place(f"{name} in the state folder", state / name) for name in names]
    if socket is not None:
        places += [Place("the socket", socket), Place("the socket's lock", Path(f"{socket}.lock"))]
    return places


def look_at_modes(places: Iterable[Place]) -> list[Mode]:
    """The modes of those that are there; links are left out, since a link has none."""
    found = []
    for place in places:
        try:
            status = place.path.lstat()
        except OSError:
            continue
        if not stat.S_ISLNK(status.st_mode):
            found.append(Mode(place, status.st_mode, status.st_uid))
    return found


def judge_modes(modes: Iterable[Mode], uid: int) -> Iterator[Finding]:
    """What others may open, and what is somebody else's. Pure."""
    for mode in modes:
        place = mode.place
        name = place.path.name
        if mode.uid != uid:
            told = f"{place.what} belongs to user {mode.uid}, and memd runs as {uid}."
            yield Finding.of("foreign-owner", begin_sentence(told), subject=name)
        elif mode.is_open:
            told = f"{place.what} has mode {stat.S_IMODE(mode.mode):04o}; {mode.wanted:04o} closes it."
            yield Finding.of("open-mode", begin_sentence(told), subject=name, place=str(place.path))


def judge_exposure(folders: Iterable[tuple[str, Path]]) -> Iterator[Finding]:
    """Folders that others could put something in the place of; the word before each is its subject."""
    for subject, folder in folders:
        if (exposure := find_exposure(folder)) is not None:
            yield Finding.of("exposed-place", f"{begin_sentence(exposure)}.", subject=subject)


def close_place(path: Path) -> bool:
    """Take all rights on ``path`` from others; whether any were taken.

    Never by opening it: closing a descriptor of a database would drop the locks that SQLite has on it.

    Raises:
        OSError: it cannot be changed.
    """
    modes = look_at_modes([Place("", path)])
    if not modes or not modes[0].is_open:
        return False
    path.chmod(modes[0].wanted)
    return True


def judge_readers(workspace: Path, names: Sequence[str]) -> Iterator[Finding]:
    """Memory files that others can read: by their mode, and that of every folder above."""
    if not all(_lets_others(folder, stat.S_IXOTH) for folder in (workspace, *workspace.parents)):
        return
    found = [name for name in names if _lets_others(workspace / name, stat.S_IROTH)]
    if found:
        yield Finding.of("readable-by-others", f"Other users of this machine can read {name_some(found)}.")


def judge_writable(workspace: Path, names: Sequence[str]) -> Iterator[Finding]:
    """Memory files that memd cannot add to, and folders that take no new ones.

    Nothing is said where nothing at all can be written.
    """
    notes = workspace / "memory"
    closed = [name for name, folder in (("the workspace", workspace), ("memory", notes)) if _refuses(folder)]
    if closed and _refuses(notes / ".dreams"):
        return
    if closed:
        told = f"memd cannot make files in {' and '.join(closed)}."
        yield Finding.of("unwritable-file", told, subject="folders")
    found = [name for name in names if _refuses(workspace / name)]
    if found:
        yield Finding.of("unwritable-file", f"memd cannot write to {name_some(found)}.")


def judge_key_files(files: Iterable[tuple[str, Path]]) -> Iterator[Finding]:
    """Files of keys that others can read; the configuration's key before each is its subject."""
    for key, path in files:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        if mode & 0o077:
            told = f"The file that {key} names has mode {stat.S_IMODE(mode):04o}."
            yield Finding.of("key-file-open", told, subject=key)


def _refuses(path: Path) -> bool:
    """Whether it takes no writing. What is gone, or lies too deep to be asked, refuses nothing."""
    try:
        path.lstat()
    except OSError:
        return False
    return not os.access(path, os.W_OK, follow_symlinks=False)


def _lets_others(path: Path, right: int) -> bool:
    try:
        return bool(os.stat(path).st_mode & right)  # noqa: PTH116 - links are followed on purpose
    except OSError:
        return False
