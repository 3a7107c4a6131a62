"""A disk that takes no notes: what is accepted waits, survives everything, and is written in its order."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import MEMD, LineClient, RunningDaemon, short_folder
from tests.faults.disks import Disk, fill, small_disk

OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}
LONG = " and so on" * 600  # more than a page, so that a full disk takes a part of it or nothing
WAITING = 250
SLOW_DISK = """
import os, time
from openclaw_memd.cli.main import entry_point

def sync_slowly(descriptor, sync=os.fsync):
    time.sleep(0.02)
    sync(descriptor)

os.fsync = sync_slowly
entry_point()
"""

pytestmark = [pytest.mark.fault, pytest.mark.slow]


@dataclass(frozen=True, slots=True)
class Place:
    """A daemon whose workspace is a disk of its own."""

    daemon: RunningDaemon
    disk: Disk

    @property
    def waiting(self) -> int:
        count: int = self.daemon.agent()["spool"]["items"]
        return count

    def read(self, path: str) -> str:
        return (self.disk.seen / path).read_text(encoding="utf-8")

    def notes(self) -> set[str]:
        return {file.name for file in (self.disk.seen / "memory").glob("*.md")}

    def origins(self, path: str) -> list[tuple[str, str]]:
        """Each word that a line of the note begins with, and the line's origin."""
        with LineClient(self.daemon.socket) as client:
            return [
                (
                    line.split()[1],
                    client.call("recall.get", path=path, lines=1, **{"from": number})["origin"],
                )
                for number, line in enumerate(self.read(path).splitlines(), start=1)
                if line.startswith("- ")
            ]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """Each test has notes of its own, and leaves the disk free and nothing waiting."""
    with short_folder() as folder, small_disk(folder / "ws") as disk:
        daemon = RunningDaemon(folder, env=PATIENT, command=(*disk.inside, *MEMD))
        try:
            daemon.start()
            yield Place(daemon, disk)
        finally:
            daemon.stop()


def fill_it(disk: Disk) -> Callable[[], None]:
    ballast = fill(disk.seen)
    return ballast.unlink


def make_read_only(disk: Disk) -> Callable[[], None]:
    disk.protect("memory")
    return lambda: disk.release("memory")


def nothing(_daemon: RunningDaemon) -> None:
    pass


def restart(daemon: RunningDaemon) -> None:
    daemon.stop()
    daemon.start()


def kill(daemon: RunningDaemon) -> None:
    daemon.kill()
    daemon.start()


@pytest.mark.parametrize("interrupt", [nothing, restart, kill])
@pytest.mark.parametrize("obstruct", [fill_it, make_read_only])
def test_what_cannot_be_written_waits_and_is_written_in_its_order(
    place: Place, obstruct: Callable[[Disk], Callable[[], None]], interrupt: Callable[[RunningDaemon], None]
) -> None:
    daemon = place.daemon
    case = f"{obstruct.__name__}{interrupt.__name__}".replace("_", "")
    path = daemon.call("note.append", context=OWNER, slug=case, text=f"- first{case}")["path"]
    daemon.settle()
    old = place.read(path)
    words = [f"{word}{case}" for word in ("alpha", "beta", "gamma", "delta")]
    texts = [f"- {word}{LONG}" for word in words]

    clear = obstruct(place.disk)
    for word, text in zip(words, texts, strict=True):
        answer = daemon.call("note.append", context=OWNER, slug=case, text=text, request_key=word)
        assert (answer["appended"], answer["spooled"], answer["origin"]) == (True, True, "agent")
        assert (answer["path"], answer["start_line"], answer["end_line"]) == (path, None, None)
    outside = daemon.call("note.append", slug=case, text=f"- outside{case}")
    assert outside["spooled"]
    interrupt(daemon)

    assert place.waiting == 5
    again = daemon.call("note.append", context=OWNER, slug=case, text=texts[0], request_key=words[0])
    assert (again["repeated"], again["spooled"]) == (True, True)
    assert place.read(path).startswith(old)
    assert daemon.search_paths(f"first{case}") == [path]

    clear()
    daemon.wait_until(lambda: place.waiting == 0)
    assert place.read(path) == old + "".join(text + "\n" for text in texts)
    again = daemon.call("note.append", context=OWNER, slug=case, text=texts[2], request_key=words[2])
    assert (again["repeated"], again["spooled"], again["start_line"]) == (True, False, 6)
    assert place.read(path) == old + "".join(text + "\n" for text in texts)
    daemon.settle()
    assert place.origins(path) == [(word, "agent") for word in (f"first{case}", *words)]
    assert place.origins(outside["path"]) == [(f"outside{case}", "untrusted")]
    for word in words:
        assert daemon.search_paths(word) == [path]


