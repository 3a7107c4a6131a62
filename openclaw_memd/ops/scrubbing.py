"""Taking lines out of files that others may be writing to; a crash at any moment loses nothing else."""

import hashlib
import os
import posixpath
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

import trio

from openclaw_memd.domain.forgetting import Wanted
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import ConflictError, DeniedError
from openclaw_memd.files.exchange import Displaced, RevertedError, replace_content, take_away
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.forgetting import records_of
from openclaw_memd.index.ledger.tombstones import (
    Rewrite,
    begin_rewrite,
    bury_lines,
    end_rewrite,
    load_rewrites,
)
from openclaw_memd.index.store import Store
from openclaw_memd.ops.drafts import Draft, Drafts, Scrubbed
from openclaw_memd.ops.earlier_versions import EarlierVersions

ROUNDS: Final = 3
"""How often a file that is changed meanwhile is tried."""

SETTLE_S: Final = 2.0
"""How long an editor may still write to a file that was replaced under it, and nothing of that is lost."""

AT_ONCE: Final = 64  # files whose old versions are open at the same time


@dataclass(frozen=True, slots=True)
class _Aside:
    """The old version of a file, open through its ``folder``."""

    draft: Draft
    displaced: Displaced


class Scrubber:
    """Takes what is wanted out of files of the workspace.

    ``turn`` is the append lock of the notes. ``settle_s`` is how long old versions are kept an eye on.
    """

    def __init__(
        self, state: Store, roots: Roots, analyzer: Analyzer, turn: trio.Lock, *, settle_s: float = SETTLE_S
    ) -> None:
        self._state = state
        self._drafts = Drafts(state, roots, analyzer)
        self._earlier = EarlierVersions(roots, analyzer)
        self._turn = turn
        self._settle_s = settle_s

    async def look(self, paths: Sequence[str], wanted: Callable[[str], Wanted]) -> Scrubbed:
        """What ``scrub`` would do now. Nothing is written."""
        report = Scrubbed()
        for path in paths:
            draft = await self._drafts.draft(path, wanted(path), report)
            if draft is not None:
                report.count(draft)
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
                await self._drafts.in_thread(
                    partial(self._earlier.sweep, rewrite, records, wanted(rewrite.path))
                )
                await self._state.write(partial(end_rewrite, path=rewrite.path))

    async def _replace(
        self, path: str, wanted: Wanted, at: datetime, report: Scrubbed, asides: list[_Aside]
    ) -> None:
        """Replace one file; ``asides`` gets what others may still write to."""
        for number in range(ROUNDS):
            async with self._turn:
                draft = await self._drafts.draft(path, wanted, report)
                if draft is None:
                    if number:
                        await self._state.write(partial(end_rewrite, path=path))
                    return
                await self._state.write(partial(_begin, draft=draft, at=at))
                with trio.CancelScope(shield=True):
                    try:
                        displaced = await self._drafts.in_thread(partial(self._put, draft))
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
                        report.count(draft)
                        asides.append(_Aside(draft, displaced))
                        return
            break
        else:
            report.fail(path, "it was changed each time that it was to be replaced")
        await self._state.write(partial(end_rewrite, path=path))

    def _put(self, draft: Draft) -> Displaced:
        folder = self._earlier.open_folder(draft.path)
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
                    late = await self._drafts.in_thread(aside.displaced.settle)
                    work = partial(self._earlier.add, folder, path, late, records, wanted)
                    await self._drafts.in_thread(work)
                except OSError as error:
                    report.fail(path, f"its old version cannot go ({os.strerror(error.errno or 0)})")
                    return
            if is_last:
                await self._state.write(partial(end_rewrite, path=path))


def _begin(connection: Any, *, draft: Draft, at: datetime) -> None:
    bury_lines(connection, draft.path, draft.cut.hashes, at)
    becomes = b"" if draft.content is None else hashlib.sha256(draft.content).digest()
    begin_rewrite(connection, Rewrite(draft.path, draft.digest, len(draft.data), becomes))
