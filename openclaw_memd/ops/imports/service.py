"""Importing what other assistants remember: copied below ``memory/imports``, told in the ledger, taken back.

The ledger says what will be written before any of it is. What is to be replaced is copied into the data
folder first, and the copies are read back. A call that was cut off is simply made again: it finds in the
ledger what it had begun, and goes on.
"""

import os
import secrets
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import structlog
import trio

from openclaw_memd.domain.importing import Plan
from openclaw_memd.errors import NotFoundError, UnavailableError
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.ledger import imports as ledger
from openclaw_memd.index.ledger.imports import ImportedFile, ImportRow
from openclaw_memd.index.store import Store
from openclaw_memd.jobs import Progress, ignore_progress
from openclaw_memd.ops.imports import writing
from openclaw_memd.ops.imports.collecting import collect, compare
from openclaw_memd.ops.imports.planning import Beginning, Survey, plan_beginning
from openclaw_memd.ops.imports.steps import Steps
from openclaw_memd.ops.imports.types import Applied, Left, Preview, Setting, Source, Undone
from openclaw_memd.ops.imports.writing import Outcome
from openclaw_memd.ports import Clock

log = structlog.get_logger("memd.import")

SPARE_BYTES: Final = 64 << 20
"""So much room stays on the disk."""

LISTED: Final = 50


@dataclass(slots=True)
class _Work:
    """One import at work. ``files`` are still to be written, ``left`` turned out to be left alone."""

    beginning: Beginning
    survey: Survey
    plan: Plan
    files: list[ImportedFile]
    left: list[Left] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.beginning.row.id

    @property
    def backup(self) -> Path | None:
        named = self.beginning.row.backup
        return None if named is None else Path(named)


