"""Units of service managers, as they lie on the disk."""

import plistlib
import sys
from pathlib import Path

import pytest

from openclaw_memd.ops.doctor import service
from openclaw_memd.ops.doctor.service import Unit, find_unit, judge_service, own_executable
from openclaw_memd.ops.service.escaping import command_line

OWN = Path(sys.executable)


@pytest.fixture(autouse=True)
def no_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_ask_systemd", lambda: None)


def install(home: Path, line: str) -> dict[str, str]:
    folder = home / ".config/systemd/user"
    folder.mkdir(parents=True)
    (folder / "memd.service").write_text(f"[Service]\nType=notify\n{line}\n", encoding="utf-8")
    return {"HOME": str(home)}


def ids(unit: Unit | None, pid: int | None = None) -> list[str]:
    return [one.id for one in judge_service(unit, own_executable(), pid)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f'ExecStart="{OWN.parent}/memd" run', []),
        (f"ExecStart=:{OWN} -P -m openclaw_memd.cli.main run", []),
        ("ExecStart=/nowhere/memd run", ["service-broken"]),
        ('ExecStart="@MEMD@" run', ["service-broken"]),
        ("ExecStart=/usr/bin/python3 -m openclaw_memd.cli.main run", ["service-elsewhere"]),
        ("", ["service-broken"]),
        ('ExecStart="unclosed', ["service-broken"]),
        (":".join(["ExecStart=", '/bin/sh -c \'exec "$0" "$@"\' memd run']), []),
    ],
)
def test_a_unit_is_judged_by_the_program_that_it_names(
    tmp_path: Path, line: str, expected: list[str]
) -> None:
    unit = find_unit(install(tmp_path, line))
    assert unit is not None
    assert ids(unit) == expected


def test_odd_paths_are_read_as_they_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "100% $HOME b\udcfc"
    folder.mkdir()
    link = folder / "memd"
    link.symlink_to(own_executable())
    assert ids(find_unit(install(tmp_path, f"ExecStart={command_line((str(link), 'run'))}"))) == []


def test_another_memd_is_told(tmp_path: Path) -> None:
    other = tmp_path / "bin/memd"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n", encoding="utf-8")
    other.chmod(0o755)
    found = ids(find_unit(install(tmp_path, f"ExecStart={other} run")))
    assert found == ["service-elsewhere"]


def test_a_link_to_this_memd_is_this_memd(tmp_path: Path) -> None:
    link = tmp_path / "bin/memd"
    link.parent.mkdir()
    link.symlink_to(own_executable())
    assert ids(find_unit(install(tmp_path, f"ExecStart={link} run"))) == []


def test_a_launchd_agent_is_read_too(tmp_path: Path) -> None:
    agents = tmp_path / "Library/LaunchAgents"
    agents.mkdir(parents=True)
    plist = {"Label": "org.openclaw.memd", "ProgramArguments": ["/nowhere/memd", "run"]}
    (agents / "org.openclaw.memd.plist").write_bytes(plistlib.dumps(plist))
    unit = find_unit({"HOME": str(tmp_path)})
    assert unit is not None
    assert (unit.manager, unit.command) == ("launchd", "/nowhere/memd")


@pytest.mark.parametrize("content", [b"", b"not a plist", plistlib.dumps([1])])
def test_a_broken_agent_is_broken(tmp_path: Path, content: bytes) -> None:
    agents = tmp_path / "Library/LaunchAgents"
    agents.mkdir(parents=True)
    (agents / "org.openclaw.memd.plist").write_bytes(content)
    assert ids(find_unit({"HOME": str(tmp_path)})) == ["service-broken"]


def test_without_a_unit_that_is_said(tmp_path: Path) -> None:
    assert ids(None) == ["no-service"]


@pytest.mark.parametrize(
    ("main_pid", "pid", "expected"),
    [(0, None, ["service-stopped"]), (7, 7, []), (7, 8, ["service-stopped"]), (None, 8, [])],
)
def test_a_unit_that_does_not_run_what_answers(
    main_pid: int | None, pid: int | None, expected: list[str]
) -> None:
    unit = Unit("systemd", Path("/u/memd.service"), str(own_executable()), main_pid)
    assert ids(unit, pid) == expected
