"""The files for service managers, as they are written."""

import configparser
import plistlib
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from openclaw_memd.cli.exits import BAD_CONFIG, LOCKED, USAGE
from openclaw_memd.ops.service.launchd import Launchd
from openclaw_memd.ops.service.systemd import SystemSystemd, UserSystemd

WORDS = ("/bin/true", "run")


@pytest.fixture
def units(tmp_path: Path) -> dict[str, Path]:
    """The units as they are installed, the template for the user ``daemon``."""
    user = UserSystemd(WORDS, {"XDG_CONFIG_HOME": str(tmp_path)}, socket=None)
    found = {}
    for file in (*user.files, *SystemSystemd(WORDS, folder=tmp_path).files):
        target = tmp_path / file.path.name.replace("@.", "@daemon.")
        target.write_text(file.text, encoding="utf-8")
        found[target.name] = target
    return found


def read_unit(path: Path) -> configparser.ConfigParser:
    unit = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(path, encoding="utf-8")
    return unit


@pytest.mark.parametrize("name", ["memd.service", "memd@daemon.service"])
def test_a_unit_waits_for_readiness_and_watches_for_hangs(units: dict[str, Path], name: str) -> None:
    service = read_unit(units[name])["Service"]
    assert service["Type"] == "notify"
    assert int(service["WatchdogSec"]) >= 30
    assert service["ExecStart"] == ":/bin/true run"
    assert {int(code) for code in service["RestartPreventExitStatus"].split()} == {USAGE, LOCKED, BAD_CONFIG}
    assert service["UMask"] == "0077"
    assert not {"StandardOutput", "StandardError"} & set(service)  # the journal has the log and rotates it


def test_the_system_service_uses_the_home_of_its_user(units: dict[str, Path]) -> None:
    text = units["memd@daemon.service"].read_text(encoding="utf-8")
    settings = [line for line in text.splitlines() if not line.startswith("#")]
    assert not any("%h" in line for line in settings)  # the home of the service manager's user, which is root


def test_the_socket_unit_is_private_and_where_clients_look(units: dict[str, Path]) -> None:
    unit = read_unit(units["memd.socket"])["Socket"]
    assert (unit["SocketMode"], unit["DirectoryMode"]) == ("0600", "0700")
    assert unit["ListenStream"] == "%t/openclaw-memd/memd.sock"


def test_a_socket_elsewhere_is_listened_to_there(tmp_path: Path) -> None:
    manager = UserSystemd(WORDS, {"HOME": str(tmp_path)}, socket=Path("/srv/my memd/100%.sock"))
    assert "\nListenStream=/srv/my memd/100%%.sock\n" in manager.files[1].text


@pytest.mark.parametrize(
    "arguments",
    [("--user", "./memd.service", "./memd.socket"), ("./memd@daemon.service",)],
    ids=["user", "system"],
)
def test_systemd_finds_no_fault_in_the_units(units: dict[str, Path], arguments: tuple[str, ...]) -> None:
    done = analyze(units, "verify", "--man=no", *arguments)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_system_service_has_little_in_reach(units: dict[str, Path]) -> None:
    done = analyze(units, "security", "--offline=true", "--threshold=10", "./memd@daemon.service")
    assert done.returncode == 0, done.stdout


def analyze(units: dict[str, Path], *arguments: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed: the units were not checked by it")
    folder = units["memd.service"].parent
    return subprocess.run(
        ["systemd-analyze", *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(folder), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_launchd_agent_is_a_property_list_with_the_command_as_it_is(tmp_path: Path) -> None:
    words = ('/opt/<memd> & "co"/memd', "run", "--workspace", "/Users/ünï/a b%$")
    (file,) = Launchd(words, {"HOME": str(tmp_path)}).files
    assert file.path == tmp_path / "Library/LaunchAgents/org.openclaw.memd.plist"
    agent = plistlib.loads(file.text.encode())
    assert agent["ProgramArguments"] == list(words)
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["Umask"] == 0o077
    assert agent["StandardErrorPath"] == str(tmp_path / "Library/Logs/openclaw-memd.log")


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("systemd", "memd.service"),
        ("systemd", "memd.socket"),
        ("systemd/system", "memd@.service"),
        ("launchd", "org.openclaw.memd.plist"),
    ],
)
def test_the_package_has_the_files_of_the_repository(place: str, name: str) -> None:
    repository = Path(__file__).parents[3]
    packed = files("openclaw_memd.ops.service") / name
    assert packed.read_bytes() == (repository / place / name).read_bytes()
