"""What is to become of files that hold something that is to be forgotten."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

import trio

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.forgetting import Cut, Wanted, cut_text
from openclaw_memd.domain.line_hashes import hash_lines
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.names import NOTES, WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.forgetting import records_of
from openclaw_memd.index.store import Store
from openclaw_memd.ops.kept import Kept

T = TypeVar("T")

MOST_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Draft:
    """A file as it was read, and as it is to be; ``content`` is None when it is to be gone."""

    path: str
    data: bytes
    content: bytes | None
    cut: Cut

    @property
    def digest(self) -> bytes:
        """SHA-256 of the file as it was read."""
        return hashlib.sha256(self.data).digest()


@dataclass(slots=True)
class Scrubbed:
    """What became of files. ``failed`` are those that stay as they are for now.

    ``going`` are the numbers, from 1, of the lines that went, by path, in the files as they were; ``gone``
    hashes of lines that none is left of.
    """

    changed: int = 0
    removed: int = 0
    lines: int = 0
    kept: list[Kept] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    going: dict[str, frozenset[int]] = field(default_factory=dict)
    gone: dict[str, frozenset[bytes]] = field(default_factory=dict)

    def fail(self, path: str, why: str) -> None:
        """A file could not be changed."""
        self.kept.append(Kept(path, why))
        self.failed.add(path)

    def count(self, draft: Draft) -> None:
        """A file became what its draft says."""
        self.going[draft.path] = frozenset(draft.cut.numbers)
        left = () if draft.content is None else hash_lines(draft.cut.text.split("\n"))
        self.gone[draft.path] = frozenset(draft.cut.hashes).difference(left)
        self.lines += len(draft.cut.removed)
        if draft.content is None:
            self.removed += 1
        else:
            self.changed += 1


class Drafts:
    """Reads files of the workspace and plans them, in one worker thread at a time."""

    def __init__(self, state: Store, roots: Roots, analyzer: Analyzer) -> None:
        self._state = state
        self._roots = roots
        self._analyzer = analyzer
        self._thread = trio.CapacityLimiter(1)

    async def draft(self, path: str, wanted: Wanted, report: Scrubbed) -> Draft | None:
        """What is to become of a file; None when it stays as it is."""
        read = await self.in_thread(partial(self._read, path))
        match read:
            case SkipReason.VANISHED:
                return None
            case SkipReason() as reason:
                report.fail(path, f"it cannot be read ({reason.value})")
                return None
            case bytes() as data:
                pass
        try:
            if b"\0" in data:
                raise UnicodeError
            text = data.decode("utf-8")
        except UnicodeError:
            if wanted.is_whole and wanted.since is None:
                return Draft(path, data, None, Cut(""))
            report.fail(path, "it is not text, so it was not looked through")
            return None
        records = await self._state.read(partial(records_of, path=path))
        cut = await self.in_thread(partial(cut_text, text, records, wanted, self._analyzer, note_date(path)))
        for line in cut.mixed:
            report.kept.append(Kept(f"{path}#L{line}", "the entry begins with a line of somebody else"))
        for line in cut.headings:
            report.kept.append(Kept(f"{path}#L{line}", "a heading; what stands under it is not meant"))
        goes = wanted.is_whole and wanted.since is None
        if not cut.removed and not goes:
            return None
        is_gone = goes or (cut.is_empty and path.startswith(f"{NOTES}/"))
        return Draft(path, data, None if is_gone else cut.text.encode(), cut)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """What ``work`` gives, in the thread of the files."""
        return await trio.to_thread.run_sync(work, limiter=self._thread)

    def _read(self, path: str) -> bytes | SkipReason:
        try:
            with self._roots.anchored(WORKSPACE) as root:
                found = read_bytes(root, path, MOST_BYTES)
        except OSError:
            return SkipReason.UNREADABLE
        return found if isinstance(found, SkipReason) else found[0]
