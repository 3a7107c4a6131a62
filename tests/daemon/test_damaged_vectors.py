"""Vectors are made again from the notes, but that they were damaged is said."""

from collections.abc import Iterator

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import RunningDaemon, short_folder


@pytest.fixture
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        running = RunningDaemon(folder, env=PATIENT)
        running.write("MEMORY.md", "- Tea at four.\n")
        with running:
            running.settle()
            yield running


@pytest.mark.slow
def test_damaged_vectors_are_set_aside_and_told_of_and_nothing_else_is_touched(daemon: RunningDaemon) -> None:
    daemon.stop()
    folder = daemon.state_folder()
    (folder / "state.db.damaged-20250101T000000000000Z").write_bytes(b"for the owner to look at")
    (folder / "vectors.db").write_bytes(b"garbage " * 999)
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}

    daemon.start()

    (warning,) = daemon.call("status")["warnings"]
    assert warning.startswith("the vectors were damaged and are set aside as vectors.db.damaged-")
    aside = folder / warning.removesuffix("; they are made anew").rpartition(" ")[2]
    assert aside.read_bytes().startswith(b"garbage ")
    after = {path.name: path.stat().st_ino for path in folder.iterdir()}
    assert after[aside.name] == before.pop("vectors.db")
    lasting = {name: inode for name, inode in before.items() if not name.endswith(("-wal", "-shm", ".open"))}
    assert lasting.items() <= after.items()
    assert daemon.search_paths("tea") == ["MEMORY.md"]

    daemon.stop()
    daemon.start()
    assert daemon.call("status")["warnings"] == []
