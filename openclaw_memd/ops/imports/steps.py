"""What an import or its undo does file by file; after every batch the ledger is told what became of it."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger import imports as ledger
from openclaw_memd.index.ledger.imports import ImportedFile, ImportRow
from openclaw_memd.index.store import Store
from openclaw_memd.jobs import Progress
from openclaw_memd.ops.imports import writing
from openclaw_memd.ops.imports.types import Left
from openclaw_memd.ops.imports.writing import Outcome

T = TypeVar("T")

BATCH: Final = 32
"""After so many files the ledger says what became of them."""


class Steps:
    """Takes them in one workspace. ``on_step`` hears what is done next."""

    def __init__(self, state: Store, roots: Roots, on_step: Callable[[str], None]) -> None:
        self._state = state
        self._roots = roots
        self._on_step = on_step

    async def settle(self, row: ImportRow) -> None:
        """Finish the steps of an import or undo that was cut off, and say what is there."""
        files = await self._state.read(partial(ledger.files_of, import_id=row.id))
        there = await trio.to_thread.run_sync(writing.settle_files, self._roots, files)
        if there:
            await self._state.write(partial(ledger.mark_files, import_id=row.id, marks=there))

    async def back_up(
        self, import_id: str, files: Sequence[ImportedFile], backup: Path
    ) -> tuple[list[ImportedFile], list[Left]]:
        """Copy what will be replaced into ``backup``; the files that can be written then, and those left.

        What changed meanwhile is left alone.

        Raises:
            UnavailableError: the disk is full or fails; nothing was replaced.
        """
        left: list[Outcome] = []
        for batch in _batches([one for one in files if one.before is not None]):
            self._on_step("back_up")
            outcomes = await trio.to_thread.run_sync(writing.back_up_files, self._roots, batch, backup)
            await self._mark(import_id, outcomes)
            left += outcomes
        gone = {path for path, _, _ in left}
        kept = [one for one in files if one.path not in gone]
        return kept, [why for _, _, why in left if why is not None]

    async def take(
        self,
        import_id: str,
        files: Sequence[ImportedFile],
        step: Callable[[ImportedFile], Outcome],
        progress: Progress,
    ) -> list[Left]:
        """Take a step for each file and tell the ledger, whatever ends them; what was not as wanted."""
        why: list[Left] = []
        done = 0
        progress(0, len(files))
        for batch in _batches(files):
            outcomes: list[Outcome] = []
            try:
                for one in batch:
                    self._on_step("file")
                    outcomes.append(await trio.to_thread.run_sync(step, one))
            except UnavailableError:
                await self._mark(import_id, outcomes)
                raise
            self._on_step("mark")
            await self._mark(import_id, outcomes)
            why += [left for _, _, left in outcomes if left is not None]
            done += len(batch)
            progress(done)
        return why

    async def _mark(self, import_id: str, outcomes: Sequence[Outcome]) -> None:
        if not outcomes:
            return
        await trio.to_thread.run_sync(writing.sync_outcomes, self._roots, outcomes)
        marks = [(path, state) for path, state, _ in outcomes]
        await self._state.write(partial(ledger.mark_files, import_id=import_id, marks=marks))


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]
