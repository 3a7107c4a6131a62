"""The session corpus: text for people, only added to, and cut by forgetting alone."""

import os
import stat
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from openclaw_memd.files.roots import Roots
from openclaw_memd.files.session_corpus import add_lines, cut_lines

DAY = date(2026, 1, 11)
ONE, TWO = "[sessions/main/s1#L1] one", "[sessions/main/s1#L2] two"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "memory/.dreams").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def roots(folder: Path) -> Iterator[Roots]:
    with Roots(folder) as made:
        yield made


def place(folder: Path) -> Path:
    return folder / "memory/.dreams/session-corpus/2026-01-11.txt"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in place(folder).parent.iterdir())


def test_lines_are_added_once_in_their_order(folder: Path, roots: Roots) -> None:
    assert add_lines(roots, {DAY: [ONE, ONE]}) == 1
    assert add_lines(roots, {DAY: [ONE.replace("L1", "L9"), TWO]}) == 1
    assert place(folder).read_text() == f"{ONE}\n{TWO}\n"
    assert stat.S_IMODE(place(folder).stat().st_mode) == 0o600


def test_what_is_there_stays_a_prefix(folder: Path, roots: Roots) -> None:
    add_lines(roots, {DAY: [ONE]})
    place(folder).write_bytes(b"\xff by hand")
    add_lines(roots, {DAY: [TWO]})
    assert place(folder).read_bytes() == b"\xff by hand\n" + TWO.encode() + b"\n"


def test_lines_are_cut_and_empty_files_go(folder: Path, roots: Roots) -> None:
    assert cut_lines(roots, lambda _line: False) == 0
    add_lines(roots, {DAY: [ONE, TWO], date(2026, 1, 12): [TWO]})
    (place(folder).parent / "mine.txt").write_text(TWO)
    assert cut_lines(roots, lambda line: line != TWO, dry_run=True) == 2
    assert len(names(folder)) == 3
    assert cut_lines(roots, lambda line: line != TWO) == 2
    assert names(folder) == ["2026-01-11.txt", "mine.txt"]
    assert place(folder).read_text() == f"{ONE}\n"


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_left_alone(folder: Path, roots: Roots, kind: str) -> None:
    place(folder).parent.mkdir()
    outside = folder / "outside.txt"
    outside.write_text("mine")
    match kind:
        case "link":
            place(folder).symlink_to(outside)
        case "pipe":
            os.mkfifo(place(folder))
        case _:
            place(folder).mkdir()
    with pytest.raises(OSError):
        add_lines(roots, {DAY: [ONE]})
    with pytest.raises(OSError):
        cut_lines(roots, lambda _line: False)
    assert outside.read_text() == "mine"


def test_a_link_in_the_place_of_the_folder_is_refused(folder: Path, roots: Roots) -> None:
    (folder / "elsewhere").mkdir()
    place(folder).parent.symlink_to(folder / "elsewhere")
    with pytest.raises(OSError):
        add_lines(roots, {DAY: [ONE]})
    assert list((folder / "elsewhere").iterdir()) == []
