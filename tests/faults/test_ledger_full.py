"""A full disk under the ledger: no text is accepted, none is lost, and what was accepted is there once."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import MEMD, DaemonError, RunningDaemon, short_folder
from tests.faults.disks import Disk, fill, small_disk

OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}
FILLER = " and so on" * 2_000
MOST_CALLS = 100

pytestmark = pytest.mark.fault


@pytest.fixture
def disk() -> Iterator[Disk]:
    with short_folder() as folder, small_disk(folder / "state") as disk:
        yield disk


@pytest.fixture
def daemon(disk: Disk) -> Iterator[RunningDaemon]:
    """A daemon whose state lies on a small disk."""
    daemon = RunningDaemon(disk.place.parent, env=PATIENT, command=(*disk.inside, *MEMD))
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.stop()


def refused(daemon: RunningDaemon, method: str, **params: Any) -> bool:
    """Whether the call is refused because the disk is full."""
    try:
        daemon.call(method, **params)
    except DaemonError as error:
        data = error.error["data"]
        assert (data["kind"], data["reason"]) == ("unavailable", "disk_full")
        return True
    return False


@pytest.mark.slow
def test_notes_are_taken_as_a_whole_or_refused(daemon: RunningDaemon, disk: Disk) -> None:
    path = daemon.call("note.append", context=OWNER, text="- firstword")["path"]
    note = daemon.workspace / path
    daemon.settle()
    expected = note.read_text(encoding="utf-8")
    ballast = fill(disk.seen)

    kept: list[str] = []
    for number in range(MOST_CALLS):
        text = f"- number{number}{FILLER}"
        if refused(daemon, "note.append", context=OWNER, text=text, request_key=str(number)):
            break
        kept.append(text)
    else:
        raise AssertionError("the disk does not become full")
    expected += "".join(text + "\n" for text in kept)
    for _ in range(3):
        assert refused(daemon, "note.append", context=OWNER, text=f"- refusedword{FILLER}")
        assert refused(daemon, "flush.append", context=OWNER, text=f"- refusedword{FILLER}", cycle_id="1")
    assert note.read_text(encoding="utf-8") == expected
    assert daemon.call("recall.get", path=path, **{"from": 3}, lines=1)["text"] == "- firstword"
    assert daemon.search_paths("firstword") == [path]

    daemon.kill()
    ballast.unlink()
    daemon.start()
    assert note.read_text(encoding="utf-8") == expected
    assert daemon.agent()["spool"]["items"] == 0

    number = len(kept)
    answer = daemon.call("note.append", context=OWNER, text="- lastword", request_key=str(number))
    assert (answer["spooled"], "repeated" in answer) == (False, False)
    assert note.read_text(encoding="utf-8") == expected + "- lastword\n"
    for number, text in enumerate(kept):
        assert daemon.call("note.append", context=OWNER, text=text, request_key=str(number))["repeated"]
    assert note.read_text(encoding="utf-8") == expected + "- lastword\n"
    daemon.settle()
    daemon.wait_until(lambda: daemon.call("status", deep=True)["state"] == "ok")


@pytest.mark.slow
def test_sessions_take_a_call_in_as_a_whole_or_refuse_it(daemon: RunningDaemon, disk: Disk) -> None:
    said = [{"id": "0", "role": "user", "text": "firstword"}]
    daemon.call("session.append", context=OWNER, messages=said)
    daemon.settle()
    ballast = fill(disk.seen)

    kept = 1
    for number in range(1, MOST_CALLS):
        said = [
            {"id": f"{number} {part}", "role": "user", "text": f"number{number}{FILLER}"} for part in range(2)
        ]
        if refused(daemon, "session.append", context=OWNER, messages=said):
            break
        kept += 2
    else:
        raise AssertionError("the disk does not become full")
    assert refused(daemon, "session.append", context=OWNER, messages=said)
    assert count_messages(daemon) == kept
    assert refused(daemon, "session.end", context=OWNER, capture={"messages": 200})
    assert daemon.search_paths("firstword", corpus="sessions", context=OWNER) == ["sessions/main/s1"]

    daemon.kill()
    ballast.unlink()
    daemon.start()
    assert count_messages(daemon) == kept
    assert daemon.call("session.append", context=OWNER, messages=said)["accepted"] == 2
    assert count_messages(daemon) == kept + 2


def test_status_tells_that_nothing_is_taken_in(daemon: RunningDaemon, disk: Disk) -> None:
    """Results of tools are not kept, so that nothing but the ledger has anything to write."""
    daemon.settle()
    fill(disk.seen)
    for number in range(MOST_CALLS):
        said = [{"id": f"{number} {part}{'x' * 400}", "role": "tool", "text": ""} for part in range(1_000)]
        if refused(daemon, "session.append", context=OWNER, messages=said):
            break
    else:
        raise AssertionError("the disk does not become full")

    status = daemon.call("status")
    assert (status["state"], len(status["warnings"])) == ("degraded", 1)
    assert "the disk is full" in status["warnings"][0]


def count_messages(daemon: RunningDaemon) -> int:
    (session,) = daemon.call("session.list")["sessions"]
    count: int = session["messages"]
    return count
