"""What nights and the owner write into the curated files is found at once, however long files may settle."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.daemon.test_remembering import OWNER
from tests.daemons import RunningDaemon, short_folder

POT = "The meter box key lies under the blue pot."
QUESTIONS = ("where is the meter box key", "what lies under the blue pot", "the key of the meter box please")
SLOW = {"MEMD_FILES__DEBOUNCE_S": "30", "MEMD_DREAMING__MIN_SCORE": "0.1"}


@pytest.fixture(params=["write", "propose"])
def daemon(request: pytest.FixtureRequest) -> Iterator[RunningDaemon]:
    with (
        short_folder() as folder,
        RunningDaemon(folder, env=SLOW | {"MEMD_DREAMING__MODE": request.param}) as running,
    ):
        running.write(f"memory/{datetime.now(UTC).date()}.md", f"- {POT}\n")
        running.call("index.sync")
        for question in QUESTIONS:
            assert running.call("recall.search", query=question)["hits"]
        yield running


def curated(daemon: RunningDaemon) -> list[str]:
    """The lines of MEMORY.md that a search finds now."""
    hits = daemon.call("recall.search", query="meter box key blue pot", max_results=20)["hits"]
    return [hit["path"] for hit in hits if hit["path"] == "MEMORY.md"]


@pytest.mark.slow
def test_a_night_accepting_and_undoing_show_at_once(daemon: RunningDaemon) -> None:
    daemon.call("dream.run", wait=True)
    waiting = daemon.call("dream.review")["proposals"]
    if waiting:
        assert curated(daemon) == []
        accepted = daemon.call("dream.accept", ids=[one["id"] for one in waiting], context=OWNER)
        assert accepted["accepted"]
    assert curated(daemon) == ["MEMORY.md"]
    assert daemon.call("dream.undo")["undone"] == 1
    assert curated(daemon) == []
