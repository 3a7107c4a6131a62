"""The pages of dreaming from the event loop: what cannot be written is told of, and is no reason to stop."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date
from typing import Final

import structlog
import trio

from openclaw_memd.domain.dream_pages import (
    DiaryEntry,
    Phase,
    add_entry,
    put_block,
    put_report,
    read_diary,
)
from openclaw_memd.errors import MemdError
from openclaw_memd.files.dreams import DreamPages, Plan

log = structlog.get_logger("memd.dreaming")

SETTLE_S: Final = 2.0
"""So long an editor may still write to an earlier version."""

RETRY_S: Final = 60.0
ENDING_S: Final = 1.0
DISK_ERROR: Final = "disk_error"


def is_shown(problems: Sequence[str]) -> bool:
    """Whether a page is there, or can never be: not when only the disk was in the way."""
    return not any(problem.endswith(DISK_ERROR) for problem in problems)


class Pages:
    """DREAMS.md and the reports of one workspace; ``run`` looks again at what was in their places."""

    def __init__(self, files: DreamPages) -> None:
        self.files = files
        self._turn = trio.Lock()
        self._written = trio.Event()

    async def run(self) -> None:
        """Add to DREAMS.md what was still written to earlier versions of it, until cancelled.

        Then those go that nobody has open any more.

        Raises:
            OSError: the workspace cannot be reached.
        """
        await trio.to_thread.run_sync(self.files.clean)
        try:
            while True:
                await self._written.wait()
                self._written = trio.Event()
                await trio.sleep(SETTLE_S)
                try:
                    await self.settle()
                except OSError as error:
                    log.warning("dream page not settled", errno=error.errno)
                    await trio.sleep(RETRY_S)
                    self._written.set()
        finally:
            with trio.move_on_after(ENDING_S, shield=True), suppress(OSError):
                async with self._turn:
                    await trio.to_thread.run_sync(self.files.let_go)

    async def settle(self) -> None:
        """Do that at once.

        Raises:
            OSError: the disk cannot be written.
        """
        async with self._turn:
            await trio.to_thread.run_sync(self.files.settle)

    async def publish(self, phase: Phase, day: date, run_id: str, body: str) -> list[str]:
        """Show what a phase of a run found; what could not be done."""
        page = await self._try(
            "dreams_file", lambda: self.files.edit(lambda text: put_block(text, phase, body))
        )
        report = await self._try(
            f"{phase}_report",
            lambda: self.files.edit_report(phase, day, lambda text: put_report(text, phase, run_id, body)),
        )
        return [*page, *report]

    async def add_entry(self, entry: DiaryEntry) -> list[str]:
        """Go on with the diary; what could not be done."""
        return await self.edit(lambda text: add_entry(text, entry))

    async def edit(self, plan: Plan) -> list[str]:
        """Rewrite DREAMS.md by ``plan``; what could not be done."""
        return await self._try("dreams_file", lambda: self.files.edit(plan))

    async def rewrite(self, page: Plan, report: Plan) -> list[str]:
        """Rewrite DREAMS.md by ``page`` and every report by ``report``; what could not be done."""
        problems = await self.edit(page)
        return [*problems, *await self._try("reports", lambda: self.files.rewrite_reports(report))]

    async def diary(self) -> Sequence[DiaryEntry]:
        """The entries of the diary, the oldest first; none when DREAMS.md cannot be read."""
        async with self._turn:
            try:
                return await trio.to_thread.run_sync(lambda: read_diary(self.files.read()))
            except (MemdError, OSError):
                return ()

    async def nights(self) -> Sequence[DiaryEntry]:
        """The entries that tell of nights, the oldest first."""
        return [entry for entry in await self.diary() if not entry.is_backfill]

    async def _try(self, name: str, work: Callable[[], object]) -> list[str]:
        async with self._turn:
            try:
                await trio.to_thread.run_sync(work)
            except MemdError as error:
                return [f"{name}: {error.reason or error.kind}"]
            except OSError as error:
                log.warning("dream page not written", errno=error.errno)
                return [f"{name}: {DISK_ERROR}"]
            finally:
                if self.files.has_asides:
                    self._written.set()
        return []
