"""The service under a real systemd: what it is told, what it does, and what it does about failures."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shlex import join, quote
from typing import Any

import pytest

from openclaw_memd.cli.exits import BAD_CONFIG, LOCKED
from openclaw_memd.ops.service.escaping import command_line
from tests.ops.service.booted import MEMD, UID, USER, Machine, await_true, booted, why_not

WHY_NOT = why_not()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(WHY_NOT is not None, reason=f"no real systemd here: {WHY_NOT}"),
]

UNITS = f"/home/{USER}/.config/systemd/user"
ODD_WORKSPACE = f"/home/{USER}/my $HOME 100%h \"notes\" 'q' back\\slash ünï 記憶"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    with booted(tmp_path_factory.mktemp("systemd")) as running:
        yield running


@pytest.fixture
def fresh(machine: Machine) -> Iterator[Machine]:
    yield machine
    machine.as_user(MEMD, "service", "uninstall")
    machine.as_user(
        "sh", "-c", f"rm -rf {UNITS}/memd* ~/.config/openclaw-memd; systemctl --user daemon-reload"
    )


def memd(machine: Machine, *words: str, code: int = 0) -> Any:
    done = machine.as_user(MEMD, *words, "--json")
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


def show(machine: Machine, *properties: str, unit: str = "memd.service") -> dict[str, str]:
    done = machine.as_user("systemctl", "--user", "show", unit, "--property", ",".join(properties))
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def await_ok(machine: Machine) -> None:
    """Ask until it is well: a daemon that has just been started answers, and says that it starts."""
    await_true(lambda: '"state": "ok"' in machine.as_user(MEMD, "status", "--json").stdout)


def main_pid(machine: Machine) -> str:
    return show(machine, "MainPID")["MainPID"]


def test_an_install_runs_it_and_another_one_changes_nothing(fresh: Machine) -> None:
    first = memd(fresh, "service", "install")
    assert [file["action"] for file in first["files"]] == ["created", "created"]
    assert first["service"]["running"]
    assert memd(fresh, "status")["pid"] == first["service"]["pid"]

    again = memd(fresh, "service", "install")
    assert [file["action"] for file in again["files"]] == ["unchanged", "unchanged"]
    assert again["service"]["pid"] == first["service"]["pid"]
    assert memd(fresh, "service", "status")["service"]["enabled"] == "enabled"

    gone = memd(fresh, "service", "uninstall")
    assert [file["action"] for file in gone["files"]] == ["removed", "removed"]
    assert show(fresh, "LoadState", "ActiveState") == {"LoadState": "not-found", "ActiveState": "inactive"}
    assert fresh.as_user("find", UNITS, "-name", "memd*").stdout == ""


def test_it_comes_back_after_a_kill(fresh: Machine) -> None:
    pid = memd(fresh, "service", "install")["service"]["pid"]
    fresh.run("kill", "-KILL", str(pid))
    await_true(lambda: show(fresh, "ActiveState", "NRestarts") == {"ActiveState": "active", "NRestarts": "1"})
    assert memd(fresh, "status")["pid"] not in (0, pid)


def test_the_first_call_starts_it(fresh: Machine) -> None:
    memd(fresh, "service", "install")
    fresh.as_user("systemctl", "--user", "stop", "memd.service")
    assert show(fresh, "ActiveState") == {"ActiveState": "inactive"}
    await_ok(fresh)
    assert show(fresh, "ActiveState") == {"ActiveState": "active"}

    fresh.as_user("systemctl", "--user", "stop", "memd.service")
    assert memd(fresh, "service", "install")["service"]["running"]


def test_one_that_hangs_is_killed_and_started_again_and_a_drop_in_counts(fresh: Machine) -> None:
    drop_in = f"{UNITS}/memd.service.d/quick.conf"
    fresh.write(drop_in, "[Service]\nWatchdogSec=1\n", owner=USER)
    report = memd(fresh, "service", "install")
    assert report["files"][0]["drop_ins"] == [drop_in]
    fresh.run("kill", "-STOP", str(report["service"]["pid"]))
    await_true(lambda: show(fresh, "NRestarts") == {"NRestarts": "1"})
    await_true(lambda: show(fresh, "ActiveState") == {"ActiveState": "active"})
    await_ok(fresh)


def test_a_bad_configuration_is_not_tried_again(fresh: Machine) -> None:
    memd(fresh, "service", "install")
    fresh.write(f"/home/{USER}/.config/openclaw-memd/config.toml", "[nonsense]\n", owner=USER)
    fresh.as_user("systemctl", "--user", "restart", "memd.service")
    await_true(lambda: show(fresh, "ActiveState") == {"ActiveState": "failed"})
    wanted = {"ExecMainStatus": str(BAD_CONFIG), "NRestarts": "0", "SubState": "failed"}
    assert show(fresh, *wanted) == wanted
    state = memd(fresh, "service", "status", code=1)["service"]
    assert state["exit_code"] == BAD_CONFIG
    assert any("journalctl" in line for line in state["advice"])
    assert memd(fresh, "service", "install", code=BAD_CONFIG)["error"]["data"]["kind"] == "bad_configuration"


def test_a_workspace_that_another_daemon_holds_is_not_tried_again(fresh: Machine) -> None:
    memd(fresh, "service", "install")
    fresh.as_user("systemctl", "--user", "stop", "memd.service", "memd.socket")
    other = f"/home/{USER}/other.sock"
    fresh.as_user("sh", "-c", f"{MEMD} run --socket {other} >/dev/null 2>&1 &")
    await_true(lambda: fresh.as_user(MEMD, "status", "--socket", other).returncode == 0)
    assert fresh.as_user("systemctl", "--user", "start", "memd.service").returncode != 0
    wanted = {"ExecMainStatus": str(LOCKED), "NRestarts": "0", "ActiveState": "failed"}
    assert show(fresh, *wanted) == wanted
    fresh.run("kill", str(memd(fresh, "status", "--socket", other)["pid"]))


def test_odd_letters_in_a_workspace_reach_it_as_they_are(fresh: Machine) -> None:
    fresh.as_user("mkdir", "-p", ODD_WORKSPACE)
    memd(fresh, "service", "install", "--workspace", ODD_WORKSPACE)
    assert memd(fresh, "status")["agents"][0]["workspace"] == ODD_WORKSPACE


def test_odd_letters_in_commands_reach_programs_as_they_are(machine: Machine) -> None:
    odd = [
        "a b",
        "100%h",
        "$HOME",
        "${HOME}x",
        "q\"uo'te",
        "back\\slash\\",
        "ünï記憶",
        "a=b;c",
        "-x",
        "\t",
        "#",
        ";",
    ]
    odd += [
        "".join(Random(seed).choices("ab %$\"'\\;=~*?{}()[]#&|<>!@:+-\n\tü\x7f", k=12)) for seed in range(40)
    ]
    commands = [[f"/opt/odd/{name}x/show", *odd] for name in odd]
    show = '#!/bin/sh\nprintf \'%s\\0\' "$0" "$@" >>/run/shown\n'
    script = "".join(
        f"mkdir -p {quote(place)}; cp /run/show {quote(path[0])}\n"
        for path in commands
        for place in [path[0][:-5]]
    )
    machine.write("/run/show", show, mode="755")
    machine.run("sh", "-e", given=script)
    lines = "".join(f"ExecStart={command_line(words)}\n" for words in commands)
    machine.write("/etc/systemd/system/odd.service", f"[Service]\nType=oneshot\n{lines}")
    machine.run("systemctl", "daemon-reload")
    done = machine.run("systemctl", "start", "odd.service")
    assert done.returncode == 0, done.stderr
    shown = machine.run("cat", "/run/shown").stdout.split("\0")[:-1]
    assert shown == [word for words in commands for word in words]


def test_a_unit_that_was_edited_is_kept(fresh: Machine) -> None:
    memd(fresh, "service", "install")
    fresh.as_user("sh", "-c", f"echo '# mine' >> {UNITS}/memd.service")
    kept = memd(fresh, "service", "install")
    assert [file["action"] for file in kept["files"]] == ["kept", "unchanged"]
    assert "edited" in kept["notes"][0]

    gone = memd(fresh, "service", "uninstall")
    assert [file["action"] for file in gone["files"]] == ["kept", "removed"]
    assert show(fresh, "ActiveState", "UnitFileState") == {
        "ActiveState": "inactive",
        "UnitFileState": "disabled",
    }


def test_one_that_was_started_by_hand_is_not_disturbed(fresh: Machine) -> None:
    words = join([MEMD, "run"])
    fresh.as_user("sh", "-c", f"{words} >/dev/null 2>&1 & sleep 0.1")
    await_true(lambda: fresh.as_user(MEMD, "status").returncode == 0)
    pid = memd(fresh, "status")["pid"]
    try:
        error = memd(fresh, "service", "install", code=75)["error"]
        assert str(pid) in error["message"]
    finally:
        fresh.run("kill", str(pid))
    await_true(lambda: fresh.as_user(MEMD, "status").returncode != 0)


def test_the_template_runs_it_for_a_user_with_little_in_reach(machine: Machine) -> None:
    done = machine.run(MEMD, "service", "install", "--system", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    unit = f"memd@{USER}.service"
    started = machine.run("systemctl", "enable", "--now", unit)
    assert started.returncode == 0, started.stderr + machine.run("journalctl", "-n", "30", "-u", unit).stdout
    socket = f"/run/memd-{USER}/openclaw-memd/memd.sock"
    status = json.loads(machine.as_user(MEMD, "status", "--json", MEMD_SOCKET=socket).stdout)
    assert status["agents"][0]["workspace"] == f"/home/{USER}/.openclaw/workspace"
    assert f"Uid:\t{UID}\t" in machine.run("cat", f"/proc/{status['pid']}/status").stdout
    report = json.loads(machine.run(MEMD, "service", "status", "--system", "--json").stdout)
    assert report["service"] == report["service"] | {"running": True, "state": f"{unit} active (running)"}

    machine.run("kill", "-KILL", str(status["pid"]))
    await_true(lambda: machine.as_user(MEMD, "status", MEMD_SOCKET=socket).returncode == 0)

    done = machine.run(MEMD, "service", "uninstall", "--system", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert machine.run("systemctl", "is-active", unit).stdout == "inactive\n"
    assert machine.run("sh", "-c", "find /etc/systemd/system -name 'memd*'").stdout == ""
    assert Path(socket).exists() is False
