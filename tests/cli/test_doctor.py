"""``memd doctor``: it shows, asks before it mends, and says what it can when no daemon answers."""

import json
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import BAD_CONFIG, DONE, FAILED, NO_DAEMON
from tests.cli.conftest import RunHere
from tests.cli.fake_daemon import FakeDaemon
from tests.cli.terminals import type_memd
from tests.daemons import RunningDaemon, daemon_env, run_memd, short_folder

STEP = {"id": "legacy-memory-file", "action": "merge the old file"}
FINDINGS = [
    {"id": "skipped:a\x1b.md", "severity": "warning", "detail": "x\ny", "fix": "mend it", "fixable": False},
    {"id": "legacy-memory-file", "severity": "warning", "detail": "old", "fix": "do", "fixable": True},
    {"id": "no-service", "severity": "info", "detail": "none", "fix": "install", "fixable": False},
]


@pytest.fixture
def doctor(fake: FakeDaemon) -> FakeDaemon:
    jobs: list[dict[str, Any]] = []

    def fix(params: dict[str, Any]) -> Any:
        if params.get("dry_run"):
            return {"fixed": [], "plan": [STEP], "left": []}
        result = {"fixed": [{"id": STEP["id"], "detail": "it is merged"}], "plan": [STEP], "left": []}
        jobs.append({"id": "j0", "kind": "doctor", "state": "done", "done": 1, "total": 1, "result": result})
        return {"job_id": "j0"}

    fake.answers |= {
        "doctor.check": lambda _: {"findings": FINDINGS},
        "doctor.fix": fix,
        "job.list": lambda _: {"jobs": jobs},
    }
    return fake


def dry(fake: FakeDaemon) -> list[bool]:
    return [params.get("dry_run", False) for params in fake.asked("doctor.fix")]


