"""A search that finds nothing costs nothing."""

from pathlib import Path

from tests.daemon.clients import PATIENT, search_at_once
from tests.daemons import RunningDaemon, short_folder

NOTES = 200


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file; SQLite's shared memory is written by readers too, so it counts by name."""
    found = {}
    for path in folder.rglob("*"):
        status = path.stat()
        found[str(path)] = (0, 0) if path.name.endswith("-shm") else (status.st_size, status.st_mtime_ns)
    return found


def test_searching_in_vain_writes_nothing_and_starts_nothing() -> None:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        for number in range(NOTES):
            daemon.write(f"memory/{number}.md", f"note number{number}\n")
        daemon.settle()
        daemon.wait_until(lambda: daemon.agent()["files"] == NOTES)
        daemon.wait_until(lambda: daemon.agent()["freshness"] == "fresh")
        before, generation = snapshot(folder), daemon.call("index.sync")["generation"]
        jobs = daemon.call("job.list")["jobs"]

        answers = search_at_once(daemon, "zzqx-never-written", 20)

        assert [answer["hits"] for answer in answers] == [[]] * 20
        # An event of the files that were just written may still come in: then the answer says so.
        assert {answer["empty_reason"] for answer in answers} <= {"no_match", "stale"}
        assert snapshot(folder) == before
        daemon.wait_until(lambda: daemon.agent()["freshness"] == "fresh")
        daemon.wait_until(
            lambda: daemon.call("recall.search", query="zzqx-never-written")["empty_reason"] == "no_match"
        )
        assert daemon.call("job.list")["jobs"] == jobs
        assert daemon.call("index.sync")["generation"] == generation
