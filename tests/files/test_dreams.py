"""DREAMS.md and the reports on a real disk."""

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from openclaw_memd.domain.dream_pages import put_block
from openclaw_memd.errors import DeniedError
from openclaw_memd.files.dreams import DreamPages
from openclaw_memd.files.roots import Roots
from tests.work import grows_with_length

DAY = date(2026, 1, 20)


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[DreamPages]:
    with Roots(tmp_path) as roots:
        yield DreamPages(roots)


def test_made_edited_and_left_alone(pages: DreamPages, tmp_path: Path) -> None:
    assert pages.read() == ""
    assert pages.edit(lambda text: put_block(text, "deep", "one"))
    assert not pages.edit(lambda text: put_block(text, "deep", "one"))
    assert pages.edit(lambda text: put_block(text, "deep", "two"))
    pages.settle()

    assert "two" in pages.read()
    assert names_in(tmp_path) == ["DREAMS.md"]


def test_no_text_makes_no_file(pages: DreamPages, tmp_path: Path) -> None:
    assert not pages.edit(lambda text: text)
    assert list(tmp_path.iterdir()) == []


def test_odd_bytes_of_people_stay(pages: DreamPages, tmp_path: Path) -> None:
    mine = b"\xef\xbb\xbfmine \xff\x00\r\nlast without an end"
    (tmp_path / "DREAMS.md").write_bytes(mine)

    pages.edit(lambda text: put_block(text, "deep", "one"))

    assert (tmp_path / "DREAMS.md").read_bytes().startswith(mine)


def test_an_old_name_is_kept(pages: DreamPages, tmp_path: Path) -> None:
    (tmp_path / "dreams.md").write_text("mine\n")

    pages.edit(lambda text: put_block(text, "deep", "one"))
    pages.settle()

    assert names_in(tmp_path) == ["dreams.md"]


@pytest.mark.parametrize("kind", ["symlink", "folder", "pipe"])
def test_only_a_file_is_written(pages: DreamPages, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "elsewhere.md"
    target.write_text("mine\n")
    path = tmp_path / "DREAMS.md"
    match kind:
        case "symlink":
            path.symlink_to(target)
        case "folder":
            path.mkdir()
        case _:
            os.mkfifo(path)

    assert pages.read() == ""
    with pytest.raises(DeniedError):
        pages.edit(lambda text: f"{text}x")
    assert target.read_text() == "mine\n"


def test_twenty_megabytes(pages: DreamPages, tmp_path: Path) -> None:
    def edit(megabytes: int) -> None:
        mine = "mine\n" * (megabytes * 1024 * 1024 // 5)
        (tmp_path / "DREAMS.md").write_text(mine)
        pages.edit(lambda text: put_block(text, "deep", "one"))
        pages.edit(lambda text: put_block(text, "deep", "two"))
        assert (tmp_path / "DREAMS.md").read_text().startswith(mine)

    assert grows_with_length(edit, 20)


def test_what_an_editor_still_writes_is_kept(pages: DreamPages, tmp_path: Path) -> None:
    path = tmp_path / "DREAMS.md"
    path.write_text("mine\n")
    with path.open("a") as editor:
        pages.edit(lambda text: put_block(text, "deep", "one"))
        editor.write("late\n")
        editor.flush()
        pages.settle()

    assert path.read_text().endswith("late\n")
    assert names_in(tmp_path) == ["DREAMS.md"]


def test_what_somebody_saves_meanwhile_is_kept(pages: DreamPages, tmp_path: Path) -> None:
    path = tmp_path / "DREAMS.md"
    path.write_text("mine\n")
    saves = iter(["saved\n"])

    def plan(text: str) -> str:
        for save in saves:
            path.write_text(save)
        return put_block(text, "deep", "one")

    pages.edit(plan)

    assert path.read_text().startswith("saved\n")


def test_reports(pages: DreamPages, tmp_path: Path) -> None:
    pages.edit_report("light", DAY, lambda text: text + "one\n")
    pages.edit_report("light", DAY, lambda text: text + "two\n")

    path = tmp_path / "memory" / "dreaming" / "light" / "2026-01-20.md"
    assert path.read_text() == "one\ntwo\n"
    assert names_in(path.parent) == ["2026-01-20.md"]


def test_reports_do_not_go_elsewhere(pages: DreamPages, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "dreaming").symlink_to(elsewhere)

    with pytest.raises(DeniedError):
        pages.edit_report("light", DAY, lambda _text: "one\n")
    assert list(elsewhere.iterdir()) == []


def test_leftovers_go(pages: DreamPages, tmp_path: Path) -> None:
    (tmp_path / "DREAMS.md").write_text("mine\n")
    pages.edit(lambda text: put_block(text, "deep", "one"))
    other = tmp_path / ".memd-0123456789abcdef.new"
    other.write_text("of the curated files")

    with Roots(tmp_path) as roots:
        DreamPages(roots).clean()

    assert sorted(names_in(tmp_path)) == [other.name, "DREAMS.md"]


def test_what_a_kill_leaves_beside_a_report_goes(pages: DreamPages, tmp_path: Path) -> None:
    pages.edit_report("rem", DAY, lambda _text: "one\n")
    folder = tmp_path / "memory" / "dreaming" / "rem"
    (folder / ".memd-0123456789abcdef.new").write_text("half")
    (folder / ".memd-mine.new").write_text("a person's")

    with Roots(tmp_path) as roots:
        DreamPages(roots).clean()

    assert sorted(names_in(folder)) == [".memd-mine.new", "2026-01-20.md"]


def test_at_an_end_those_go_that_nobody_has_open(pages: DreamPages, tmp_path: Path) -> None:
    path = tmp_path / "DREAMS.md"
    path.write_text("mine\n")
    with path.open("a") as editor:
        pages.edit(lambda text: put_block(text, "deep", "one"))
        pages.let_go()
        assert len(names_in(tmp_path)) == 2
        editor.write("late\n")
    pages.let_go()
    assert path.read_text().endswith("late\n")
    assert names_in(tmp_path) == ["DREAMS.md"]
