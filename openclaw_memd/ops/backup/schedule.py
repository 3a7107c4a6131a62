"""When backups come: once a due time, whatever sleep, restarts and other daemons do.

A time that was missed is made up for once, however many were missed. One that failed is tried again after an
hour.
"""

import fcntl
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

import structlog
import trio

from openclaw_memd.dreaming.schedule import LOOK_S, last_time
from openclaw_memd.errors import MemdError
from openclaw_memd.jobs import JobFailedError
from openclaw_memd.ops.backup.places import make_folder, parse_scheduled, scheduled_name
from openclaw_memd.ops.backup.record import Record, RecordFile
from openclaw_memd.ops.backup.retention import choose_kept
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.backup")

RETRY: Final = timedelta(hours=1)

Make = Callable[[Path], Awaitable[None]]
"""Makes the scheduled archive at a place, and remembers in the record how that went."""


@dataclass(frozen=True, slots=True)
class Plan:
    """When archives come, and how many are kept."""

    expression: str
    daily: int
    weekly: int


class BackupSchedule:
    """The schedule of one group of workspaces."""

    def __init__(self, folder: Path, group: str, plan: Plan, *, zone: Zone, clock: Clock, make: Make) -> None:
        self._folder = folder
        self._group = group
        self._plan = plan
        self._zone = zone
        self._clock = clock
        self._make = make
        self._record = RecordFile(folder, group)
        self._failed_at: datetime | None = None

    async def look(self) -> None:
        """Make the archive of the last due time, unless it is there or another daemon makes it.

        Raises:
            OSError: the folder of archives cannot be used.
        """
        await trio.to_thread.run_sync(make_folder, self._folder)
        lease = await trio.to_thread.run_sync(self._take_lease)
        if lease is None:
            return
        try:
            due_at = await trio.to_thread.run_sync(self._find_due, self._clock.now())
            if due_at is not None:
                await self._make_up(due_at)
        finally:
            os.close(lease)

    async def _make_up(self, due_at: datetime) -> None:
        name = scheduled_name(self._group, due_at)
        target = self._folder / name
        try:
            if not target.exists():  # else the process ended before it was remembered
                await self._make(target)
        except (MemdError, JobFailedError):
            self._failed_at = failed_at = self._clock.now()
            with suppress(OSError):  # the disk may be full; then this process remembers
                await trio.to_thread.run_sync(
                    self._change, lambda record: replace(record, failed_at=failed_at)
                )
            return
        self._failed_at = None
        await trio.to_thread.run_sync(self._conclude, due_at, target)

    def _find_due(self, now: datetime) -> datetime | None:
        """The due time whose archive is to be made ``now``."""
        record = self._record.read()
        if record.since is None or record.since > now:
            self._record.write(replace(record, since=now))
            return None
        due_at = last_time(self._plan.expression, self._zone, now)
        if due_at is None or due_at <= record.since or (record.done is not None and due_at <= record.done):
            return None
        failed_at = self._failed_at or record.failed_at
        if failed_at is not None and due_at <= failed_at <= now < failed_at + RETRY:
            return None
        return due_at

    def _conclude(self, due_at: datetime, target: Path) -> None:
        """Remember the archive, then take away those that are not to be kept."""
        status = target.stat()
        identity = (status.st_dev, status.st_ino, status.st_size)
        record = self._change(
            lambda record: replace(
                record, done=due_at, failed_at=None, made={**record.made, target.name: identity}
            )
        )
        present = {
            at: name
            for name, known in record.made.items()
            if (at := parse_scheduled(name, self._group)) is not None and self._is_same(name, known)
        }
        kept = choose_kept(present, self._zone.day, daily=self._plan.daily, weekly=self._plan.weekly)
        for at, name in present.items():
            if at not in kept:
                with suppress(FileNotFoundError):
                    (self._folder / name).unlink()
        names = {present[at] for at in kept}
        self._change(
            lambda record: replace(
                record, made={name: one for name, one in record.made.items() if name in names}
            )
        )
        if len(kept) < len(present):
            log.info("old backups removed", count=len(present) - len(kept))

    def _is_same(self, name: str, known: tuple[int, int, int]) -> bool:
        """Whether the file is still the one that was made, and not something that took its name."""
        try:
            status = (self._folder / name).lstat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino, status.st_size) == known

    def _change(self, edit: Callable[[Record], Record]) -> Record:
        record = edit(self._record.read())
        self._record.write(record)
        return record

    def _take_lease(self) -> int | None:
        """A descriptor that holds the lease until it is closed; None while another daemon has it."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self._folder / f".memd-{self._group}.lock", flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor


class Looking(Protocol):
    """What is due is done when somebody looks."""

    async def look(self) -> None:
        """Look now."""
        ...


async def follow(schedule: Looking, next_at: Callable[[], datetime | None], clock: Clock) -> None:
    """Make every archive at its time, until cancelled; a missed one at once. Errors as ``look``."""
    while True:
        await schedule.look()
        at = next_at()
        wait_s = LOOK_S if at is None else (at - clock.now()).total_seconds()
        await trio.sleep(min(LOOK_S, max(0.0, wait_s)))
