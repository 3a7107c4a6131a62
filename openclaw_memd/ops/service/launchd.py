"""memd under launchd, as an agent of the user who asks."""

import os
import plistlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from openclaw_memd.config.paths import home
from openclaw_memd.ops.service.managing import Presence, ServiceState
from openclaw_memd.ops.service.programs import ServiceError, Step, run_program
from openclaw_memd.ops.service.seal import ServiceFile, seal

LABEL = "org.openclaw.memd"
_BEHIND_DOCTYPE = 2
_TRIES = 10
"""An agent that was told to go is gone some seconds later; until then none of its name can come."""


def agent_file(env: Mapping[str, str]) -> Path:
    """Where the property list of the user's agent lies."""
    return home(env) / "Library/LaunchAgents" / f"{LABEL}.plist"


class Launchd:
    """The launchd of a macOS user."""

    name = "launchd"
    help_without = "run `memd run` under whatever keeps your programs running"

    def __init__(self, words: Sequence[str], env: Mapping[str, str]) -> None:
        self.log = home(env) / "Library/Logs/openclaw-memd.log"
        template = (files("openclaw_memd.ops.service") / f"{LABEL}.plist").read_bytes()
        settings = plistlib.loads(template) | {
            "ProgramArguments": list(words),
            "StandardErrorPath": str(self.log),
        }
        text = plistlib.dumps(settings, sort_keys=False).decode()
        sealed = seal(text, before="<!-- ", after=" -->", place=_BEHIND_DOCTYPE)
        self._plist = ServiceFile(agent_file(env), sealed)

    @property
    def files(self) -> tuple[ServiceFile, ...]:
        """The property list."""
        return (self._plist,)

    def find(self) -> Presence:
        """Whether launchd knows this user."""
        try:
            return (
                "running" if run_program(("launchctl", "print", self._domain())).code == 0 else "unreachable"
            )
        except ServiceError:
            return "absent"

    def starting(self, *, changed: bool) -> tuple[Step, ...]:
        """Load the agent, in place of one of its name when the file changed."""
        domain = self._domain()
        if not changed and self.service().state != "not loaded":
            return (Step(("launchctl", "kickstart", f"{domain}/{LABEL}")),)
        return (
            Step(("launchctl", "bootout", f"{domain}/{LABEL}"), may_fail=True),
            Step(("launchctl", "enable", f"{domain}/{LABEL}")),
            Step(
                ("launchctl", "bootstrap", domain, str(self._plist.path)),
                tries=_TRIES,
                failure=f"; its log: {self.log}",
            ),
        )

    def enabling(self) -> tuple[Step, ...]:
        """Nothing: what is in the folder is loaded at login."""
        return ()

    def stopping(self, names: Sequence[str], *, offline: bool) -> tuple[Step, ...]:
        """Unload the agent."""
        return (
            () if offline else (Step(("launchctl", "bootout", f"{self._domain()}/{LABEL}"), may_fail=True),)
        )

    def forgetting(self) -> tuple[Step, ...]:
        """Nothing: an agent that was unloaded is forgotten."""
        return ()

    def service(self) -> ServiceState:
        """What ``launchctl print`` says of the agent."""
        done = run_program(("launchctl", "print", f"{self._domain()}/{LABEL}"))
        if done.code != 0:
            return ServiceState("not loaded", False)
        fields: dict[str, str] = {}
        for line in done.out.splitlines():
            name, equals, value = line.strip().partition(" = ")
            if equals:
                fields.setdefault(name, value)
        pid, code = fields.get("pid", ""), fields.get("last exit code", "")
        state = fields.get("state", "unknown")
        running = state == "running"
        advice = () if running else (f"its log says why: {self.log}",)
        return ServiceState(
            state,
            running,
            None,
            int(pid) if pid.isdigit() else None,
            None,
            int(code) if code.isdigit() else None,
            advice,
        )

    def next_steps(self) -> tuple[str, ...]:
        """Where the log is."""
        return (f"its log: {self.log}",)

    def _domain(self) -> str:
        """The user's graphical session, or without one, as over ssh, the user alone."""
        user = os.geteuid()
        try:
            graphical = run_program(("launchctl", "print", f"gui/{user}")).code == 0
        except ServiceError:
            graphical = True
        return f"gui/{user}" if graphical else f"user/{user}"
