"""What an import works with, and what it tells."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from openclaw_memd.domain.importing import Standing
from openclaw_memd.files.foreign import Judge

Source = Literal["codex", "claude-code", "openclaw", "path"]


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of a source. Its files go below ``below`` of the source's folder, by the same paths.

    ``judge`` and ``enters`` are as in ``look_through``; ``renamed`` files have other paths there.
    """

    folder: Path
    judge: Judge
    enters: Callable[[str], bool]
    below: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offer:
    """A file that a source has: its hash, size and time when it was read.

    It is read again below ``folder`` when it is written, unless its ``content`` was made here.
    """

    target: str
    shown: str
    hash: bytes
    size: int
    mtime_ns: int
    folder: Path
    relative: str
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """A file that is left out or left alone, and the code of the reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class ForeignIntent:
    """A standing intent of another installation, in text that may be shown. ``command`` makes it anew."""

    agent: str
    description: str
    keywords: tuple[str, ...]
    status: str
    fires: str
    command: str


@dataclass(frozen=True, slots=True)
class RecallStore:
    """How much another installation has counted of what was recalled. Nothing of it is taken over."""

    entries: int
    promoted: int


@dataclass(frozen=True, slots=True)
class Beside:
    """What a source has beside its files. ``sessions`` are sections to add to the configuration.

    ``doubted`` are files of this workspace that the installation recorded as text from outside.
    """

    intents: tuple[ForeignIntent, ...] = ()
    recall_store: RecallStore | None = None
    sessions: tuple[str, ...] = ()
    doubted: tuple[str, ...] = ()
    refused: tuple[Left, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that could be imported, and what stands in its place."""

    path: str
    origin: str
    bytes: int
    state: Standing


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do now."""

    source: Source
    origin: str
    files: tuple[FoundFile, ...]
    conflicts: tuple[Left, ...]
    skipped: tuple[Left, ...]
    beside: Beside


@dataclass(frozen=True, slots=True)
class Applied:
    """What an import did. ``id`` is None when there was nothing to write.

    ``copied`` counts files that are there by this import, ``replaced`` those of them that had another's
    place. ``resumed`` says that it went on with one that was cut off.
    """

    id: str | None
    copied: int
    replaced: int
    backup: str | None
    resumed: bool
    preview: Preview


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did: ``restored`` counts files, ``removed`` those of them that are gone now."""

    id: str
    restored: int
    removed: int
    kept: tuple[Left, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """What imports of one workspace go by.

    ``own`` is the workspace's folder by device and inode, ``workspace`` its real path, ``session_folders``
    those that are read already.
    """

    env: Mapping[str, str]
    scratch: Path
    own: tuple[int, int]
    workspace: Path
    file_bytes: int
    most_files: int
    is_excluded: Callable[[str], bool]
    session_folders: frozenset[Path] = field(default_factory=frozenset)
    check: Callable[[], None] = lambda: None
