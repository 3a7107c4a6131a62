"""memd under systemd: a unit and a socket of one user, or a hardened template for a server."""

import os
import pwd
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from openclaw_memd.config.paths import config_home
from openclaw_memd.ops.service.escaping import command_line, path_value
from openclaw_memd.ops.service.managing import Presence, ServiceState
from openclaw_memd.ops.service.programs import ServiceError, Step, run_program
from openclaw_memd.ops.service.seal import ServiceFile, seal

SERVICE = "memd.service"
SOCKET = "memd.socket"
SYSTEM_FOLDER = Path("/etc/systemd/system")
DEFAULT_SOCKET = "%t/openclaw-memd/memd.sock"
"""Where clients look without any setting; ``%t`` is the user's runtime folder."""

_LINGERING = Path("/var/lib/systemd/linger")
_HIDDEN = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")
"""Folders that the template's ``ProtectHome`` and ``PrivateTmp`` hide from the service."""

_PROPERTIES = (
    "LoadState", "ActiveState", "SubState", "UnitFileState", "MainPID", "NRestarts", "ExecMainStatus",
    "Result", "FragmentPath", "NeedDaemonReload",
)  # fmt: skip


def user_folder(env: Mapping[str, str]) -> Path:
    """Where a user's own units lie."""
    return config_home(env) / "systemd/user"


class UserSystemd:
    """The systemd of the user who asks."""

    name = "systemd of this user"
    help_without = "run `memd run` under whatever keeps your programs running"

    def __init__(self, words: Sequence[str], env: Mapping[str, str], *, socket: Path | None) -> None:
        """``socket`` is where clients are told to look, None for the usual place.

        Raises:
            ServiceError: a unit cannot name the socket.
        """
        folder = user_folder(env)
        try:
            place = DEFAULT_SOCKET if socket is None else path_value(str(socket))
        except ValueError as error:
            raise ServiceError(f"the socket: {error}") from None
        self._units = (
            _unit(folder / SERVICE, COMMAND=command_line(words)),
            _unit(folder / SOCKET, SOCKET=place),
        )

    @property
    def files(self) -> tuple[ServiceFile, ...]:
        """The service and its socket."""
        return self._units

    def find(self) -> Presence:
        """Whether this user's manager takes orders from this session."""
        return _find("--user")

    def starting(self, *, changed: bool) -> tuple[Step, ...]:
        """Socket and service, now and at each login; what was changed is started anew."""
        log = "; its log: journalctl --user -u memd -n 20"
        names = (SOCKET, SERVICE)
        return (
            Step(("systemctl", "--user", "daemon-reload")),
            Step(("systemctl", "--user", "enable", *names)),
            *([Step(("systemctl", "--user", "stop", *names), may_fail=True)] if changed else []),
            Step(("systemctl", "--user", "start", *names), failure=log),
        )

    def enabling(self) -> tuple[Step, ...]:
        """The links that a login follows."""
        return (Step(("systemctl", "--user", "enable", SOCKET, SERVICE), offline=True),)

    def stopping(self, names: Sequence[str], *, offline: bool) -> tuple[Step, ...]:
        """Not at the next login, and not now."""
        now = () if offline else ("--now",)
        return (Step(("systemctl", "--user", "disable", *now, *names), offline=offline),)

    def forgetting(self) -> tuple[Step, ...]:
        """Units that are gone, and that they ever failed."""
        return (
            Step(("systemctl", "--user", "daemon-reload")),
            Step(("systemctl", "--user", "reset-failed", SERVICE, SOCKET), may_fail=True),
        )

    def service(self) -> ServiceState:
        """What ``systemctl show`` says of the service."""
        shown = _show("--user", SERVICE)
        advice = []
        fragment = shown.get("FragmentPath", "")
        if fragment and fragment != str(self._units[0].path):
            advice.append(f"systemd uses {fragment} instead of {self._units[0].path}")
        return _state(shown, "systemctl --user", "memd", advice)

    def next_steps(self) -> tuple[str, ...]:
        """Without a login the user's manager does not run, unless it lingers."""
        user = pwd.getpwuid(os.geteuid()).pw_name
        if (_LINGERING / user).exists():
            return ()
        return (f"to have it run without a login, too: `loginctl enable-linger {user}`",)


