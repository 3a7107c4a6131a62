"""Looks through old notes end to end: who may ask, what a job tells, and a kill in the middle."""

import json
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemon.test_remembering import OWNER
from tests.daemons import DaemonError, RunningDaemon, short_folder

NOTES = 60
GUEST = OWNER | {"sender": {"id": "u2", "is_owner": False}}
CRON = OWNER | {"session_kind": "cron"}


def write_notes(daemon: RunningDaemon) -> None:
    for number in range(NOTES):
        day = f"2025-{1 + number // 28:02}-{1 + number % 28:02}"
        lines = "".join(
            f"- The gateway {n} of house {number} has port {1000 + number * 9 + n}.\n" for n in range(3)
        )
        daemon.write(f"memory/{day}.md", lines)
    daemon.call("index.sync")


def look(daemon: RunningDaemon, **params: Any) -> Any:
    return daemon.call("dream.backfill", source="notes", **params)


def job_of(daemon: RunningDaemon, started: Any) -> Any:
    """The job that a call started, as it is now."""
    return next(one for one in daemon.call("job.list")["jobs"] if one["id"] == started["job_id"])


def test_who_may_look_and_what_a_job_tells() -> None:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        daemon.write("memory/2025-03-04.md", "- The gateway of house 4 listens on port 9400.\n")
        daemon.call("index.sync")
        for context in (GUEST, CRON):
            for method, asked in (
                ("dream.backfill", {"source": "notes"}),
                ("dream.rollback", {"what": "all"}),
            ):
                with pytest.raises(DaemonError) as denied:
                    daemon.call(method, **asked, context=context)
                assert denied.value.error["data"]["kind"] == "denied"
        shown = look(daemon, context=OWNER)
        assert [one["text"] for day in shown["days"] for one in day["sample"]] == [
            "The gateway of house 4 listens on port 9400."
        ]
        wrong: tuple[tuple[dict[str, Any], str], ...] = (
            ({"from": "2025-02-30"}, "from"),
            ({"path": "USER.md"}, "path"),
            ({"what": 1}, "what"),
        )
        for params, field in wrong:
            with pytest.raises(DaemonError) as refused:
                look(daemon, **params)
            assert refused.value.error["data"]["field"] == field
        first = look(daemon, stage=True, dry_run=False, request_key="k1")
        again = look(daemon, stage=True, dry_run=False, request_key="k1")
        assert (first["staged"], again["staged"], again["repeated"]) == (1, 1, True)
        started = daemon.call("dream.rollback", what="all", wait=False)
        daemon.wait_until(lambda: job_of(daemon, started)["state"] not in ("queued", "running"))
        job = job_of(daemon, started)
        assert (job["state"], job["result"]["candidates"], job["done"], job["total"]) == ("done", 1, 2, 2)
        assert "gateway" not in json.dumps(daemon.call("job.list"))


@pytest.mark.slow
def test_a_daemon_that_is_killed_in_the_middle_leaves_what_a_second_look_finishes() -> None:
    with short_folder() as folder:
        with RunningDaemon(folder, env=PATIENT) as daemon:
            write_notes(daemon)
            started = look(daemon, stage=True, dry_run=False, wait=False)

            daemon.wait_until(lambda: job_of(daemon, started)["done"] > NOTES + NOTES // 3)
            daemon.kill()
        with RunningDaemon(folder, env=PATIENT) as daemon:
            rest = look(daemon, stage=True, dry_run=False)
            assert rest["known"] > 0
            assert rest["candidates"] + rest["known"] == 3 * NOTES
            assert rest["entries"] == NOTES
            assert daemon.call("dream.candidates", limit=1)["total"] == 3 * NOTES
            assert look(daemon)["candidates"] == 0
            page = (daemon.workspace / "DREAMS.md").read_text()
            assert page.count("openclaw:dreaming:backfill-entry") == NOTES
            taken = daemon.call("dream.rollback", what="all")
            assert (taken["entries"], taken["candidates"]) == (NOTES, 3 * NOTES)
            assert look(daemon)["candidates"] == 3 * NOTES
