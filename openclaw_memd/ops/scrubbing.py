"""Taking lines out of files that others may be writing to; a crash at any moment loses nothing else."""

import hashlib
import os
import posixpath
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar

import trio

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.forgetting import Cut, LineRecord, Wanted, cut_text
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import ConflictError, DeniedError
from openclaw_memd.files.areas import NOTES
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.beside import PREFIX
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.exchange import Displaced, RevertedError, replace_content, take_away
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import WORKSPACE, Roots
from openclaw_memd.index.ledger.forgetting import records_of
from openclaw_memd.index.ledger.tombstones import (
    Rewrite,
    begin_rewrite,
    bury_lines,
    end_rewrite,
    load_rewrites,
)
from openclaw_memd.index.store import Store

T = TypeVar("T")

ROUNDS: Final = 3
"""How often a file that is changed meanwhile is tried."""

SETTLE_S: Final = 2.0
"""How long an editor may still write to a file that was replaced under it, and nothing of that is lost."""

AT_ONCE: Final = 64  # files whose old versions are open at the same time
MOST_BYTES: Final = 64 * 1024 * 1024
_ASIDE: Final = (".new", ".old")


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that stays, and why."""

    where: str
    why: str


@dataclass(slots=True)
class Scrubbed:
    """What became of files. ``failed`` are those that stay as they are for now."""

    changed: int = 0
    removed: int = 0
    lines: int = 0
    kept: list[Kept] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)

    def fail(self, path: str, why: str) -> None:
        """A file could not be changed."""
        self.kept.append(Kept(path, why))
        self.failed.add(path)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A file as it was read, and as it is to be; ``content`` is None when it is to be gone."""

    path: str
    data: bytes
    content: bytes | None
    cut: Cut

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.data).digest()


@dataclass(frozen=True, slots=True)
class _Aside:
    """The old version of a file, open through its ``folder``."""

    draft: _Draft
    displaced: Displaced