class SystemSystemd:
    """A template for any user of a server: ``memd@alice.service``."""

    name = "systemd"
    help_without = "run `memd run` under whatever keeps your services running"

    def __init__(self, words: Sequence[str], *, folder: Path = SYSTEM_FOLDER) -> None:
        self._words = tuple(words)
        self._template = _unit(folder / "memd@.service", COMMAND=command_line(words))

    @property
    def files(self) -> tuple[ServiceFile, ...]:
        """The template."""
        return (self._template,)

    def find(self) -> Presence:
        """Whether this machine was started by systemd."""
        return _find("--system")

    def starting(self, *, changed: bool) -> tuple[Step, ...]:
        """Make the template known; instances that run are started anew with what was changed."""
        reload = Step(("systemctl", "daemon-reload"))
        return (reload, Step(("systemctl", "try-restart", "memd@*.service"))) if changed else (reload,)

    def enabling(self) -> tuple[Step, ...]:
        """Nothing: a template runs for nobody yet."""
        return ()

    def stopping(self, names: Sequence[str], *, offline: bool) -> tuple[Step, ...]:
        """Every instance."""
        stop = () if offline else (Step(("systemctl", "stop", "memd@*.service")),)
        return (*stop, Step(("systemctl", "disable", *names), offline=offline))

    def forgetting(self) -> tuple[Step, ...]:
        """The template that is gone, and instances that failed."""
        return (
            Step(("systemctl", "daemon-reload")),
            Step(("systemctl", "reset-failed", "memd@*.service"), may_fail=True),
        )

    def service(self) -> ServiceState:
        """Every instance that systemd knows of: running when all of them do."""
        words = ("systemctl", "list-units", "--all", "--plain", "--no-legend", "--full", "memd@*.service")
        found = [line.split()[:4] for line in run_program(words).out.splitlines() if line.split()]
        states = {name: f"{active} ({sub})" for name, _, active, sub in found}
        if not states:
            return ServiceState(
                "no instance", False, advice=("`systemctl enable --now memd@USER` starts one",)
            )
        return ServiceState(
            ", ".join(f"{name} {state}" for name, state in states.items()),
            all(state.startswith("active") for state in states.values()),
        )

    def next_steps(self) -> tuple[str, ...]:
        """An instance is started by name, and its clients are told where it listens."""
        steps = [
            "start it for a user: `systemctl enable --now memd@USER`",
            "that user's clients find it by `export MEMD_SOCKET=/run/memd-$USER/openclaw-memd/memd.sock`",
        ]
        hidden = next((top for top in _HIDDEN if self._words[0].startswith(top + "/")), None)
        if hidden is not None:
            steps.append(
                f"{self._words[0]} is in {hidden}, which the service cannot see unless it is the home of its"
                " user: install memd in a place such as /opt/memd and from there install the service again"
            )
        return tuple(steps)


def _unit(path: Path, **values: str) -> ServiceFile:
    text = (files("openclaw_memd.ops.service") / path.name).read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return ServiceFile(path, seal(text, before="# "))


def _find(scope: str) -> Presence:
    """What the manager of ``scope`` says of itself: ``offline`` where systemd did not start the machine."""
    try:
        done = run_program(("systemctl", scope, "is-system-running"))
    except ServiceError:
        return "absent"
    word = done.out.strip()
    if word == "offline":
        return "absent"
    return "running" if word and word != "unknown" else "unreachable"


def _show(scope: str, unit: str) -> dict[str, str]:
    done = run_program(("systemctl", scope, "show", unit, "--property", ",".join(_PROPERTIES)))
    pairs = (line.partition("=") for line in done.out.splitlines())
    return {name: value for name, _, value in pairs}


def _state(shown: Mapping[str, str], systemctl: str, unit: str, advice: list[str]) -> ServiceState:
    active, running = shown.get("ActiveState", "unknown"), shown.get("ActiveState") == "active"
    if shown.get("NeedDaemonReload") == "yes":
        advice.append(f"unit files changed since they were loaded: `{systemctl} daemon-reload`")
    if shown.get("LoadState") == "loaded" and active == "failed":
        journal = systemctl.replace("systemctl", "journalctl")
        advice.append(
            f"it failed ({shown.get('Result')}): `{journal} -u {unit} -n 20` says why;"
            f" `{systemctl} restart {unit}` starts it again"
        )
    return ServiceState(
        f"{active} ({shown.get('SubState', 'unknown')})",
        running,
        shown.get("UnitFileState") or None,
        _number(shown, "MainPID") or None,
        _number(shown, "NRestarts"),
        _number(shown, "ExecMainStatus"),
        tuple(advice),
    )


def _number(shown: Mapping[str, str], name: str) -> int | None:
    value = shown.get(name, "")
    return int(value) if value.isdigit() else None
