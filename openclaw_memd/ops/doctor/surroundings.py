"""What a daemon stands on: places, disks, file events, zone, service, who sees texts. All of it blocks."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from openclaw_memd.config.paths import backups_dir
from openclaw_memd.config.schema import Config
from openclaw_memd.ops.doctor import disk, machine, places, privacy, service
from openclaw_memd.ops.doctor.findings import Finding


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is looked at.

    ``state`` and ``socket`` are None where they are not known, ``pid`` is that of the daemon that answers.
    ``watch_warning`` is what the watcher says while it has no events.
    """

    agent: str
    config: Config
    env: Mapping[str, str]
    workspace: Path
    state: Path | None
    socket: Path | None
    now: datetime
    pid: int | None = None
    watch_warning: str | None = None

    def check(self, folders: int, names: Sequence[str]) -> Iterator[Finding]:
        """Everything that is to be said. ``folders`` are watched; ``names`` are those of memory files."""
        yield from self._check_places(names)
        yield from self._check_disks()
        yield from machine.judge_events(machine.read_event_limits(), folders, self.watch_warning)
        yield from machine.judge_zone(self.config.time.zone, self.env, self.now)
        unit = service.find_unit(self.env)
        yield from service.judge_service(unit, service.own_executable(), self.pid)
        if self.state is not None:
            yield from privacy.judge_privacy(
                self.config, self.agent, workspace=self.workspace, state=self.state, backups=self._backups
            )

    def _check_places(self, names: Sequence[str]) -> Iterator[Finding]:
        folders = [("state", self.state), ("socket", None if self.socket is None else self.socket.parent)]
        there = [(subject, folder) for subject, folder in folders if folder is not None]
        yield from places.judge_exposure(there)
        if self.state is not None:
            modes = places.look_at_modes(places.list_places(self.state, self.socket))
            yield from places.judge_modes(modes, os.geteuid())
        yield from places.judge_readers(self.workspace, names)
        yield from places.judge_writable(self.workspace, names)
        yield from places.judge_key_files(privacy.key_files(self.config, self.agent))

    def _check_disks(self) -> Iterator[Finding]:
        mounts = disk.read_mounts()
        machine_folder = self.workspace / "memory" / ".dreams"
        looked_at = [("the workspace", self.workspace, machine_folder)]
        if self.state is not None:
            looked_at.append(("the state folder", self.state, self.state))
        for what, folder, own in looked_at:
            is_workspace = folder == self.workspace
            if own.is_dir():
                yield from disk.judge_abilities(what, disk.try_disk(own), is_workspace=is_workspace)
            yield from disk.judge_room(what, disk.measure_room(folder))
            yield from disk.judge_mount(what, folder, mounts, is_workspace=is_workspace)

    @property
    def _backups(self) -> Path:
        return backups_dir(self.env, self.config.paths.data_dir or None)
