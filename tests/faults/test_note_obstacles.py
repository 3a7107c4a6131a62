"""Notes and their folder are moved, replaced, deleted and edited by others while texts come in."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}
EDITS = int(os.environ.get("MEMD_FAULT_EDITS", "30"))

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    """Each test has a word of its own, and leaves the note as something that texts can be added to."""
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        yield daemon


def append(daemon: RunningDaemon, text: str, **params: Any) -> Any:
    return daemon.call("note.append", context=OWNER, text=text, **params)


def refusal(daemon: RunningDaemon, text: str) -> tuple[str, str]:
    with pytest.raises(DaemonError) as refused:
        append(daemon, text)
    data = refused.value.error["data"]
    return data["kind"], data["reason"]


def link_elsewhere(path: Path, other: Path) -> None:
    path.symlink_to(other)


def link_nowhere(path: Path, other: Path) -> None:
    path.symlink_to(other.with_name("nowhere"))


def link_itself(path: Path, other: Path) -> None:
    path.hardlink_to(other)


def make_pipe(path: Path, _other: Path) -> None:
    os.mkfifo(path)


def make_folder(path: Path, _other: Path) -> None:
    path.mkdir()


def make_file(path: Path, _other: Path) -> None:
    path.write_text("something else\n", encoding="utf-8")


Obstruct = Callable[[Path, Path], None]


@pytest.mark.parametrize(
    ("obstruct", "reason"),
    [
        (link_elsewhere, "symlink"),
        (link_nowhere, "symlink"),
        (make_file, "not_a_folder"),
        (make_pipe, "not_a_folder"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_memory_folder_that_is_something_else_is_not_written_to(
    daemon: RunningDaemon, obstruct: Obstruct, reason: str
) -> None:
    word = "folder" + obstruct.__name__.replace("_", "")
    path = append(daemon, f"- first{word}")["path"]
    daemon.settle()
    old = (daemon.workspace / path).read_bytes()
    memory, aside = daemon.folder / "ws/memory", daemon.folder / "aside"
    other = daemon.folder / f"other {word}"
    other.mkdir()
    memory.rename(aside)
    obstruct(memory, other)

    assert refusal(daemon, "- refusedword") == ("denied", reason)
    assert refusal(daemon, "- refusedword again") == ("denied", reason)
    assert daemon.agent()["spool"]["items"] == 0
    assert list(other.iterdir()) == []
    assert daemon.call("recall.search", query="refusedword")["hits"] == []

    memory.unlink()
    aside.rename(memory)
    answer = append(daemon, f"- second{word}")
    assert (daemon.workspace / path).read_bytes() == old + f"- second{word}\n".encode()
    assert answer["start_line"] == old.count(b"\n") + 1
    daemon.settle()
    assert daemon.search_paths(f"first{word}") == daemon.search_paths(f"second{word}") == [path]


@pytest.mark.parametrize(
    ("obstruct", "reason"),
    [
        (link_elsewhere, "symlink"),
        (link_nowhere, "symlink"),
        (link_itself, "hard_link"),
        (make_folder, "not_regular"),
        (make_pipe, "not_regular"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_note_that_is_something_else_is_not_written_to(
    daemon: RunningDaemon, obstruct: Obstruct, reason: str
) -> None:
    word = "note" + obstruct.__name__.replace("_", "")
    path = append(daemon, f"- first{word}")["path"]
    note, aside = daemon.workspace / path, daemon.folder / "aside"
    other = daemon.folder / f"other {word}"
    other.write_text("of somebody else\n", encoding="utf-8")
    old = note.read_bytes()
    note.rename(aside)
    obstruct(note, other)

    assert refusal(daemon, "- refusedword") == ("denied", reason)
    assert not daemon.call("note.append", text=f"- from elsewhere {word}")["spooled"]
    assert daemon.agent()["spool"]["items"] == 0
    assert other.read_text(encoding="utf-8") == "of somebody else\n"

    if note.is_dir() and not note.is_symlink():
        note.rmdir()
    else:
        note.unlink()
    aside.rename(note)
    assert append(daemon, f"- second{word}")["start_line"] == old.count(b"\n") + 1
    assert note.read_bytes() == old + f"- second{word}\n".encode()


@pytest.mark.slow
def test_a_note_that_was_deleted_begins_anew_and_nothing_comes_back(daemon: RunningDaemon) -> None:
    first = append(daemon, "- deletedword", request_key="k")
    note = daemon.workspace / first["path"]
    header = "".join(note.read_text(encoding="utf-8").splitlines(keepends=True)[:2])
    daemon.settle()
    note.unlink()

    assert append(daemon, "- deletedword", request_key="k") == {**first, "repeated": True}
    assert not note.exists()
    answer = append(daemon, "- newword")

    assert (answer["path"], answer["start_line"]) == (first["path"], 3)
    assert note.read_text(encoding="utf-8") == header + "- newword\n"
    daemon.kill()
    daemon.start()
    daemon.settle()
    assert note.read_text(encoding="utf-8") == header + "- newword\n"
    assert daemon.search_paths("newword") == [first["path"]]
    assert daemon.call("recall.search", query="deletedword", min_score=0)["hits"] == []


def test_a_folder_that_was_deleted_is_made_again(daemon: RunningDaemon) -> None:
    note = daemon.workspace / append(daemon, "- trashedword")["path"]
    daemon.settle()
    memory = note.parent
    memory.rename(daemon.folder / "trash")

    assert append(daemon, "- freshword")["start_line"] == 3
    assert note.read_text(encoding="utf-8").endswith(")\n\n- freshword\n")
    daemon.wait_until(lambda: daemon.search_paths("freshword") == [f"memory/{note.name}"])


@dataclass(frozen=True, slots=True)
class Span:
    """When something was done: a line was appended, or a note was edited."""

    line: str
    from_ns: int
    to_ns: int

    def meets(self, other: "Span") -> bool:
        return self.from_ns <= other.to_ns and other.from_ns <= self.to_ns


def test_an_editor_takes_nothing_but_what_came_while_it_was_open(daemon: RunningDaemon) -> None:
    """An editor saves what it read before, so that it takes away what came since: no more than that."""
    note = daemon.workspace / append(daemon, "- openedword")["path"]
    note.write_text("".join(note.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    appended: list[Span] = []
    edited: list[Span] = []
    due: list[int] = []
    is_over = threading.Event()

    def keep_appending() -> None:
        with LineClient(daemon.socket) as client:
            while not is_over.is_set():
                line = f"- appended {len(appended)}"
                from_ns = time.monotonic_ns()
                answer = client.call("note.append", context=OWNER, text=line)
                assert not answer["spooled"]
                appended.append(Span(line, from_ns, time.monotonic_ns()))

    thread = threading.Thread(target=keep_appending)
    thread.start()
    try:
        for number in range(EDITS):
            edit(daemon, note, f"- edited {number}", edited)
            due.append(len(appended) + 2)
            daemon.wait_until(lambda: len(appended) >= due[-1])
    finally:
        is_over.set()
        thread.join()

    lines = note.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines))
    assert lines[2] == f"- edited {EDITS - 1}"
    assert {span.line for span in edited} <= set(lines)
    kept = [span for span in appended if span.line in lines]
    assert [line for line in lines if line.startswith("- appended")] == [span.line for span in kept]
    for span in appended:
        assert span.line in lines or any(span.meets(edit) for edit in edited), span.line
    assert len(kept) > EDITS // 2
    daemon.settle()
    for number, line in enumerate(lines, start=1):
        answer = daemon.call("recall.get", path=f"memory/{note.name}", lines=1, **{"from": number})
        assert (answer["text"], answer["origin"]) == (line, "agent")


def edit(daemon: RunningDaemon, note: Path, line: str, edited: list[Span]) -> None:
    """Add a line at the top, as an editor that was open for a moment."""
    from_ns = time.monotonic_ns()
    header, blank, *rest = note.read_text(encoding="utf-8").split("\n")
    daemon.write(f"memory/{note.name}", "\n".join([header, blank, line, *rest]))
    edited.append(Span(line, from_ns, time.monotonic_ns()))
