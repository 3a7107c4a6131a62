"""A full disk under the workspace: curated files, nights and forgetting fail whole, and done with room."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import MEMD, DaemonError, LineClient, RunningDaemon, short_folder
from tests.faults.disks import Disk, fill, small_disk

OWNER: dict[str, Any] = {"session_id": "s1", "session_kind": "interactive", "chat_type": "direct"} | {
    "sender": {"id": "u1", "is_owner": True}
}
NOUNS = ("anchor", "bellows", "chisel")
LONG = "- filler of a file that takes more than a page\n" * 110

pytestmark = [pytest.mark.fault, pytest.mark.slow]


@dataclass(frozen=True, slots=True)
class Place:
    """A daemon whose workspace is a small disk."""

    daemon: RunningDaemon
    disk: Disk

    def read(self, path: str) -> str:
        return (self.disk.seen / path).read_text(encoding="utf-8")

    def tree(self) -> dict[str, bytes]:
        """What is in the workspace but for working files of memd's own."""
        return {
            str(path.relative_to(self.disk.seen)): path.read_bytes()
            for path in sorted(self.disk.seen.rglob("*"))
            if path.is_file() and ".dreams" not in path.parts and path.name != "ballast"
        }


@pytest.fixture
def place() -> Iterator[Place]:
    with short_folder() as folder, small_disk(folder / "ws") as disk:
        (disk.seen / "memory").mkdir()
        (disk.seen / "MEMORY.md").write_text(f"# Memory\n\n- A fact of ours.\n\n## Filler\n\n{LONG}")
        daemon = RunningDaemon(folder, env=PATIENT, command=(*disk.inside, *MEMD))
        with daemon:
            daemon.settle()
            yield Place(daemon, disk)


def refusal(daemon: RunningDaemon, method: str, **params: Any) -> tuple[str, str]:
    with pytest.raises(DaemonError) as failed:
        daemon.call(method, **params)
    data = failed.value.error["data"]
    return data["kind"], data.get("reason", "")


def test_a_fact_is_refused_whole_and_remembered_with_room(place: Place) -> None:
    daemon = place.daemon
    ballast = fill(place.disk.seen)
    before = place.tree()

    for _ in range(3):
        refused = refusal(daemon, "memory.remember", text="It is full.", context=OWNER)
        assert refused == ("unavailable", "disk_full")
    assert place.tree() == before
    assert daemon.call("inject.turn", text="hello", turn_id="t", context=OWNER)["took_ms"] >= 0

    ballast.unlink()
    assert daemon.call("memory.remember", text="It is full.", context=OWNER)["appended"]
    assert place.read("MEMORY.md").count("- It is full.") == 1


def test_a_session_is_forgotten_once_there_is_room_and_nothing_else_goes(place: Place) -> None:
    daemon = place.daemon
    gone = OWNER | {"session_id": "gone"}
    path = daemon.call("note.append", text=f"- secretword\n{LONG}", context=gone)["path"]
    daemon.call("note.append", text=f"- keptword\n{LONG}", context=OWNER)
    daemon.settle()
    ballast = fill(place.disk.seen)
    before = place.read(path)
    forget = {"session_ids": ["gone"], "dry_run": False, "wait": True}

    kept = daemon.call("forget", **forget)["kept"]
    assert [(one["where"], "No space left" in one["why"]) for one in kept] == [(path, True)]
    assert place.read(path) == before
    daemon.kill()
    ballast.unlink()
    daemon.start()

    daemon.call("forget", **forget)
    assert "secretword" not in place.read(path)
    assert place.read(path).count("- keptword\n") == 1
    assert sorted(entry.name for entry in place.disk.seen.iterdir() if entry.name.startswith(".memd")) == []


def test_a_night_that_has_no_room_is_made_up_for(place: Place) -> None:
    daemon = place.daemon
    today = datetime.now(UTC).date()
    facts = [f"The {noun} of the hut hangs on a hook." for noun in NOUNS]
    note = place.disk.seen / f"memory/{today}.md"
    note.write_text("".join(f"- {fact}\n" for fact in facts))
    daemon.settle()
    with LineClient(daemon.socket) as client:
        for noun in NOUNS:
            for question in (noun, f"the {noun}", f"where is the {noun}", f"{noun} hook"):
                client.call("recall.search", query=question)
    ballast = fill(place.disk.seen)
    before = place.read("MEMORY.md")

    try:
        outcome = daemon.call("dream.run", wait=True)["outcome"]
    except DaemonError as error:
        outcome = error.error["data"]["kind"]
    assert place.read("MEMORY.md") == before
    assert outcome != "completed"

    ballast.unlink()
    for _ in range(2):
        assert daemon.call("dream.run", wait=True)["outcome"] == "completed"
        assert [place.read("MEMORY.md").count(fact) for fact in facts] == [1] * len(facts)
