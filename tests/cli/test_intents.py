"""``memd intents``."""

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.cli.exits import DONE, FAILED, USAGE
from tests.cli.conftest import RunHere
from tests.cli.fake_daemon import FakeDaemon
from tests.cli.terminals import type_memd
from tests.daemons import RunningDaemon, daemon_env, run_memd

INTENT: dict[str, Any] = {
    "id": "0b0e3a4e-8f0b-4a53-9f5e-7d1f6a0f0c11",
    "kind": "event",
    "description": "mention the changelog",
    "keywords": ["release"],
    "semantic": False,
    "status": "armed",
    "fire_count": 1,
    "max_fires": 3,
}
OTHER = INTENT | {"id": "0b0f0000-8f0b-4a53-9f5e-7d1f6a0f0c11", "description": "other"}


def test_the_life_of_an_intent(writable: RunningDaemon) -> None:
    denied = writable.memd("intents", "add", "mention the changelog", "--keyword", "release")
    assert (denied.returncode, denied.stdout) == (FAILED, "")
    assert "--as-owner" in denied.stderr

    added = type_memd(
        "intents", "add", "mention", "the", "changelog", "--keyword", "release", env=writable.env
    )
    head, row = added.stdout.splitlines()
    assert head.split() == ["id", "kind", "status", "fires", "when", "what"]
    short, *rest = row.split()
    assert (len(short), rest[:4]) == (8, ["event", "armed", "0/3", "release"])
    assert writable.memd("intents").stdout == added.stdout
    assert "  intents    1 armed\n" in writable.memd("status").stdout

    fires = writable.memd("intents", "why", "the releases are late")
    assert fires.stdout == f"fires      {short}  mention the changelog  (by 'release')\n"
    assert writable.memd("intents", "why", "nothing of it").stdout == "no intent is about that\n"

    cancelled = writable.memd("intents", "cancel", short, "--as-owner")
    assert cancelled.stdout == f"{short}  cancelled: mention the changelog\n"
    again = writable.memd("intents", "cancel", short, "--as-owner")
    assert "it was cancelled before" in again.stdout
    assert writable.memd("intents").stdout == "no intents\n"
    assert short in writable.memd("intents", "list", "--all").stdout


def test_a_reminder_is_listed_with_its_time_and_ended(writable: RunningDaemon) -> None:
    arguments = ("--cron", "0 9 * * 5", "--zone", "Europe/Vienna", "--as-owner", "--json")
    added = json.loads(writable.memd("intents", "add", "call Ana", *arguments).stdout)
    assert added["intent"]["kind"] == "reminder"
    listed = writable.memd("intents", "--status", "armed").stdout
    assert "(0 9 * * 5)" in listed
    assert "0/∞" in listed
    assert writable.memd("intents", "due").stdout == "nothing is due\n"
    assert json.loads(writable.memd("intents", "due", "--json").stdout) == {"reminders": []}
    done = writable.memd("intents", "done", added["intent"]["id"], "--as-owner")
    assert "done: call Ana" in done.stdout


def test_a_wish_for_a_time_is_told_which_options_to_use(writable: RunningDaemon) -> None:
    refused = writable.memd("intents", "add", "remind me on Friday at nine", "--keyword", "ana", "--as-owner")
    assert refused.returncode == FAILED
    assert "`at` or `cron`" in refused.stderr
    assert writable.memd("intents").stdout == "no intents\n"


def test_every_option_is_sent(fake: FakeDaemon, folder: Path) -> None:
    fake.answers["intent.create"] = lambda _: {"intent": INTENT}
    arguments = [
        "--keyword",
        "a b",
        "--keyword",
        "c",
        "--at",
        "2026-03-01T09:00:00+01:00",
        "--cron",
        "* * * * *",
    ]
    arguments += ["--zone", "UTC", "--scope", "channel", "--anyone", "--semantic", "--as-owner", "--json"]
    arguments += ["--expires", "2026-04-01T00:00:00+00:00", "--max-fires", "2", "--cooldown", "60"]
    done = run_memd("intents", "add", "tell", "me", *arguments, env=daemon_env(folder))
    assert json.loads(done.stdout) == {"intent": INTENT}
    (sent,) = fake.asked("intent.create")
    assert sent.pop("context")["sender"]["is_owner"] is True
    assert sent == {
        "description": "tell me",
        "keywords": ["a b", "c"],
        "at": "2026-03-01T09:00:00+01:00",
        "cron": "* * * * *",
        "zone": "UTC",
        "scope": "channel",
        "sender_scope": "anyone",
        "semantic": True,
        "expires_at": "2026-04-01T00:00:00+00:00",
        "max_fires": 2,
        "cooldown_s": 60,
    }


