"""A stop right after a write leaves nothing of ours in the workspace, and a start takes what a kill left."""

import os

import pytest

from tests.daemon.clients import PATIENT
from tests.daemon.test_remembering import OWNER
from tests.daemons import RunningDaemon, short_folder

LEFT = ".memd-0123456789abcdef.new"


def left(daemon: RunningDaemon) -> list[str]:
    return sorted(
        path.relative_to(daemon.workspace).as_posix() for path in daemon.workspace.rglob(".memd-*.*")
    )


@pytest.mark.slow
def test_a_stop_right_after_a_write_leaves_no_earlier_version() -> None:
    with short_folder() as folder:
        with RunningDaemon(folder, env=PATIENT) as daemon:
            daemon.write("MEMORY.md", "- It rains in May.\n")
            daemon.write("DREAMS.md", "mine\n")
            daemon.write("memory/2025-03-04.md", "- The gateway of house 3 listens on port 9400.\n")
            daemon.settle()
            daemon.call("dream.backfill", source="notes", dry_run=False)
            daemon.call("memory.remember", text="The sea is forty kilometres away.", context=OWNER)
            for number in range(100):  # the version that was replaced lies aside for two seconds only
                if left(daemon):
                    break
                daemon.call("memory.remember", text=f"The tower has {number} steps.", context=OWNER)
            else:
                pytest.fail("no version that was replaced was seen aside")
        assert left(daemon) == []
        reports = daemon.workspace / "memory/dreaming/light"
        reports.mkdir(parents=True)
        for place in (daemon.workspace, reports):
            (place / LEFT).write_text("half")
            (place / ".memd-mine.new").write_text("a person's")
        os.sync()
        with RunningDaemon(folder, env=PATIENT) as daemon:
            daemon.wait_until(
                lambda: left(daemon) == [".memd-mine.new", "memory/dreaming/light/.memd-mine.new"]
            )
            assert "forty kilometres" in (daemon.workspace / "MEMORY.md").read_text()