class Imports:
    """Imports into one workspace, one call at a time.

    ``backups`` is the folder for what is replaced, ``scratch`` one of our own that is removed after use.
    ``sync`` makes the index show what was written. ``on_step`` hears what is done next.
    """

    def __init__(
        self,
        *,
        state: Store,
        roots: Roots,
        rules: FileRules,
        clock: Clock,
        env: Mapping[str, str],
        backups: Path,
        scratch: Path,
        session_folders: frozenset[Path],
        sync: Callable[[], Awaitable[object]],
        on_step: Callable[[str], None] = lambda _step: None,
    ) -> None:
        self._state = state
        self._roots = roots
        self._rules = rules
        self._clock = clock
        self._env = env
        self._backups = backups
        self._scratch = scratch
        self._session_folders = session_folders
        self._sync = sync
        self._on_step = on_step
        self._steps = Steps(state, roots, on_step)
        self._turn = trio.Lock()

    async def preview(self, source: Source, named: str | None, *, replace: bool, agent: str) -> Preview:
        """What ``apply`` would do now. Nothing is written but a copy of databases, which goes again.

        Raises:
            InvalidParamsError: the source's path is none.
            UnavailableError, DamagedError: the workspace or the ledger cannot be read.
        """
        async with self._turn:
            survey = await self._look(source, named, agent)
        return survey.preview(survey.planned(replace=replace))

    async def receipts(self) -> list[ImportRow]:
        """The last imports, the newest first."""
        return await self._state.read(partial(ledger.list_imports, limit=LISTED))

    async def recover(self) -> None:
        """Finish the steps that were cut off, so that nothing lies beside its place; for the start.

        Copies of databases go. What the disk refuses waits for the next call.
        """
        async with self._turn:
            await trio.to_thread.run_sync(partial(shutil.rmtree, self._scratch, ignore_errors=True))
            with suppress(UnavailableError):
                for row in await self._state.read(ledger.unfinished_imports):
                    await self._steps.settle(row)

    async def apply(
        self,
        source: Source,
        named: str | None,
        *,
        replace: bool,
        agent: str,
        progress: Progress = ignore_progress,
    ) -> Applied:
        """Copy what a source has. Errors as in ``preview``; made again, it goes on.

        Raises:
            UnavailableError: the disk is full or fails; what was copied is there, and can be undone.
        """
        async with self._turn:
            unfinished = await self._state.read(ledger.unfinished_imports)
            for row in unfinished:
                await self._steps.settle(row)
            survey = await self._look(source, named, agent)
            work = await self._begin(unfinished, survey, replace=replace)
            if work is None:
                plan = survey.planned(replace=replace)
                return Applied(None, 0, 0, None, False, survey.preview(plan))
            if work.backup is not None:
                work.files, left = await self._steps.back_up(work.id, work.files, work.backup)
                work.left += left
            await self._write(work, progress)
            done = await self._finish(work)
        log.info("imported", files=done.copied)
        await self._show()
        return done

    async def undo(self, import_id: str, progress: Progress = ignore_progress) -> Undone:
        """Make every place what it was before an import, but for those that somebody changed since.

        Raises:
            NotFoundError: there is no such import.
            UnavailableError, DamagedError: the ledger or the disk fails; made again, it goes on.
        """
        async with self._turn:
            row = await self._state.read(partial(ledger.load_import, import_id=import_id))
            if row is None:
                raise NotFoundError("no such import", field="id")
            await self._steps.settle(row)
            undone = await self._restore(row, progress)
        log.info("import undone", files=undone.restored)
        await self._show()
        return undone

    async def _show(self) -> None:
        """Show in the index what was written. It is done: an index that cannot be read denies it no more."""
        with suppress(UnavailableError, DamagedError):
            await self._sync()

    async def _look(self, source: Source, named: str | None, agent: str) -> Survey:
        def work() -> Survey:
            self._roots.refresh()
            try:
                with self._roots.anchored(WORKSPACE) as root:
                    status = os.fstat(root)
                    setting = Setting(
                        env=self._env,
                        scratch=self._scratch,
                        own=(status.st_dev, status.st_ino),
                        workspace=self._roots.place(WORKSPACE),
                        file_bytes=self._rules.file_bytes,
                        most_files=self._rules.files,
                        is_excluded=self._rules.exclude.take,
                        session_folders=self._session_folders,
                        check=trio.from_thread.check_cancelled,
                    )
                    collection = collect(source, named, setting, agent)
                    return Survey(collection, *compare(root, collection))
            except OSError as error:
                raise UnavailableError("the disk cannot be read", reason="disk_error") from error

        return await trio.to_thread.run_sync(work)

    async def _begin(self, unfinished: Sequence[ImportRow], survey: Survey, *, replace: bool) -> _Work | None:
        """Say in the ledger what will be written; None when there is nothing."""
        collection = survey.collection
        at = self._clock.now()
        fresh = ImportRow(
            id=f"{at:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}",
            source=collection.source,
            origin=str(collection.origin),
            replaces=replace,
            at=at,
            state="begun",
            backup=None,
            report="{}",
        )
        begun = [
            (row, await self._state.read(partial(ledger.files_of, import_id=row.id)))
            for row in unfinished
            if row.state == "begun" and (row.source, row.origin) == (fresh.source, fresh.origin)
        ]
        beginning = plan_beginning(fresh, begun, survey, self._backups)
        if not beginning.writes and not begun:
            return None
        await trio.to_thread.run_sync(self._check_room, beginning.files)
        self._on_step("begin")
        await self._state.write(beginning.note)
        if not beginning.writes:
            return None
        return _Work(beginning, survey, survey.planned(replace=replace), list(beginning.files))

    async def _write(self, work: _Work, progress: Progress) -> None:
        offers = {one.target: one for one in work.survey.collection.offers}

        def write(one: ImportedFile) -> Outcome:
            return writing.write_file(self._roots, one, offers[one.path], self._rules.file_bytes)

        work.left += await self._steps.take(work.id, work.files, write, progress)

    async def _finish(self, work: _Work) -> Applied:
        files = await self._state.read(partial(ledger.files_of, import_id=work.id))
        copied = [one for one in files if one.state == "copied"]
        replaced = sum(one.before is not None for one in copied)
        report = {"copied": len(copied), "replaced": replaced, "left": len(files) - len(copied)}
        self._on_step("finish")
        text = msgspec.json.encode(report).decode()
        await self._state.write(partial(ledger.set_state, import_id=work.id, state="done", report=text))
        self._on_step("done")
        return Applied(
            work.id,
            len(copied),
            replaced,
            work.beginning.row.backup if replaced else None,
            work.beginning.is_resumed,
            work.survey.preview(work.plan, work.left),
        )

    async def _restore(self, row: ImportRow, progress: Progress) -> Undone:
        await self._state.write(partial(ledger.set_state, import_id=row.id, state="undoing"))
        files = await self._state.read(partial(ledger.files_of, import_id=row.id))
        there = [one for one in files if one.state in ("copied", "kept")]
        backup = None if row.backup is None else Path(row.backup)

        def restore(one: ImportedFile) -> Outcome:
            return writing.restore_file(self._roots, one, backup)

        kept = await self._steps.take(row.id, there, restore, progress)
        self._on_step("finish")
        await self._state.write(partial(ledger.set_state, import_id=row.id, state="undone"))
        stay = {one.path for one in kept}
        removed = sum(one.before is None and one.path not in stay for one in there)
        return Undone(row.id, len(there) - len(kept), removed, tuple(kept))

    def _check_room(self, files: Sequence[ImportedFile]) -> None:
        """Refuse before anything is written what the disk has no room for.

        Raises:
            UnavailableError: it is so.
        """
        found = os.statvfs(self._roots.place(WORKSPACE))
        if found.f_bavail * found.f_frsize < sum(one.bytes for one in files) + SPARE_BYTES:
            raise UnavailableError("the disk has no room for what is to be imported", reason="disk_full")
