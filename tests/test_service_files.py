import configparser
import os
import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from openclaw_memd.cli.exits import BAD_CONFIG, LOCKED, USAGE

ROOT = Path(__file__).parents[1]
UNITS = [ROOT / "systemd/memd.service", ROOT / "systemd/system/memd@.service"]


def read_unit(path: Path) -> configparser.ConfigParser:
    unit = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(path, encoding="utf-8")
    return unit


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_waits_for_readiness_and_watches_for_hangs(path: Path) -> None:
    service = read_unit(path)["Service"]
    assert service["Type"] == "notify"
    assert int(service["WatchdogSec"]) >= 30
    assert service["ExecStart"].replace(chr(34), "").startswith("@MEMD@ run")
    assert {int(code) for code in service["RestartPreventExitStatus"].split()} == {USAGE, LOCKED, BAD_CONFIG}
    assert service["UMask"] == "0077"


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units as they would be installed, the system template for the user ``daemon``."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed: the units were not checked by it")
    for source in [*UNITS, ROOT / "systemd/memd.socket"]:
        target = tmp_path / source.name.replace("@.", "@daemon.")
        target.write_text(source.read_text(encoding="utf-8").replace("@MEMD@", "/bin/true"), encoding="utf-8")
    return tmp_path


def analyze(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *arguments],
        cwd=folder,
        env={**os.environ, "XDG_RUNTIME_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "arguments",
    [("--user", "./memd.service", "./memd.socket"), ("./memd@daemon.service",)],
    ids=["user", "system"],
)
def test_systemd_finds_no_fault_in_the_units(units: Path, arguments: tuple[str, ...]) -> None:
    done = analyze(units, "verify", "--man=no", *arguments)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_system_service_has_little_in_reach(units: Path) -> None:
    done = analyze(units, "security", "--offline=true", "--threshold=10", "./memd@daemon.service")
    assert done.returncode == 0, done.stdout


def test_the_system_service_uses_the_home_of_its_user() -> None:
    text = UNITS[1].read_text(encoding="utf-8")
    settings = [line for line in text.splitlines() if not line.startswith("#")]
    assert not any("%h" in line for line in settings)  # the home of the service manager's user, which is root


def test_the_socket_unit_is_private_and_where_clients_look() -> None:
    unit = read_unit(ROOT / "systemd/memd.socket")["Socket"]
    assert (unit["SocketMode"], unit["DirectoryMode"]) == ("0600", "0700")
    assert unit["ListenStream"] == "%t/openclaw-memd/memd.sock"


def test_the_launchd_agent_is_a_property_list() -> None:
    agent = plistlib.loads((ROOT / "launchd/org.openclaw.memd.plist").read_bytes())
    assert agent["ProgramArguments"] == ["@MEMD@", "run"]
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["Umask"] == 0o077


def test_the_service_is_installed_with_the_right_command(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    command = ["sh", str(ROOT / "systemd/install.sh"), "/opt/memd dir/bin/memd"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=30)
    unit = (tmp_path / ".config/systemd/user/memd.service").read_text(encoding="utf-8")
    assert 'ExecStart="/opt/memd dir/bin/memd" run' in unit
    assert "@MEMD@" not in unit.partition("[Unit]")[2]
    assert "memd.socket" in done.stdout