class Scrubber:
    """Takes what is wanted out of files of the workspace.

    ``turn`` is the append lock of the notes. ``settle_s`` is how long old versions are kept an eye on.
    """

    def __init__(
        self, state: Store, roots: Roots, analyzer: Analyzer, turn: trio.Lock, *, settle_s: float = SETTLE_S
    ) -> None:
        self._state = state
        self._roots = roots
        self._analyzer = analyzer
        self._turn = turn
        self._settle_s = settle_s
        self._thread = trio.CapacityLimiter(1)

    async def look(self, paths: Sequence[str], wanted: Callable[[str], Wanted]) -> Scrubbed:
        """What ``scrub`` would do now. Nothing is written."""
        report = Scrubbed()
        for path in paths:
            draft = await self._draft(path, wanted(path), report)
            if draft is not None:
                _count(report, draft)
        return report

    async def scrub(
        self, paths: Sequence[str], wanted: Callable[[str], Wanted], at: datetime, on_file: Callable[[], None]
    ) -> Scrubbed:
        """Take what is wanted out of each file; one that nothing is left of is removed.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used; called again, it goes on.
        """
        report = Scrubbed()
        for start in range(0, len(paths), AT_ONCE):
            asides: list[_Aside] = []
            try:
                for path in paths[start : start + AT_ONCE]:
                    await self._replace(path, wanted(path), at, report, asides)
                    on_file()
                if asides and self._settle_s:
                    await trio.sleep(self._settle_s)
                for number, aside in enumerate(asides, 1):
                    path = aside.draft.path
                    is_last = all(other.draft.path != path for other in asides[number:])
                    await self._settle(aside, wanted(path), report, is_last=is_last)
            finally:
                for aside in asides:
                    os.close(aside.displaced.folder)
        return report

    async def finish(self, wanted: Callable[[str], Wanted]) -> None:
        """Take away what an earlier attempt left beside files; what somebody wrote there late is kept.

        Errors as in ``scrub``.
        """
        for rewrite in await self._state.read(load_rewrites):
            with suppress(OSError):  # else it is tried again at the next call or start
                records = await self._state.read(partial(records_of, path=rewrite.path))
                await self._in_thread(partial(self._sweep, rewrite, records, wanted(rewrite.path)))
                await self._state.write(partial(end_rewrite, path=rewrite.path))

    async def _replace(
        self, path: str, wanted: Wanted, at: datetime, report: Scrubbed, asides: list[_Aside]
    ) -> None:
        """Replace one file; ``asides`` gets what others may still write to."""
        for number in range(ROUNDS):
            async with self._turn:
                draft = await self._draft(path, wanted, report)
                if draft is None:
                    if number:
                        await self._state.write(partial(end_rewrite, path=path))
                    return
                await self._state.write(partial(_begin, draft=draft, at=at))
                with trio.CancelScope(shield=True):
                    try:
                        displaced = await self._in_thread(partial(self._put, draft))
                    except RevertedError as error:
                        asides.append(_Aside(draft, error.displaced))
                        if error.failure is None:
                            continue
                        report.fail(path, f"it cannot be written ({os.strerror(error.failure.errno or 0)})")
                        return
                    except ConflictError:
                        continue
                    except DeniedError as error:
                        report.fail(path, f"it cannot be replaced ({error.reason})")
                    except OSError as error:  # the old version may lie beside it: the row stays
                        report.fail(path, f"it cannot be written ({os.strerror(error.errno or 0)})")
                        return
                    else:
                        _count(report, draft)
                        asides.append(_Aside(draft, displaced))
                        return
            break
        else:
            report.fail(path, "it was changed each time that it was to be replaced")
        await self._state.write(partial(end_rewrite, path=path))

    async def _draft(self, path: str, wanted: Wanted, report: Scrubbed) -> _Draft | None:
        """What is to become of a file; None when it stays as it is."""
        read = await self._in_thread(partial(self._read, path))
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
                return _Draft(path, data, None, Cut(""))
            report.fail(path, "it is not text, so it was not looked through")
            return None
        records = await self._state.read(partial(records_of, path=path))
        cut = await self._in_thread(partial(cut_text, text, records, wanted, self._analyzer, note_date(path)))
        for line in cut.mixed:
            report.kept.append(Kept(f"{path}#L{line}", "the entry begins with a line of somebody else"))
        for line in cut.headings:
            report.kept.append(Kept(f"{path}#L{line}", "a heading; what stands under it is not meant"))
        goes = wanted.is_whole and wanted.since is None
        if not cut.removed and not goes:
            return None
        is_gone = goes or (cut.is_empty and path.startswith(f"{NOTES}/"))
        return _Draft(path, data, None if is_gone else cut.text.encode(), cut)

    def _read(self, path: str) -> bytes | SkipReason:
        try:
            with self._roots.anchored(WORKSPACE) as root:
                found = read_bytes(root, path, MOST_BYTES)
        except OSError:
            return SkipReason.UNREADABLE
        return found if isinstance(found, SkipReason) else found[0]

    def _put(self, draft: _Draft) -> Displaced:
        folder = self._open_folder(draft.path)
        try:
            name = posixpath.basename(draft.path)
            if draft.content is None:
                return take_away(folder, name, draft.data)
            return replace_content(folder, name, draft.content, draft.data)
        except RevertedError:  # the folder is its own to keep
            raise
        except BaseException:
            os.close(folder)
            raise

    async def _settle(self, aside: _Aside, wanted: Wanted, report: Scrubbed, *, is_last: bool) -> None:
        """The old version goes; what was written to it late, and is not wanted, goes to the file."""
        path, folder = aside.draft.path, aside.displaced.folder
        with trio.CancelScope(shield=True):
            records = await self._state.read(partial(records_of, path=path))
            async with self._turn:
                try:
                    late = await self._in_thread(aside.displaced.settle)
                    late = self._without(path, late, records, wanted)
                    await self._in_thread(partial(self._append, folder, path, late))
                except OSError as error:
                    report.fail(path, f"its old version cannot go ({os.strerror(error.errno or 0)})")
                    return
            if is_last:
                await self._state.write(partial(end_rewrite, path=path))

    def _sweep(self, rewrite: Rewrite, records: Sequence[LineRecord], wanted: Wanted) -> None:
        try:
            folder = self._open_folder(rewrite.path)
        except FileNotFoundError:
            return
        try:
            for name in os.listdir(folder):  # noqa: PTH208 - a descriptor
                if name.startswith(PREFIX) and name.endswith(_ASIDE):
                    self._sweep_one(folder, name, rewrite, records, wanted)
        finally:
            os.close(folder)

    def _sweep_one(
        self, folder: int, name: str, rewrite: Rewrite, records: Sequence[LineRecord], wanted: Wanted
    ) -> None:
        found = read_bytes(folder, name, MOST_BYTES)
        if isinstance(found, SkipReason):
            return
        data, _ = found
        if hashlib.sha256(data[: rewrite.size]).digest() == rewrite.made_from:
            late = self._without(rewrite.path, data[rewrite.size :], records, wanted)
            self._append(folder, rewrite.path, late)
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

    def _append(self, folder: int, path: str, late: bytes) -> None:
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

    def _open_folder(self, path: str) -> int:
        with self._roots.anchored(WORKSPACE) as root:
            return open_beneath(root, posixpath.dirname(path), os.O_RDONLY | os.O_DIRECTORY)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(work, limiter=self._thread)


def _count(report: Scrubbed, draft: _Draft) -> None:
    report.touched.add(draft.path)
    report.lines += len(draft.cut.removed)
    if draft.content is None:
        report.removed += 1
    else:
        report.changed += 1


def _begin(connection: Any, *, draft: _Draft, at: datetime) -> None:
    bury_lines(connection, draft.path, draft.cut.hashes, at)
    becomes = b"" if draft.content is None else hashlib.sha256(draft.content).digest()
    begin_rewrite(connection, Rewrite(draft.path, draft.digest, len(draft.data), becomes))
