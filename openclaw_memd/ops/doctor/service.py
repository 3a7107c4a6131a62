"""Whether a service manager keeps memd up, and whether it would start this memd."""

import os
import plistlib
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from openclaw_memd.ops.doctor.findings import Finding, begin_sentence
from openclaw_memd.ops.service.escaping import read_program
from openclaw_memd.ops.service.launchd import agent_file
from openclaw_memd.ops.service.programs import ServiceError, run_program
from openclaw_memd.ops.service.systemd import SERVICE, user_folder

ASK_S: Final = 3.0
_SYSTEM_WIDE: Final = (Path("/etc/systemd/user"), Path("/usr/lib/systemd/user"))


@dataclass(frozen=True, slots=True)
class Unit:
    """An installed unit. ``command`` is the program that it starts, '' when it names none.

    ``main_pid`` is that of what runs, 0 when nothing does, None when the manager does not tell.
    """

    manager: str
    path: Path
    command: str
    main_pid: int | None


def find_unit(env: Mapping[str, str]) -> Unit | None:
    """The unit of this user, else one of the machine. It blocks, for ``ASK_S`` at most."""
    agent = agent_file(env)
    if agent.exists():
        return Unit("launchd", agent, _command_of_agent(agent), None)
    for folder in (user_folder(env), *_SYSTEM_WIDE):
        path = folder / SERVICE
        if path.exists():
            return Unit("systemd", path, _command_of_unit(path), _ask_systemd())
    return None


def judge_service(unit: Unit | None, executable: Path, daemon_pid: int | None) -> Iterator[Finding]:
    """What is to be said of the unit. ``executable`` is this memd; ``daemon_pid`` the daemon that answers."""
    if unit is None:
        yield Finding.of("no-service")
        return
    if not unit.command or not _is_program(unit.command):
        shown = unit.command or "no command"
        yield Finding.of("service-broken", f"{unit.path} names {shown}, which is not there.")
    elif not _is_same(Path(unit.command), executable):
        yield Finding.of("service-elsewhere", f"{unit.path} names {unit.command}, and this is {executable}.")
    if unit.main_pid is None:
        return
    if unit.main_pid == 0:
        yield Finding.of("service-stopped", f"{unit.path} is installed, and {unit.manager} does not run it.")
    elif daemon_pid is not None and unit.main_pid != daemon_pid:
        told = f"{unit.manager} runs memd as pid {unit.main_pid}, and pid {daemon_pid} answers here."
        yield Finding.of("service-stopped", begin_sentence(told))


def own_executable() -> Path:
    """The command ``memd`` beside the interpreter that runs."""
    return Path(sys.executable).parent / "memd"


def _is_same(command: Path, executable: Path) -> bool:
    """Whether a command is the one beside this interpreter; where that cannot be told it is taken to be.

    An interpreter is judged by its folder: those of all environments lead to the same file.
    """
    if command.name.startswith("python"):
        return command.parent == executable.parent
    if command.name != executable.name or not executable.exists():
        return True
    return os.path.realpath(command) == os.path.realpath(executable)


def _is_program(command: str) -> bool:
    return os.access(command, os.X_OK) if command.startswith("/") else shutil.which(command) is not None


def _command_of_unit(path: Path) -> str:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        key, _, value = line.strip().partition("=")
        if key.strip() == "ExecStart" and value.strip():
            return read_program(value)
    return ""


def _command_of_agent(path: Path) -> str:
    try:
        words = plistlib.loads(path.read_bytes()).get("ProgramArguments", [])
    except (OSError, ValueError, plistlib.InvalidFileException, AttributeError):
        return ""
    return str(words[0]) if isinstance(words, list) and words else ""


def _ask_systemd() -> int | None:
    """The process id of the service that this user's systemd runs; 0 when it runs none, None untold."""
    words = ("systemctl", "--user", "show", SERVICE, "--property=MainPID", "--value")
    try:
        asked = run_program(words, limit_s=ASK_S)
    except ServiceError:
        return None
    answer = asked.out.strip()
    return int(answer) if asked.code == 0 and answer.isdigit() else None