def test_what_comes_while_others_wait_does_not_overtake_them(place: Place) -> None:
    daemon = place.daemon
    path = daemon.call("note.append", context=OWNER, slug="order", text="- firstword")["path"]
    clear = make_read_only(place.disk)
    daemon.call("note.append", context=OWNER, slug="order", text="- second")
    clear()
    answer = daemon.call("note.append", context=OWNER, slug="order", text="- third")

    assert (answer["spooled"], answer["start_line"]) == (False, 5)
    assert place.read(path).endswith("- firstword\n- second\n- third\n")
    assert place.waiting == 0


def test_killed_while_it_writes_what_waited_it_writes_each_text_once(place: Place) -> None:
    daemon = place.daemon
    path = daemon.call("note.append", context=OWNER, slug="killed", text="- firstword")["path"]
    note, old = place.disk.seen / path, place.read(path)
    clear = make_read_only(place.disk)
    texts = [f"- waiting {number}\n  still" for number in range(WAITING)]
    with LineClient(daemon.socket) as client:
        for text in texts:
            assert client.call("note.append", context=OWNER, slug="killed", text=text)["spooled"]
    daemon.kill()
    clear()

    sizes = [note.stat().st_size]
    slow = RunningDaemon(
        daemon.folder, env=daemon.env, command=(*place.disk.inside, sys.executable, "-c", SLOW_DISK)
    )
    try:
        for _ in range(3):
            slow.launch()
            slow.wait_until(lambda: note.stat().st_size > sizes[-1] + 100)
            slow.kill()
            sizes.append(note.stat().st_size)
    finally:
        slow.kill()
    daemon.start()

    daemon.wait_until(lambda: place.waiting == 0)
    whole = old + "".join(text + "\n" for text in texts)
    assert place.read(path) == whole
    assert sizes[1] < len(whole), "it was not killed before the end"


@pytest.mark.parametrize("interrupt", [nothing, kill])
def test_flushes_and_captures_wait_as_well(place: Place, interrupt: Callable[[RunningDaemon], None]) -> None:
    daemon = place.daemon
    case = f"boiler-{interrupt.__name__}"
    owner = OWNER | {"session_id": case}
    said = [{"id": "1", "role": "user", "text": "Where is the boiler?"}]
    daemon.call("session.append", context=owner, messages=said)
    before = place.notes()

    clear = make_read_only(place.disk)
    flushed = daemon.call("flush.append", context=owner, text=f"- {case}", cycle_id="1")
    assert (flushed["appended"], flushed["spooled"]) == (True, True)
    captured = daemon.call("session.end", context=owner, reason="end", capture={"slug": case})
    interrupt(daemon)
    same = daemon.call("flush.append", context=owner, text=f"- {case}", cycle_id="1")
    assert (same["appended"], same["spooled"]) == (False, True)
    assert "note_path" not in daemon.call("session.end", context=owner, capture={"slug": case})
    assert (place.waiting, place.notes()) == (2, before)

    clear()
    daemon.wait_until(lambda: place.waiting == 0)
    assert place.notes() == before | {Path(path).name for path in (flushed["path"], captured["note_path"])}
    assert place.read(flushed["path"]).endswith(f"\n- {case}\n")
    assert place.read(captured["note_path"]).endswith("\n\n> User: Where is the boiler?\n")
    daemon.settle()
    assert (case, "agent") in place.origins(flushed["path"])


def test_the_owner_may_work_on_while_texts_wait(place: Place) -> None:
    """The note is edited and another one deleted meanwhile: what waits comes behind what is then there."""
    daemon = place.daemon
    path = daemon.call("note.append", context=OWNER, slug="edited", text="- firstword")["path"]
    clear = fill_it(place.disk)
    assert daemon.call("note.append", context=OWNER, slug="edited", text=f"- second{LONG}")["spooled"]
    assert daemon.call("note.append", slug="edited", text="- outsideword")["spooled"]
    begun = place.read(path)
    clear()
    daemon.wait_until(lambda: place.waiting == 0)
    assert place.read(path).startswith(begun)

    # What was opened before can still be written to, so that the edit surely comes before memd's next try.
    with (place.disk.seen / path).open("r+", encoding="utf-8") as editor:
        clear = make_read_only(place.disk)
        assert daemon.call("note.append", context=OWNER, slug="edited", text="- third")["spooled"]
        editor.truncate()
        editor.write("- all new\n")
    clear()
    daemon.wait_until(lambda: place.waiting == 0)

    assert place.read(path) == "- all new\n- third\n"
