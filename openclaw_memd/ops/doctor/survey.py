"""A look at a workspace: the names in it, and each file against what the index has of it. It blocks."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.provenance import Source
from openclaw_memd.errors import MemdError
from openclaw_memd.files.catalog import ListedFile, Skipped
from openclaw_memd.files.folder import Entry, read_entries
from openclaw_memd.files.legacy import read_legacy
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.rows import FileRow

RECENT_NS: Final = 10_000_000_000
"""What changed in so many nanoseconds is left to the indexer, which has it within seconds."""

READ_BYTES: Final = 256 * 1024 * 1024
READ_S: Final = 20.0
"""So much text is compared with the index, in so many seconds; the rest by its stamps."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What was seen.

    ``top`` are the entries of the workspace's own folder. ``missing`` are files that are not indexed,
    ``differing`` those that are indexed otherwise, ``gone`` those that are only in the index. ``unread`` were
    compared by their stamps alone. ``legacy_obstacle`` says why a memory.md cannot be read as text.
    """

    top: tuple[Entry, ...]
    files: tuple[ListedFile, ...]
    folders: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    missing: tuple[str, ...]
    differing: tuple[str, ...]
    gone: tuple[str, ...]
    windows_ends: tuple[str, ...]
    unread: int
    legacy_obstacle: str | None


def survey(
    corpus: Corpus,
    indexed: Mapping[str, FileRow],
    pause: Callable[[], None],
    *,
    read_bytes: int = READ_BYTES,
    read_s: float = READ_S,
    recent_ns: int = RECENT_NS,
) -> Survey:
    """Look at every file. ``pause`` is called often; what it raises ends the look. Never fails otherwise."""
    listing = corpus.list_files()
    skipped = [skip for skip in listing.skipped if not skip.is_choice]
    missing: list[str] = []
    differing: list[str] = []
    windows_ends: list[str] = []
    unread = 0
    ends_at, room = time.monotonic() + read_s, read_bytes
    for file in listing.files:
        pause()
        row = indexed.get(file.path)
        is_recent = _is_recent(file, recent_ns)
        size = 0 if file.stamp is None else file.stamp.size
        if size > room or time.monotonic() > ends_at:
            unread += 1
            is_other = row is not None and file.stamp is not None and row.state.stamp != file.stamp
            if not is_recent and (row is None or is_other):
                (missing if row is None else differing).append(file.path)
            continue
        room -= size
        read = corpus.read(file)
        if isinstance(read, Skipped):
            skipped.append(read)
            continue
        if "\r\n" in read.text:
            windows_ends.append(file.path)
        if not is_recent and (row is None or row.state.hash != read.state.hash):
            (missing if row is None else differing).append(file.path)
    known = {file.path for file in listing.files}
    hidden = listing.unreadable
    gone = [
        path
        for path, row in indexed.items()
        if row.file.source is not Source.SESSIONS and path not in known and not path.startswith(hidden)
    ]
    return Survey(
        top=_top(corpus),
        files=listing.files,
        folders=tuple(folder.path.rstrip("/") for folder in listing.folders if folder.path),
        skipped=tuple(skipped),
        missing=tuple(missing),
        differing=tuple(differing),
        gone=tuple(gone),
        windows_ends=tuple(windows_ends),
        unread=unread,
        legacy_obstacle=_legacy_obstacle(corpus),
    )


def _legacy_obstacle(corpus: Corpus) -> str | None:
    try:
        read_legacy(corpus.roots, corpus.rules.file_bytes)
    except MemdError as error:
        return error.message
    except OSError:  # said by other findings
        pass
    return None


def _is_recent(file: ListedFile, recent_ns: int) -> bool:
    if file.stamp is None:
        return False
    return time.time_ns() - max(file.stamp.mtime_ns, file.stamp.ctime_ns) in range(recent_ns)


def _top(corpus: Corpus) -> tuple[Entry, ...]:
    try:
        with corpus.roots.anchored(WORKSPACE) as root:
            return tuple(read_entries(root))
    except OSError:
        return ()
