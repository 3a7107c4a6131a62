"""``memd dream`` and ``memd explain`` against a real daemon."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from openclaw_memd.cli.exits import DONE, FAILED, USAGE
from tests.daemon.clients import PATIENT
from tests.daemons import LineClient, RunningDaemon

FACT = "The greenhouse pump is behind the left shelf."
QUESTIONS = ("greenhouse pump", "where is the pump", "what is behind the left shelf", "pump shelf")


@pytest.mark.slow
def test_the_owner_decides_about_proposals(folder: Path) -> None:
    """One is accepted in the owner's words, one rejected, and neither comes again."""
    with RunningDaemon(folder, env=PATIENT | {"MEMD_DREAMING__MODE": "propose"}) as daemon:
        today = datetime.now(UTC).date()
        daemon.write(f"memory/{today}.md", f"- {FACT}\n- The ladder of hut nine leans on the birch.\n")
        daemon.settle()
        for question in (*QUESTIONS, "hut nine ladder", "where is the ladder", "birch ladder", "ladder hut"):
            daemon.call("recall.search", query=question)

        assert "2 proposed" in daemon.memd("dream", "run").stdout
        assert not (daemon.workspace / "MEMORY.md").exists()
        shown = daemon.memd("dream", "review").stdout
        assert f"  + {FACT}" in shown
        found = json.loads(daemon.memd("dream", "review", "--json").stdout)["proposals"]
        pump, ladder = sorted(found, key=lambda one: "ladder" in one["text"])

        denied = daemon.memd("dream", "accept", pump["id"])
        assert (denied.returncode, denied.stdout) == (FAILED, "")
        assert "--as-owner" in denied.stderr
        edited = daemon.memd("dream", "edit", pump["id"], "The pump is left.", "--as-owner")
        assert edited.stdout == "it would say: The pump is left.\n"
        rejected = daemon.memd("dream", "reject", ladder["id"], "--as-owner")
        assert rejected.stdout == "1 proposal rejected\n"
        assert daemon.memd("dream", "accept", "all", "--as-owner").stdout == f"{pump['id']}  added\n"

        memory = (daemon.workspace / "MEMORY.md").read_text()
        assert "The pump is left." in memory
        assert "ladder" not in memory
        assert "0 of 2 candidates promoted" in daemon.memd("dream", "run").stdout
        assert daemon.memd("dream", "review").stdout == "nothing waits for you\n"


@pytest.mark.slow
def test_a_night_by_hand(writable: RunningDaemon) -> None:
    """From a note that answers questions to a line of MEMORY.md, its reasons, and back."""
    for action, told in (("report", "no night has a report yet"), ("undo", "no night has written anything")):
        nothing = writable.memd("dream", action)
        assert (nothing.returncode, nothing.stdout) == (FAILED, "")
        assert told in nothing.stderr
        assert "run_id" not in nothing.stderr, "nobody named one"
        assert "run_id" in writable.memd("dream", action, "r0").stderr

    today = datetime.now(UTC).date()
    writable.write(f"memory/{today}.md", f"- {FACT}\n- The travel desk opens at nine.\n")
    writable.settle()
    for question in QUESTIONS:
        writable.call("recall.search", query=question)
    assert "score" in writable.memd("explain", "greenhouse pump").stdout

    with LineClient(writable.socket) as client:
        client.call("events.subscribe", topics=["dream.finished"])
        done = writable.memd("dream", "run")
        event = client.receive()["params"]

    assert done.returncode == DONE
    assert "1 of 2 candidates promoted" in done.stdout
    assert (event["topic"], event["promoted"]) == ("dream.finished", 1)
    assert FACT in (writable.workspace / "MEMORY.md").read_text()
    assert writable.memd("explain", FACT).stdout.startswith("MEMORY.md#L")
    assert "recalls 0 of 3" in writable.memd("dream", "candidates").stdout
    assert "found a lasting place" in writable.memd("dream", "diary").stdout
    assert json.loads(writable.memd("dream", "report", "--json").stdout)["run_id"] == event["run_id"]
    assert "completed" in writable.memd("dream").stdout
    assert "greenhouse" not in json.dumps(writable.call("job.list"))
    assert "0 of 2 candidates promoted" in writable.memd("dream", "run", "--dry-run").stdout
    dreaming = writable.agent()["dreaming"]
    assert (dreaming["mode"], dreaming["last_outcome"], dreaming["promoted"]) == ("write", "completed", 1)
    assert writable.memd("dream", "review").stdout == "nothing waits for you\n"

    undone = writable.memd("dream", "undo")
    assert undone.returncode == DONE
    assert FACT not in (writable.workspace / "MEMORY.md").read_text()
    again = json.loads(writable.memd("dream", "run", "--json").stdout)
    assert again["deep"]["promoted"] == 0
    assert again["deep"]["excluded"] == {"rejected": 1, "recalls": 1}

    assert writable.memd("explain", "gateway port is 8123").stdout == "MEMORY.md#L3 says so.\n"
    assert writable.memd("explain", "zebra crossing").returncode == FAILED
    assert writable.memd("dream", "accept").returncode == USAGE
    assert writable.memd("dream", "run", "now").returncode == USAGE