def test_findings_are_shown_one_after_the_other(doctor: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    done = run_here("doctor", env=daemon_env(folder))
    assert done.returncode == FAILED
    assert done.stdout.splitlines()[:3] == ["warning  skipped:a.md", "         x\\ny", "         mend it"]
    assert done.stdout.endswith("2 warnings, 1 info; `memd doctor --fix` mends 1 finding\n")


def test_infos_alone_are_no_failure(doctor: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    doctor.answers["doctor.check"] = lambda _: {"findings": FINDINGS[2:]}
    assert run_here("doctor", env=daemon_env(folder)).returncode == DONE
    doctor.answers["doctor.check"] = lambda _: {"findings": []}
    done = run_here("doctor", env=daemon_env(folder))
    assert (done.returncode, done.stdout) == (DONE, "nothing to say\n")


def test_as_json_it_is_the_bare_result(doctor: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    done = run_here("doctor", "--json", env=daemon_env(folder))
    assert json.loads(done.stdout) == {"findings": FINDINGS}


def test_a_script_without_a_yes_mends_nothing_and_says_so(
    doctor: FakeDaemon, folder: Path, run_here: RunHere
) -> None:
    done = run_here("doctor", "--fix", env=daemon_env(folder))
    assert (done.returncode, dry(doctor)) == (FAILED, [True])
    assert done.stdout == "legacy-memory-file: would merge the old file\n"
    assert done.stderr.endswith("memd: nothing was mended: --yes is needed where nobody can be asked\n")
    bare = run_here("doctor", "--fix", "--json", env=daemon_env(folder))
    assert json.loads(bare.stdout)["error"]["data"] == {"kind": "unconfirmed", "plan": [STEP]}


def test_with_a_yes_it_is_shown_and_done(doctor: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    done = run_here("doctor", "--fix", "--yes", env=daemon_env(folder))
    assert (done.returncode, dry(doctor)) == (DONE, [True, False])
    assert done.stdout.index("would merge") < done.stdout.index("mended legacy-memory-file: it is merged")
    assert doctor.asked("doctor.fix")[1]["ids"] == ["legacy-memory-file"]
    bare = run_here("doctor", "--fix", "--yes", "--json", env=daemon_env(folder))
    assert json.loads(bare.stdout)["fixed"] == [{"id": "legacy-memory-file", "detail": "it is merged"}]


@pytest.mark.parametrize(("keys", "expected"), [("y\n", [True, False]), ("n\n", [True]), ("\n", [True])])
def test_on_a_terminal_it_asks(doctor: FakeDaemon, folder: Path, keys: str, expected: list[bool]) -> None:
    type_memd("doctor", "--fix", env=daemon_env(folder), keys=keys)
    assert dry(doctor) == expected


def test_a_dry_run_shows_the_plan_alone(doctor: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    done = run_here("doctor", "--fix", "--dry-run", "--yes", "--id", "x", env=daemon_env(folder))
    assert (done.returncode, dry(doctor)) == (DONE, [True])
    assert doctor.asked("doctor.fix")[0]["ids"] == ["x"]


def test_what_could_not_be_mended_is_a_failure(doctor: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    left = [{"id": "skipped:x", "why": "mend what the reason says"}]
    doctor.answers["doctor.fix"] = lambda _: {"fixed": [], "plan": [], "left": left}
    done = run_here("doctor", "--fix", "--yes", env=daemon_env(folder))
    assert done.returncode == FAILED
    assert "skipped:x: mend what the reason says" in done.stdout


@pytest.mark.parametrize("options", [("--dry-run",), ("--id", "x"), ("--yes",)], ids=" ".join)
def test_options_of_mending_need_it(folder: Path, run_here: RunHere, options: tuple[str, ...]) -> None:
    done = run_here("doctor", *options, env=daemon_env(folder))
    assert done.returncode == 2
    assert "--fix" in done.stderr


# Without a daemon


@pytest.fixture(scope="module")
def dead() -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder and an environment that a daemon was killed in."""
    with short_folder() as folder, RunningDaemon(folder) as running:
        running.write("MEMORY.md", "# Core\n\n- The gateway port is 8123.\n")
        running.write("memory.md", "- old\n")
        running.settle()
        running.call("note.append", text="- noted")
        running.kill()
        yield folder, {**running.env, "MEMD_WORKSPACE": str(running.workspace)}


def outside(run_here: RunHere, env: dict[str, str], *options: str) -> tuple[int, dict[str, dict[str, Any]]]:
    done = run_here("doctor", "--json", *options, env=env)
    return done.returncode, {one["id"]: one for one in json.loads(done.stdout)["findings"]}


def test_what_can_be_told_from_outside_is_told(dead: tuple[Path, dict[str, str]], run_here: RunHere) -> None:
    folder, env = dead
    state = next(one for one in (folder / "state").iterdir() if one.name.isalnum())
    before = {path: path.read_bytes() for path in folder.rglob("*.db*") if not path.name.endswith("-shm")}

    code, found = outside(run_here, env)

    assert code == NO_DAEMON
    assert {"no-daemon", "stale-socket", "legacy-memory-file", "text-in-clear", "no-service"} <= found.keys()
    assert str(state) in found["text-in-clear"]["detail"]
    assert not any(one["fixable"] for one in found.values())
    assert not {"ledger-damaged", "index-damaged", "vectors-damaged", "open-mode"} & found.keys()
    after = {path: path.read_bytes() for path in folder.rglob("*.db*") if not path.name.endswith("-shm")}
    assert after == before


def test_mending_needs_a_daemon_and_says_so(dead: tuple[Path, dict[str, str]], run_here: RunHere) -> None:
    _, env = dead
    done = run_here("doctor", "--fix", "--yes", env=env)
    assert done.returncode == NO_DAEMON
    assert "legacy-memory-file" in done.stdout
    assert "nothing was mended" in done.stderr


def test_a_bad_configuration_is_named(folder: Path, run_here: RunHere) -> None:
    config = folder / "config.toml"
    config.write_text("[search]\nmax_result = 6\n", encoding="utf-8")
    code, found = outside(run_here, daemon_env(folder), "--config", str(config))
    assert code == BAD_CONFIG
    assert "max_results" in found["config-unusable"]["detail"]
    config.write_text("[search\n", encoding="utf-8")
    code, found = outside(run_here, daemon_env(folder), "--config", str(config))
    assert (code, "config-unusable" in found) == (BAD_CONFIG, True)


def test_a_missing_workspace_is_an_error_only_where_it_was_named(folder: Path, run_here: RunHere) -> None:
    code, found = outside(run_here, daemon_env(folder, MEMD_WORKSPACE=str(folder / "gone")))
    assert (code, found["workspace-missing"]["severity"]) == (NO_DAEMON, "error")
    _, found = outside(run_here, daemon_env(folder))
    assert found["workspace-missing"]["severity"] == "info"
    assert not (folder / ".openclaw").exists()


def test_a_damaged_ledger_is_found_from_outside(run_here: RunHere) -> None:
    with short_folder() as folder, RunningDaemon(folder) as running:
        running.settle()
        running.stop()
        path = running.state_folder() / "state.db"
        env = {**running.env, "MEMD_WORKSPACE": str(running.workspace)}
        content = path.read_bytes()
        path.write_bytes(content[:4096] + bytes(len(content) - 4096))
        _, found = outside(run_here, env)
        assert found["ledger-damaged"]["severity"] == "error"
        path.write_bytes(content)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA user_version = 9999")
        _, found = outside(run_here, env)
        assert found["newer-database:state.db"]["severity"] == "error"


@pytest.mark.slow
def test_a_daemon_that_is_stopped_is_named_by_its_pid(run_here: RunHere) -> None:
    with short_folder() as folder, RunningDaemon(folder) as running:
        running.write("MEMORY.md", "- a\n")
        running.settle()
        os.kill(running.pid, signal.SIGSTOP)
        try:
            code, found = outside(run_here, {**running.env, "MEMD_WORKSPACE": str(running.workspace)})
        finally:
            os.kill(running.pid, signal.SIGCONT)
        assert code == NO_DAEMON
        assert str(running.pid) in found["daemon-silent"]["detail"]
        assert not {"no-daemon", "workspace-held"} & found.keys()


@pytest.mark.slow
def test_another_daemon_on_the_workspace_is_told(dead: tuple[Path, dict[str, str]]) -> None:
    with short_folder() as folder, RunningDaemon(folder) as running:
        other = {**running.env, "MEMD_SOCKET": str(folder / "other.sock")}
        done = run_memd("doctor", "--json", env={**other, "MEMD_WORKSPACE": str(running.workspace)})
        found = {one["id"]: one for one in json.loads(done.stdout)["findings"]}
        assert done.returncode == NO_DAEMON
        assert {"no-daemon", "workspace-held"} <= found.keys()
