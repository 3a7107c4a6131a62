"""Installing, removing and looking at memd as a service, whatever manages services here."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from openclaw_memd.ops.service.programs import ServiceError, Step, carry_out
from openclaw_memd.ops.service.seal import FileState, ServiceFile

Presence = Literal["running", "unreachable", "absent"]
"""A manager that takes orders; one that is installed and not to be talked to from here; none."""

Action = Literal["created", "updated", "unchanged", "kept", "removed"]


class Manager(Protocol):
    """A service manager."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def help_without(self) -> str:
        """What to do where it does not run; ends a sentence."""
        ...

    @property
    def files(self) -> tuple[ServiceFile, ...]:
        """The files of the service, as they are to be."""
        ...

    def find(self) -> Presence:
        """Whether it takes orders."""
        ...

    def starting(self, *, changed: bool) -> tuple[Step, ...]:
        """What lets the service run now and from now on; ``changed`` tells that files were written."""
        ...

    def enabling(self) -> tuple[Step, ...]:
        """What lets it run from the next login on, where the manager is unreachable."""
        ...

    def stopping(self, names: Sequence[str], *, offline: bool) -> tuple[Step, ...]:
        """What stops and disables the service that the files ``names`` describe."""
        ...

    def forgetting(self) -> tuple[Step, ...]:
        """What tells the manager that files are gone."""
        ...

    def service(self) -> "ServiceState":
        """How the service is, as the manager sees it."""
        ...

    def next_steps(self) -> tuple[str, ...]:
        """What people do after an install; plain sentences."""
        ...


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The service in its manager's eyes. ``state`` and ``enabled`` are the manager's words."""

    state: str
    running: bool
    enabled: str | None = None
    pid: int | None = None
    restarts: int | None = None
    exit_code: int | None = None
    advice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileReport:
    """What was done to a file, or found in its place."""

    path: str
    action: Action | None
    state: FileState
    drop_ins: tuple[str, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceReport:
    """What was done, or would be."""

    manager: str
    presence: Presence
    files: tuple[FileReport, ...]
    commands: tuple[str, ...] = ()
    service: ServiceState | None = None
    notes: tuple[str, ...] = ()
    dry_run: bool = False


def install(manager: Manager, *, dry_run: bool = False) -> ServiceReport:
    """Write what is missing or of an earlier install, keep what somebody edited, and start the service.

    Raises:
        ServiceError: there is no manager, a file cannot be written, or the service does not start.
    """
    presence = manager.find()
    if presence == "absent" and not dry_run:
        raise ServiceError(f"{manager.name} does not run here, nothing was written: {manager.help_without}")
    reports = [_install_file(file, dry_run=dry_run) for file in manager.files]
    changed = any(report.action in ("created", "updated") for report in reports)
    steps = manager.enabling() if presence == "unreachable" else manager.starting(changed=changed)
    commands = _carry_out(steps, dry_run=dry_run)
    notes = [_kept(report) for report in reports if report.action == "kept"]
    if presence == "unreachable":
        notes.append(f"{manager.name} does not answer here: the service starts with the next login")
    return ServiceReport(
        manager.name,
        presence,
        tuple(reports),
        commands,
        manager.service() if presence == "running" and not dry_run else None,
        (*notes, *manager.next_steps()),
        dry_run,
    )


def uninstall(manager: Manager, *, dry_run: bool = False) -> ServiceReport:
    """Stop the service and remove the files that memd wrote and nobody edited since.

    Raises:
        ServiceError: a file cannot be removed, or the service does not stop.
    """
    presence = manager.find()
    found = [(file, file.find_state()) for file in manager.files]
    names = [file.path.name for file, state in found if state not in ("absent", "foreign")]
    commands: tuple[str, ...] = ()
    if names and presence != "absent":
        commands = _carry_out(manager.stopping(names, offline=presence == "unreachable"), dry_run=dry_run)
    reports = [_remove_file(file, state, dry_run=dry_run) for file, state in found]
    if names and presence == "running":
        commands += _carry_out(manager.forgetting(), dry_run=dry_run)
    notes = [
        f"{report.path} was edited: it is stopped and kept; remove it by hand"
        if report.state == "edited"
        else f"{report.path} is not memd's: it is left alone"
        for report in reports
        if report.action == "kept"
    ]
    notes += [f"{drop_in} is yours and stays" for report in reports for drop_in in report.drop_ins]
    return ServiceReport(manager.name, presence, tuple(reports), commands, None, tuple(notes), dry_run)


def look(manager: Manager) -> ServiceReport:
    """The files and the service as they are."""
    presence = manager.find()
    reports = [FileReport(str(file.path), None, file.find_state(), _drop_ins(file)) for file in manager.files]
    service = manager.service() if presence == "running" else None
    notes = []
    if all(report.state == "absent" for report in reports):
        notes.append("memd is not installed as a service: `memd service install`")
    elif any(report.state == "outdated" for report in reports):
        notes.append("a file is of an earlier install: `memd service install` writes it anew")
    if presence != "running":
        notes.append(f"{manager.name} does not answer here: {manager.help_without}")
    return ServiceReport(manager.name, presence, tuple(reports), (), service, tuple(notes))


def _install_file(file: ServiceFile, *, dry_run: bool) -> FileReport:
    actions: dict[FileState, Action] = {"absent": "created", "outdated": "updated", "current": "unchanged"}
    state = file.find_state()
    action = actions.get(state, "kept")
    if action in ("created", "updated") and not dry_run:
        try:
            file.write()
        except OSError as error:
            raise ServiceError(f"cannot write {file.path}: {error.strerror}") from None
    return FileReport(str(file.path), action, state, _drop_ins(file), file.text if dry_run else None)


def _remove_file(file: ServiceFile, state: FileState, *, dry_run: bool) -> FileReport:
    if state in ("absent", "edited", "foreign"):
        return FileReport(str(file.path), None if state == "absent" else "kept", state, _drop_ins(file))
    if not dry_run:
        try:
            file.path.unlink(missing_ok=True)
        except OSError as error:
            raise ServiceError(f"cannot remove {file.path}: {error.strerror}") from None
    return FileReport(str(file.path), "removed", state, _drop_ins(file))


def _drop_ins(file: ServiceFile) -> tuple[str, ...]:
    return tuple(str(path) for path in file.drop_ins)


def _kept(report: FileReport) -> str:
    what = "was edited and is kept as it is" if report.state == "edited" else "is not memd's and is kept"
    return f"{report.path} {what}; to have memd's, move it away and install again"


def _carry_out(steps: Sequence[Step], *, dry_run: bool) -> tuple[str, ...]:
    if not dry_run:
        for step in steps:
            carry_out(step)
    return tuple(shlex.join(step.words) for step in steps)
