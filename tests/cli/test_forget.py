"""``memd forget`` shows first, asks, and changes nothing without a yes."""

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import DONE, FAILED
from tests.cli.fake_daemon import FakeDaemon
from tests.cli.terminals import type_memd
from tests.daemons import daemon_env, run_memd

FORGET = ("forget", "--session", "s1")
KEPT = [{"where": "backups", "why": "they lie outside\x1b the state folder"}]


@pytest.fixture
def forgetful(fake: FakeDaemon) -> FakeDaemon:
    jobs: list[dict[str, Any]] = []

    def forget(params: dict[str, Any]) -> Any:
        result = {"dry_run": params["dry_run"], "receipt": {"messages": 1200, "chunks": 0}, "kept": KEPT}
        if params["dry_run"]:
            return result
        jobs.append(
            {
                "id": f"j{len(jobs)}",
                "kind": "forget",
                "state": "done",
                "done": 1,
                "total": 1,
                "result": result,
            }
        )
        return {"job_id": jobs[-1]["id"]}

    fake.answers |= {"forget": forget, "job.list": lambda _: {"jobs": jobs}}
    return fake


def trials(fake: FakeDaemon) -> list[bool]:
    return [params["dry_run"] for params in fake.asked("forget")]


def test_a_script_without_a_yes_changes_nothing_and_says_so(forgetful: FakeDaemon, folder: Path) -> None:
    done = run_memd(*FORGET, env=daemon_env(folder), given="y\n")

    assert done.returncode == FAILED
    assert trials(forgetful) == [True]
    assert done.stdout == (
        "would be forgotten\n  messages                 1,200\n"
        "kept: backups (they lie outside the state folder)\n"
    )
    assert done.stderr.endswith("memd: nothing was forgotten: --yes is needed where nobody can be asked\n")


def test_as_json_nobody_can_be_asked(forgetful: FakeDaemon, folder: Path) -> None:
    done = type_memd(*FORGET, "--json", env=daemon_env(folder), keys="y\n")

    assert done.returncode == FAILED
    assert trials(forgetful) == [True]
    data = json.loads(done.stdout)["error"]["data"]
    assert (data["kind"], data["preview"]["receipt"]["messages"]) == ("unconfirmed", 1200)


def test_with_a_yes_it_is_shown_and_done(forgetful: FakeDaemon, folder: Path) -> None:
    shown = run_memd(*FORGET, "--yes", env=daemon_env(folder))
    bare = run_memd(*FORGET, "--yes", "--json", env=daemon_env(folder))

    assert (shown.returncode, bare.returncode) == (DONE, DONE)
    assert trials(forgetful) == [True, False] * 2
    assert [params.get("wait", True) for params in forgetful.asked("forget")] == [True, False] * 2
    assert shown.stdout.index("would be forgotten\n") < shown.stdout.index("\nforgotten\n")
    assert json.loads(bare.stdout)["dry_run"] is False


@pytest.mark.parametrize("options", [("--dry-run",), ("--dry-run", "--yes")], ids=" ".join)
def test_a_trial_is_only_shown(forgetful: FakeDaemon, folder: Path, options: tuple[str, ...]) -> None:
    shown = run_memd(*FORGET, *options, env=daemon_env(folder))
    bare = run_memd(*FORGET, *options, "--json", env=daemon_env(folder))

    assert (shown.returncode, bare.returncode) == (DONE, DONE)
    assert trials(forgetful) == [True, True]
    assert json.loads(bare.stdout)["dry_run"] is True


@pytest.mark.parametrize(
    ("keys", "expected"), [("y\n", [True, False]), ("Yes\n", [True, False]), ("n\n", [True]), ("\n", [True])]
)
def test_a_terminal_is_asked(forgetful: FakeDaemon, folder: Path, keys: str, expected: list[bool]) -> None:
    done = type_memd(*FORGET, env=daemon_env(folder), keys=keys)

    assert trials(forgetful) == expected
    assert "Forget this? It cannot be undone. [y/N] " in done.stderr
    assert done.returncode == (DONE if False in expected else FAILED)


def test_what_is_named_is_passed_on(forgetful: FakeDaemon, folder: Path) -> None:
    named = (
        *("--session", "s1", "--session", "s2", "--path", "memory/a.md", "--participant", "u1"),
        *("--query", "the key", "--since", "2026-01-11"),
    )

    run_memd("forget", *named, "--dry-run", env=daemon_env(folder))

    (params,) = forgetful.asked("forget")
    assert {name: params[name] for name in params if name not in ("dry_run", "wait")} == {
        "session_ids": ["s1", "s2"],
        "paths": ["memory/a.md"],
        "participant": "u1",
        "query": "the key",
        "since": "2026-01-11",
    }