def test_what_is_not_said_has_the_defaults(fake: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    fake.answers["intent.create"] = lambda _: {"intent": INTENT}
    env = daemon_env(folder) | {"TZ": "UTC"}
    run_here("intents", "add", "x", "--at", "2026-03-01T09:00", "--as-owner", env=env)
    (sent,) = fake.asked("intent.create")
    assert sent["at"].startswith("2026-03-01T09:00:00")
    assert len(sent["at"]) == len("2026-03-01T09:00:00+00:00")
    assert {name: sent[name] for name in ("scope", "sender_scope")} == {
        "scope": "anywhere",
        "sender_scope": "sender",
    }


@pytest.mark.parametrize(
    "said",
    [
        ("2026-07-01T09:00", "Asia/Tokyo", "2026-07-01T09:00:00+09:00"),
        ("2026-07-01T09:00", "Europe/Vienna", "2026-07-01T09:00:00+02:00"),
        ("2026-01-01T09:00", "Europe/Vienna", "2026-01-01T09:00:00+01:00"),
        ("2026-07-01T09:00+05:00", "Europe/Vienna", "2026-07-01T09:00:00+05:00"),
    ],
)
def test_a_time_without_an_offset_is_one_of_the_zone_that_is_named(
    fake: FakeDaemon, folder: Path, run_here: RunHere, said: tuple[str, str, str]
) -> None:
    at, zone, sent_at = said
    fake.answers["intent.create"] = lambda _: {"intent": INTENT}
    times = ("--at", at, "--expires", at, "--zone", zone)
    run_here("intents", "add", "x", *times, "--as-owner", env=daemon_env(folder))
    (sent,) = fake.asked("intent.create")
    assert (sent["at"], sent["expires_at"], sent["zone"]) == (sent_at, sent_at, zone)


def test_a_zone_that_is_none_is_for_the_daemon_to_refuse(
    fake: FakeDaemon, folder: Path, run_here: RunHere
) -> None:
    fake.answers["intent.create"] = lambda _: {"intent": INTENT}
    for zone in ("Mars/Phobos", "../../etc/passwd", ""):
        times = ("--at", "2026-07-01T09:00", "--zone", zone)
        assert (
            run_here("intents", "add", "x", *times, "--as-owner", env=daemon_env(folder)).returncode == DONE
        )
    assert [sent["zone"] for sent in fake.asked("intent.create")] == ["Mars/Phobos", "../../etc/passwd", ""]


def test_a_start_of_an_id_must_be_unique(fake: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    pages = [[INTENT] * 200, [OTHER]]
    fake.answers["intent.list"] = lambda params: {"intents": pages["after" in params]}
    fake.answers["intent.done"] = lambda _: {"intent": OTHER, "changed": True}
    env = daemon_env(folder)
    assert "201 intents" in run_here("intents", "done", "0b0", "--as-owner", env=env).stderr
    assert "no intent" in run_here("intents", "done", "x", "--as-owner", env=env).stderr
    assert run_here("intents", "done", "0b0f", "--as-owner", env=env).returncode == DONE
    assert [sent["id"] for sent in fake.asked("intent.done")] == [OTHER["id"]]


def test_why_not_is_told(fake: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    blocked = {"intent": INTENT, "why": "release", "reason": "resting", "until": "2026-03-01T09:00:00+00:00"}
    odd = {"intent": OTHER | {"description": "a\x1b[2J"}, "why": "release", "reason": "new"}
    fake.answers["intent.match"] = lambda _: {"matches": [], "blocked": [blocked, odd]}
    shown = run_here("intents", "why", "release", env=daemon_env(folder)).stdout.splitlines()
    assert shown[0] == "would not  0b0e3a4e  mention the changelog  (by 'release')"
    assert shown[1].startswith("           it fired lately and rests until 2026-0")
    assert shown[2] == "would not  0b0f0000  a[2J  (by 'release')"
    assert shown[3] == "           new"


def test_what_is_due_is_shown(fake: FakeDaemon, folder: Path, run_here: RunHere) -> None:
    due = {"intent": INTENT, "due_at": "2026-03-01T09:00:00+00:00", "token": "t"}
    fake.answers["intent.due"] = lambda _: {"reminders": [due]}
    (line,) = run_here("intents", "due", env=daemon_env(folder)).stdout.splitlines()
    assert line.startswith("0b0e3a4e  2026-0")
    assert line.endswith("mention the changelog")
    fake.answers["intent.due"] = lambda _: {"reminders": [due], "more": True}
    assert run_here("intents", "due", env=daemon_env(folder)).stdout.splitlines() == [line, "more is due"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "x"),
        ("add",),
        ("cancel",),
        ("done", "a", "b"),
        ("due", "x"),
        ("why",),
        ("add", "x", "--at", "soon"),
        ("fire",),
    ],
)
def test_a_wrong_command_line_is_refused(folder: Path, run_here: RunHere, arguments: tuple[str, ...]) -> None:
    assert run_here("intents", *arguments, env=daemon_env(folder)).returncode == USAGE
