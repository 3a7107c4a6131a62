"""Backups of everything that the daemon serves, wired; what makes them is imported when one is made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
import trio

from openclaw_memd.allocator import give_back
from openclaw_memd.config.schema import Backup as Settings
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.errors import MemdError
from openclaw_memd.gateway.status_results import BackupReport
from openclaw_memd.jobs import Jobs, Progress
from openclaw_memd.ops.backup.types import Last, Made
from openclaw_memd.ports import Clock
from openclaw_memd.schedules import next_time
from openclaw_memd.supervisor import Health
from openclaw_memd.zones import Zone

if TYPE_CHECKING:
    from openclaw_memd.ops.backup.packing import Source
    from openclaw_memd.ops.backup.record import RecordFile

log = structlog.get_logger("memd.backup")


class Backups:
    """Makes archives of ``memories``, on demand and by the schedule."""

    def __init__(
        self,
        memories: Mapping[WorkspaceMemory, Sequence[str]],
        settings: Settings,
        *,
        state_dir: Path,
        folder: Path,
        zone: Zone,
        clock: Clock,
        jobs: Jobs,
    ) -> None:
        """``memories`` have their agents. ``folder`` is where archives lie, made when it is needed."""
        self._memories = memories
        self._settings = settings
        self._state_dir = state_dir
        self._folder = folder
        self._zone = zone
        self._clock = clock
        self._jobs = jobs
        self.health = Health("backups")
        self._last: Last | None = None
        self._has_read = False

    @property
    def is_scheduled(self) -> bool:
        """Whether ``run`` has something to do."""
        return bool(self._settings.schedule)

    async def create(self, path: str | None, progress: Progress) -> Made:
        """Make an archive at ``path``, or in the data folder.

        Raises:
            InvalidParamsError, DeniedError, ConflictError: no archive can be at ``path``.
            UnavailableError: a workspace, its ledger or the disk cannot be used; nothing is left.
        """
        target = await trio.to_thread.run_sync(self._choose, path)
        return await self._make(target, progress, scheduled=False)

    async def run(self) -> None:
        """Make scheduled archives until cancelled.

        Raises:
            OSError: the folder of archives cannot be used.
        """
        from openclaw_memd.ops.backup.places import group_of
        from openclaw_memd.ops.backup.schedule import BackupSchedule, Plan, follow

        settings = self._settings
        plan = Plan(settings.schedule, settings.keep_daily, settings.keep_weekly)
        group = group_of(memory.workspace.id for memory in self._memories)
        schedule = BackupSchedule(
            self._folder, group, plan, zone=self._zone, clock=self._clock, make=self._make_scheduled
        )
        await follow(schedule, self._next_at, self._clock)

    async def report(self) -> BackupReport | None:
        """How the last backup went and when the next comes; None when there is neither."""
        if not self._has_read:
            found = await trio.to_thread.run_sync(self._read_last)
            if not self._has_read:  # else one was made meanwhile, and the disk may be too full to say so
                self._last, self._has_read = found, True
        following = self._next_at()
        last = self._last
        if last is None and following is None:
            return None
        return BackupReport(
            last_at=None if last is None else last.at,
            last_outcome=None if last is None else last.outcome,
            path=None if last is None else last.path,
            reason=None if last is None else last.reason,
            left_out=0 if last is None else last.left_out,
            next_at=None if following is None else following.isoformat(timespec="seconds"),
        )

    def warnings(self) -> list[str]:
        """What ``status`` says of it, after ``report``."""
        found = []
        last, health = self._last, self.health
        if last is not None and last.scheduled and last.outcome != "ok":
            found.append(
                f"the scheduled backup of {last.at} was not made ({last.reason or last.outcome});"
                " it is tried again after an hour"
            )
        if health.last_error is not None and not health.running:
            found.append(f"no backup can be scheduled ({health.last_error}); it is tried again, see the log")
        return found

    async def _make_scheduled(self, target: Path) -> None:
        async def work(progress: Progress) -> object:
            made = await self._make(target, progress, scheduled=True)
            return {"bytes": made.bytes, "files": made.files}

        await self._jobs.start("backup", work, key=target.name).wait()

    async def _make(self, target: Path, progress: Progress, *, scheduled: bool) -> Made:
        from openclaw_memd.ops.backup.creating import create_archive

        at = self._clock.now()
        last = Last(at.isoformat(timespec="seconds"), "cancelled", scheduled=scheduled)
        try:
            skip = await trio.to_thread.run_sync(self._skipped)
            await trio.to_thread.run_sync(self._make_folder)
            made = await create_archive(
                self._sources(), target, at=at, copies=self._folder, skip=skip, progress=progress
            )
        except MemdError as error:
            last = replace(last, outcome="failed", reason=error.reason)
            raise
        except Exception:
            last = replace(last, outcome="failed")
            raise
        else:
            last = replace(last, outcome="ok", path=self._relative(target), left_out=len(made.left_out))
            log.info("backup made", files=made.files, bytes=made.bytes)
            return made
        finally:
            self._last, self._has_read = last, True
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._remember, last)
                await trio.to_thread.run_sync(give_back)

    def _choose(self, path: str | None) -> Path:
        from openclaw_memd.ops.backup import places

        now = self._clock.now()
        if path is not None:
            workspaces = [memory.workspace.path for memory in self._memories]
            return places.choose_place(path, now, [*workspaces, self._state_dir])
        self._make_folder()
        return places.free_place(self._folder, now)

    def _sources(self) -> "list[Source]":
        from openclaw_memd.ops.backup.packing import Source

        return [
            Source(
                name=agents[0],
                id=memory.workspace.id,
                agents=tuple(agents),
                roots=memory.roots,
                state=memory.state,
                turn=memory.write_path.notes.turn,
                forgetting=memory.forgetting.turn,
            )
            for memory, agents in self._memories.items()
        ]

    def _skipped(self) -> frozenset[tuple[int, int]]:
        """Our own folders, should they lie in a workspace."""
        found = set()
        for place in (self._state_dir, self._folder):
            try:
                status = place.stat()
            except OSError:
                continue
            found.add((status.st_dev, status.st_ino))
        return frozenset(found)

    def _record(self) -> "RecordFile":
        from openclaw_memd.ops.backup.places import group_of
        from openclaw_memd.ops.backup.record import RecordFile

        return RecordFile(self._folder, group_of(memory.workspace.id for memory in self._memories))

    def _read_last(self) -> Last | None:
        return self._record().read().last if self._folder.is_dir() else None

    def _make_folder(self) -> None:
        from openclaw_memd.ops.backup.creating import disk_told
        from openclaw_memd.ops.backup.places import make_folder

        with disk_told():
            make_folder(self._folder)

    def _remember(self, last: Last) -> None:
        try:
            record = self._record()
            record.write(replace(record.read(), last=last))
        except OSError as error:
            log.warning("backup not remembered", error_type=type(error).__name__)

    def _relative(self, target: Path) -> str | None:
        data = self._folder.parent
        return str(target.relative_to(data)) if target.is_relative_to(data) else None

    def _next_at(self) -> datetime | None:
        expression = self._settings.schedule
        return next_time(expression, self._zone.at(self._clock.now())) if expression else None
