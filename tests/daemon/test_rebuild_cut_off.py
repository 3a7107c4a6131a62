"""A rebuild that ends with its process is begun again, and not for ever."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.index.rebuilding import MOST_ATTEMPTS
from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder

pytestmark = pytest.mark.slow

FILES = 200


@pytest.fixture
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        for number in range(FILES):
            lines = "\n".join(f"line {line} of note {number}" for line in range(200))
            daemon.write(f"memory/{number}.md", f"word{number}\n{lines}\n")
        daemon.settle()
        yield daemon


def half_built(daemon: RunningDaemon) -> list[Path]:
    return sorted(daemon.state_folder().glob("index-1.db.building-?"))


def rebuilds(daemon: RunningDaemon) -> list[Any]:
    return [job for job in daemon.call("job.list")["jobs"] if job["kind"] == "rebuild"]


def kill_while_it_builds(daemon: RunningDaemon) -> None:
    for _ in range(20):  # one may be over before it is seen
        daemon.call("index.rebuild")
        daemon.wait_until(lambda: bool(half_built(daemon)) or rebuilds(daemon)[-1]["state"] == "done")
        daemon.kill()
        if half_built(daemon):
            return
        daemon.start()
    raise AssertionError("no rebuild was seen half built")


def test_it_is_begun_again_at_the_start_while_the_old_index_answers(daemon: RunningDaemon) -> None:
    index = daemon.state_folder() / "index-1.db"
    kill_while_it_builds(daemon)
    assert [path.name for path in half_built(daemon)] == ["index-1.db.building-1"]
    before = index.stat().st_ino

    daemon.start()
    assert daemon.search_paths("word77") == ["memory/77.md"]
    daemon.wait_until(lambda: [job["state"] for job in rebuilds(daemon)] == ["done"])
    assert index.stat().st_ino != before
    assert half_built(daemon) == []
    assert daemon.search_paths("word77") == ["memory/77.md"]

    daemon.kill()
    daemon.start()
    daemon.settle()
    assert rebuilds(daemon) == []


def test_after_several_attempts_it_is_left_to_a_person(daemon: RunningDaemon) -> None:
    daemon.kill()
    for attempt in range(1, MOST_ATTEMPTS + 1):
        (daemon.state_folder() / f"index-1.db.building-{attempt}").write_bytes(b"half")

    daemon.start()
    daemon.settle()
    assert rebuilds(daemon) == []
    assert half_built(daemon) == []
    assert any("cut off 3 times" in warning for warning in daemon.call("status")["warnings"])
