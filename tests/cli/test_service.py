"""``memd service``, with programs of service managers that write down what they are told."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from openclaw_memd.ops.service import managing, programs
from openclaw_memd.ops.service.launchd import Launchd
from openclaw_memd.ops.service.programs import ServiceError
from tests.ops.service.fakes import FakeManager

RELOAD = "systemctl --user daemon-reload"
ENABLE = "systemctl --user enable memd.socket memd.service"
STOP = "systemctl --user stop memd.socket memd.service"
START = "systemctl --user start memd.socket memd.service"
ACTIVE = "ActiveState=active\nSubState=running\nMainPID=7\nUnitFileState=enabled\nLoadState=loaded"


@pytest.fixture
def fake(tmp_path: Path) -> FakeManager:
    return FakeManager(tmp_path)


def asked(fake: FakeManager, *words: str, code: int = 0, **env: str) -> Any:
    done = fake.memd("service", *words, "--json", env=env)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


def actions(report: Any) -> list[str]:
    return [file["action"] for file in report["files"]]


def test_an_install_writes_starts_and_is_content_the_second_time(fake: FakeManager) -> None:
    assert actions(asked(fake, "install")) == ["created", "created"]
    assert fake.told() == [RELOAD, ENABLE, STOP, START]
    assert actions(asked(fake, "install")) == ["unchanged", "unchanged"]
    assert fake.told() == [RELOAD, ENABLE, START]


def test_a_unit_of_an_earlier_install_is_replaced_and_started_anew(fake: FakeManager) -> None:
    asked(fake, "install")
    fake.told()
    (fake.home / "ws").mkdir()
    assert actions(asked(fake, "install", "--workspace", str(fake.home / "ws"))) == ["updated", "unchanged"]
    assert fake.told() == [RELOAD, ENABLE, STOP, START]


def test_a_dry_run_shows_all_and_touches_nothing(fake: FakeManager) -> None:
    report = asked(fake, "install", "--dry-run")
    assert (actions(report), report["commands"]) == (["created", "created"], [RELOAD, ENABLE, STOP, START])
    assert "[Socket]" in report["files"][1]["text"]
    assert fake.told() == []
    assert list(fake.home.iterdir()) == []


def test_an_edited_unit_is_kept_by_install_and_uninstall_and_told(fake: FakeManager) -> None:
    unit = Path(asked(fake, "install")["files"][0]["path"])
    unit.write_text(unit.read_text() + "# mine\n")
    report = asked(fake, "install")
    assert actions(report) == ["kept", "unchanged"]
    assert "move it away and install again" in report["notes"][0]
    fake.told()
    assert actions(asked(fake, "uninstall")) == ["kept", "removed"]
    assert fake.told()[0] == "systemctl --user disable --now memd.service memd.socket"
    assert unit.read_text().endswith("# mine\n")


def test_a_unit_of_somebody_else_is_not_even_stopped(fake: FakeManager) -> None:
    folder = fake.home / ".config/systemd/user"
    folder.mkdir(parents=True)
    (folder / "memd.service").write_text("[Service]\nExecStart=/bin/other\n")
    report = asked(fake, "uninstall")
    assert (actions(report), fake.told()) == (["kept", None], [])
    assert "not memd's" in report["notes"][0]


def test_an_uninstall_where_nothing_is_does_nothing(fake: FakeManager) -> None:
    assert actions(asked(fake, "uninstall")) == [None, None]
    assert fake.told() == []


def test_without_systemd_nothing_is_written_and_that_is_said(fake: FakeManager) -> None:
    fake.set(state="offline")
    assert "memd run" in asked(fake, "install", code=1)["error"]["message"]
    assert "nothing was written" in asked(fake, "install", code=1, PATH="/nowhere")["error"]["message"]
    assert (fake.told(), list(fake.home.iterdir())) == ([], [])
    assert asked(fake, "status", code=1)["presence"] == "absent"


def test_without_a_session_it_is_enabled_for_the_next_login(fake: FakeManager) -> None:
    fake.set(state="", failing="is-system-running")
    report = asked(fake, "install")
    assert (report["presence"], fake.told()) == ("unreachable", [ENABLE])
    assert "next login" in report["notes"][0]


def test_a_service_that_does_not_start_is_told_with_the_place_of_its_log(fake: FakeManager) -> None:
    fake.set(failing=" start ")
    message = asked(fake, "install", code=1)["error"]["message"]
    assert "told to fail" in message
    assert "journalctl --user -u memd" in message


def test_the_socket_of_the_configuration_is_the_one_of_the_unit(fake: FakeManager) -> None:
    config = fake.home / "odd %.toml"
    config.write_text('[paths]\nsocket = "~/run dir/100%.sock"\n')
    report = asked(fake, "install", "--dry-run", "--config", str(config))
    assert f"\nListenStream={fake.home}/run dir/100%%.sock\n" in report["files"][1]["text"]
    assert f' run --config "{fake.home}/odd %%.toml"\n' in report["files"][0]["text"]


def test_settings_of_the_shell_that_the_service_does_not_see_are_named(fake: FakeManager) -> None:
    report = asked(fake, "install", "--dry-run", MEMD_EMBEDDING__PROVIDER="none")
    assert "MEMD_EMBEDDING__PROVIDER" in report["notes"][0]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("install", "--workspace", "/nowhere/at/all"), 78),
        (("install", "--config", "/nowhere.toml"), 78),
        (("install", "--system", "--workspace", "/"), 2),
        (("restart",), 2),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_written(
    fake: FakeManager, words: tuple[str, ...], code: int
) -> None:
    assert fake.memd("service", *words).returncode == code
    assert (fake.told(), list(fake.home.iterdir())) == ([], [])


def test_the_status_tells_what_runs_and_what_to_do(fake: FakeManager) -> None:
    missing = fake.memd("service", "status")
    assert missing.returncode == 1
    assert "`memd service install`" in missing.stdout
    asked(fake, "install")
    fake.set(shown=ACTIVE)
    assert asked(fake, "status")["service"] == {
        "state": "active (running)",
        "running": True,
        "enabled": "enabled",
        "pid": 7,
        "restarts": None,
        "exit_code": None,
        "advice": [],
    }
    fake.set(shown="LoadState=loaded\nActiveState=failed\nResult=exit-code\nExecMainStatus=78")
    failed = fake.memd("service", "status")
    assert failed.returncode == 1
    assert "last exit code 78" in failed.stdout
    assert "`systemctl --user restart memd`" in failed.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can have come by sudo")
def test_with_sudo_nothing_of_roots_is_written_into_a_home(fake: FakeManager) -> None:
    error = asked(fake, "install", code=2, SUDO_USER="alice")["error"]
    assert "--system" in error["message"]
    assert (fake.told(), list(fake.home.iterdir())) == ([], [])


@pytest.fixture
def launchd(fake: FakeManager, monkeypatch: pytest.MonkeyPatch) -> Launchd:
    for name, value in fake.env.items():
        monkeypatch.setenv(name, value)
    fake.set(shown="\tstate = running\n\tpid = 7\n\tlast exit code = 0", failing="/org.openclaw.memd")
    return Launchd(("/opt/memd", "run"), os.environ)


def test_launchd_loads_an_agent_once_and_unloads_it(fake: FakeManager, launchd: Launchd) -> None:
    domain = f"gui/{os.geteuid()}"
    (plist,) = (file.path for file in launchd.files)
    fake.set(failing="bootout")
    managing.install(launchd)
    loaded = [f"launchctl enable {domain}/org.openclaw.memd", f"launchctl bootstrap {domain} {plist}"]
    bootout = f"launchctl bootout {domain}/org.openclaw.memd"
    assert fake.told() == [bootout, *loaded]

    report = managing.install(launchd)
    assert [file.action for file in report.files] == ["unchanged"]
    assert fake.told() == [f"launchctl kickstart {domain}/org.openclaw.memd"]
    assert report.service is not None
    assert (report.service.running, report.service.pid) == (True, 7)

    assert [file.action for file in managing.uninstall(launchd).files] == ["removed"]
    assert fake.told() == [bootout]
    assert not plist.exists()


def test_launchd_without_a_graphical_session_takes_the_users_domain(
    fake: FakeManager, launchd: Launchd
) -> None:
    fake.set(failing=f"gui/{os.geteuid()}")
    managing.install(launchd)
    assert fake.told()[0] == f"launchctl bootout user/{os.geteuid()}/org.openclaw.memd"


def test_launchd_that_still_unloads_is_asked_again(
    fake: FakeManager, launchd: Launchd, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.set(failing="bootstrap")
    waits: list[float] = []
    monkeypatch.setattr(programs, "time", SimpleNamespace(sleep=waits.append))
    with pytest.raises(ServiceError, match="its log"):
        managing.install(launchd)
    assert len([line for line in fake.told() if "bootstrap" in line]) == 10
    assert waits == [1.0] * 9
