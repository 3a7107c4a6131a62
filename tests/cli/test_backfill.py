"""``memd dream backfill`` and ``memd dream rollback`` against a real daemon."""

import json
from pathlib import Path

import pytest

from openclaw_memd.cli.exits import DONE, FAILED, USAGE
from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon

PUMP = "The greenhouse pump 7 is behind the left shelf."
OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}


@pytest.mark.slow
def test_old_notes_and_sessions_are_looked_through_shown_staged_and_taken_back(folder: Path) -> None:
    with RunningDaemon(folder, env=PATIENT) as daemon:
        daemon.write("memory/2025-03-04.md", f"- {PUMP}\n- Call again tomorrow.\n")
        daemon.write("memory/2025-03-05.md", "- The ladder of hut 9 leans on the birch.\n")
        daemon.settle()
        said = {
            "id": "1",
            "role": "user",
            "text": "Always close gate 4 of the meadow.",
            "at": "2026-01-11T10:00:00Z",
        }
        daemon.call("session.append", messages=[said], context=OWNER)

        shown = daemon.memd("dream", "backfill")
        assert shown.returncode == DONE
        assert f"  + memory/2025-03-04.md#L1  {PUMP}\n" in shown.stdout
        assert "2 notes read: 2 new claims, 0 known\n" in shown.stdout
        assert "nothing was written: --apply writes 2 entries" in shown.stdout
        assert not (daemon.workspace / "DREAMS.md").exists()

        done = daemon.memd("dream", "backfill", "--stage", "--apply", "--to", "2025-03-04")
        assert done.returncode == DONE, done.stderr
        assert "1 entry in the diary, 1 candidate staged\n" in done.stdout
        assert "Looking through ..." in done.stderr
        rest = json.loads(daemon.memd("dream", "backfill", "--stage", "--apply", "--json").stdout)
        assert (rest["candidates"], rest["known"], rest["staged"], rest["entries"]) == (1, 1, 1, 2)
        assert rest["days"][0]["day"] == "2025-03-04"
        assert "greenhouse" not in json.dumps(daemon.call("job.list"))
        assert PUMP in (daemon.workspace / "DREAMS.md").read_text()
        found = daemon.call("dream.candidates")["candidates"]
        assert {one["text"] for one in found} >= {PUMP}
        assert {one["excluded"] for one in found} == {"recalls"}
        told = daemon.call("dream.diary")["entries"]
        assert [one["backfill"] for one in told] == [True, True]

        spoken = daemon.memd("dream", "backfill", "--source", "sessions", "--stage", "--apply")
        assert "1 part of a session read: 1 new claim, 0 known" in spoken.stdout

        taken = daemon.memd("dream", "rollback", "all")
        assert taken.stdout == "3 entries of the diary and 3 candidates taken back\n"
        assert PUMP not in (daemon.workspace / "DREAMS.md").read_text()
        again = json.loads(daemon.memd("dream", "rollback", "all", "--json").stdout)
        assert (again["entries"], again["candidates"]) == (0, 0)
        assert json.loads(daemon.memd("dream", "backfill", "--json").stdout)["candidates"] == 2

        assert daemon.memd("dream", "rollback").returncode == USAGE
        assert daemon.memd("dream", "rollback", "everything").returncode == USAGE
        assert daemon.memd("dream", "rollback", "all", "--dry-run").returncode == USAGE
        assert daemon.memd("dream", "backfill", "now").returncode == USAGE
        assert daemon.memd("dream", "backfill", "--apply", "--dry-run").returncode == USAGE
        assert daemon.memd("dream", "backfill", "--path", "MEMORY.md").returncode == FAILED
        assert daemon.memd("dream", "backfill", "--path", "memory/2024-01-01.md").returncode == FAILED
        assert daemon.memd("dream", "backfill", "--from", "yesterday").returncode == FAILED
