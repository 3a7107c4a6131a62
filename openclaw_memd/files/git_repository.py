"""Which project a folder belongs to, by Git's own files; ``git`` is not run. Everything here blocks."""

import os
import stat
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Final

from openclaw_memd.domain.git_config import read_value
from openclaw_memd.domain.git_remotes import path_key, remote_key
from openclaw_memd.files.beneath import stamp_of
from openclaw_memd.files.catalog import Stamp

MOST_ROOTS: Final = 128  # OpenClaw's value
_MOST_LEVELS: Final = 64
_POINTER_BYTES: Final = 4096
_CONFIG_BYTES: Final = 262_144
_READ_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_GITDIR: Final = "gitdir:"


@dataclass(frozen=True, slots=True)
class _Repository:
    """A repository: the folder that names it when it has no remote, and its configuration file."""

    root: Path
    config: Path


@dataclass(frozen=True, slots=True)
class _Known:
    repository: _Repository
    stamp: Stamp | None
    key: str


class GitRepositories:
    """The project keys of folders; what a configuration file says is remembered until the file changes.

    Safe for use from several threads.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[Path, _Known] = OrderedDict()
        self._lock = Lock()

    def project_key(self, folder: str) -> str | None:
        """The key of the project that ``folder`` lies in: that of its repository's origin, else its path.

        Linked worktrees have the key of their repository, submodules one of their own. None for what is no
        absolute path of a folder.
        """
        if "\0" in folder or not Path(folder).is_absolute():
            return None
        root = Path(os.path.realpath(folder))
        status = _status(root)
        if status is None or not stat.S_ISDIR(status.st_mode):
            return None
        repository = _find_repository(root)
        if repository is None:
            return path_key(str(root))
        stamp = _stamp(repository.config)
        with self._lock:
            known = self._known.get(root)
            if known is not None and (known.repository, known.stamp) == (repository, stamp):
                self._known.move_to_end(root)
                return known.key
        text = _read(repository.config, _CONFIG_BYTES) or ""
        url = read_value(text, "remote", "origin", "url")
        key = (None if url is None else remote_key(url)) or path_key(str(repository.root))
        with self._lock:
            self._known[root] = _Known(repository, stamp, key)
            self._known.move_to_end(root)
            while len(self._known) > MOST_ROOTS:
                self._known.popitem(last=False)
        return key


def _find_repository(folder: Path) -> _Repository | None:
    """The repository that ``folder`` lies in, as Git looks for it: upwards, on one file system."""
    for place in _upwards(folder):
        pointer = place / ".git"
        status = _status(pointer)
        if status is None:
            if _is_git_folder(place):  # a bare one
                return _Repository(place, place / "config")
            continue
        if not _is_ours(status):
            return None
        found = _follow(place, pointer, status)
        if found is not None:
            return found
    return None


def _upwards(folder: Path) -> Iterator[Path]:
    device = None
    for place in islice((folder, *folder.parents), _MOST_LEVELS):
        status = _status(place)
        if status is None or device not in (None, status.st_dev):
            return
        device = status.st_dev
        yield place


def _follow(place: Path, pointer: Path, status: os.stat_result) -> _Repository | None:
    """What ``.git`` in ``place`` leads to: it is a folder, or a file that names one."""
    if stat.S_ISDIR(status.st_mode):
        return _Repository(place, pointer / "config") if _is_git_folder(pointer) else None
    text = _read(pointer, _POINTER_BYTES)
    if text is None or not text.startswith(_GITDIR):
        return None
    folder = place / text.removeprefix(_GITDIR).strip()
    if _status(folder / "HEAD") is None:
        return None
    common = _read(folder / "commondir", _POINTER_BYTES)
    if common is None:
        return _Repository(place, folder / "config")
    shared = Path(os.path.realpath(folder / common.strip()))
    return _Repository(shared.parent if shared.name == ".git" else shared, shared / "config")


def _is_git_folder(folder: Path) -> bool:
    return all(_status(folder / name) is not None for name in ("HEAD", "objects", "refs"))


def _is_ours(status: os.stat_result) -> bool:
    """Whether Git would trust it: a repository that somebody else put above our folders says nothing."""
    return status.st_uid in (os.geteuid(), 0)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _stamp(path: Path) -> Stamp | None:
    status = _status(path)
    return None if status is None else stamp_of(status)


def _read(path: Path, most_bytes: int) -> str | None:
    """The text of a regular file of at most ``most_bytes``; None for anything else."""
    try:
        descriptor = os.open(path, _READ_FLAGS)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most_bytes:
            return None
        return os.read(descriptor, most_bytes).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    finally:
        os.close(descriptor)
