import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.files.notes import (
    Addition,
    Landing,
    Obstacle,
    ObstacleError,
    append_note,
    complete_note,
    find_beginning,
    find_text,
    measure_note,
)
from openclaw_memd.files.roots import Roots
from tests.files.trees import open_descriptors

PATH = "memory/a.md"
ADDITION = Addition(b"- x\n  y\n", b"# head")
BYTES = st.text("ab\n", max_size=12).map(str.encode)


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    return Roots(tmp_path)


def test_a_note_is_made_with_its_folder(roots: Roots, tmp_path: Path) -> None:
    assert measure_note(roots, PATH) is None
    assert append_note(roots, PATH, ADDITION) == Landing(8, 3, 4)
    assert (tmp_path / PATH).read_bytes() == b"# head\n\n- x\n  y\n"
    assert append_note(roots, PATH, ADDITION) == Landing(16, 5, 6)
    assert measure_note(roots, PATH) == 24


def test_an_empty_note_gets_the_header(roots: Roots, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / PATH).touch()
    append_note(roots, PATH, ADDITION)
    assert (tmp_path / PATH).read_bytes().startswith(b"# head\n\n")


def test_completing_what_is_there_changes_nothing(roots: Roots, tmp_path: Path) -> None:
    first = append_note(roots, PATH, ADDITION)
    with (tmp_path / PATH).open("ab") as file:
        file.write(b"- from outside\n")
    before = (tmp_path / PATH).read_bytes()
    assert complete_note(roots, PATH, ADDITION, 0) == first
    assert (tmp_path / PATH).read_bytes() == before


def test_a_note_that_was_made_shorter_is_looked_through(roots: Roots, tmp_path: Path) -> None:
    append_note(roots, PATH, Addition(b"- long ago, and much more than that\n", b"# head"))
    size = measure_note(roots, PATH)
    assert size is not None
    append_note(roots, PATH, ADDITION)
    (tmp_path / PATH).write_bytes(b"- x\n  y\n")
    assert complete_note(roots, PATH, ADDITION, size) == Landing(0, 1, 2)
    (tmp_path / PATH).write_bytes(b"- z\n")
    assert complete_note(roots, PATH, ADDITION, size) == Landing(4, 2, 3)


@given(BYTES, st.text("ab\n", max_size=6).map(lambda text: text.encode() + b"\n"), st.integers(0, 12))
def test_texts_are_found_from_the_starts_of_lines(data: bytes, text: bytes, since: int) -> None:
    since = min(since, len(data))
    starts = [at for at in range(since, len(data)) if (at == 0 or data[at - 1 : at] == b"\n")]
    assert find_text(data, text, since) == next((at for at in starts if data[at:].startswith(text)), None)
    begun = [at for at in starts if text.startswith(data[at:]) and data[at:] != text]
    assert find_beginning(data, text, since) == (begun[0] if begun else None)


@given(BYTES, st.text("ab\n", min_size=1, max_size=8), st.data())
def test_any_beginning_is_completed_to_the_same_bytes(before: bytes, text: str, data: st.DataObject) -> None:
    addition = Addition(b"- " + text.encode() + b"\n", b"# head")
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / PATH
        note.parent.mkdir()
        note.write_bytes(before)
        with Roots(Path(folder)) as roots:
            append_note(roots, PATH, addition)
            whole = note.read_bytes()
            assert whole.startswith(before)
            cut = data.draw(st.integers(len(before), len(whole)))
            note.write_bytes(whole[:cut])
            complete_note(roots, PATH, addition, len(before))
            assert note.read_bytes() == whole


def test_the_place_of_a_line_is_counted_in_large_notes(roots: Roots, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / PATH).write_bytes(b"line\n" * 600_000)
    assert append_note(roots, PATH, ADDITION) == Landing(3_000_000, 600_001, 600_002)


def test_no_descriptor_is_left_behind(roots: Roots, tmp_path: Path) -> None:
    append_note(roots, PATH, ADDITION)
    before = open_descriptors()
    append_note(roots, PATH, ADDITION)
    measure_note(roots, "memory/none.md")
    (tmp_path / "memory/link.md").symlink_to("a.md")
    os.link(tmp_path / PATH, tmp_path / "other.md")
    for path, obstacle in (("memory/link.md", Obstacle.SYMLINK), (PATH, Obstacle.HARD_LINK)):
        for work in (lambda path: append_note(roots, path, ADDITION), lambda path: measure_note(roots, path)):
            with pytest.raises(ObstacleError) as refused:
                work(path)
            assert refused.value.obstacle is obstacle
    assert open_descriptors() == before
