"""What lies beside a curated file, and whether versions can change places at all."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.files import beside, curated, renaming
from openclaw_memd.files.beside import is_beside, new_name, old_name
from openclaw_memd.files.curated import has_exchange, read_curated, sweep_beside
from openclaw_memd.files.roots import Roots

MOST_BYTES = 1000


@pytest.fixture
def roots(tmp_path: Path) -> Iterator[Roots]:
    with Roots(tmp_path) as found:
        yield found


def test_whether_names_can_be_exchanged_is_tried_and_leaves_nothing(
    roots: Roots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert has_exchange(roots)
    with monkeypatch.context() as patch:
        patch.setattr(renaming, "find_renameat2", lambda: None)
        assert not has_exchange(roots)

    def refuse(*_: object, **__: object) -> int:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(beside.os, "open", refuse)  # type: ignore[attr-defined]
        assert has_exchange(roots)  # nothing can be written there by any way
    assert list(tmp_path.iterdir()) == []


def test_only_what_is_ours_and_not_known_is_swept(roots: Roots, tmp_path: Path) -> None:
    known, unknown = "0123456789abcdef", "fedcba9876543210"
    names = [
        new_name(known),
        old_name(known),
        ".memd-notes.new",
        ".memd-0123.old",
        "MEMORY.md",
        ".memdignore",
    ]
    for name in [*names, new_name(unknown), old_name(unknown)]:
        (tmp_path / name).write_bytes(b"")
    sweep_beside(roots, {known}, time.time_ns())
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert [name for name in names if is_beside(name)] == names[:2]


def test_a_file_in_the_middle_of_being_saved_is_looked_at_again(
    roots: Roots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "MEMORY.md"
    note.write_bytes(b"")
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            note.write_bytes(b"- saved\n")

    monkeypatch.setattr(curated.time, "sleep", wait)  # type: ignore[attr-defined]
    with monkeypatch.context() as patch:  # however slow the machine is, the file was written just now
        patch.setattr(curated.time, "time_ns", lambda: note.stat().st_mtime_ns)  # type: ignore[attr-defined]
        assert read_curated(roots, "MEMORY.md", MOST_BYTES) == b"- saved\n"
    assert len(waits) == 2
    note.write_bytes(b"- a line without an end")
    assert read_curated(roots, "MEMORY.md", MOST_BYTES) == b"- a line without an end"
    seconds = note.stat().st_mtime - 60
    os.utime(note, (seconds, seconds))
    waits.clear()
    assert read_curated(roots, "MEMORY.md", MOST_BYTES) == b"- a line without an end"
    assert waits == []
