"""Taking a file out of its folder: what others write to it meanwhile is never lost."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from openclaw_memd.errors import ConflictError, DeniedError
from openclaw_memd.files.exchange import Displaced, take_away

TEXT = b"- text\n"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "note.md").write_bytes(TEXT)
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def take(folder: int, made_from: bytes = TEXT) -> Displaced:
    return take_away(folder, "note.md", made_from)


def files(path: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in path.iterdir()}


def just_before_the_rename(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    rename = os.rename

    def act_first(name: str, aside: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        act()
        rename(name, aside, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", act_first)


def test_the_file_is_gone_and_what_was_still_written_is_found(folder: int, tmp_path: Path) -> None:
    with (tmp_path / "note.md").open("ab") as editor:
        displaced = take(folder)
        editor.write(b"- late\n")
    assert displaced.settle() == b"- late\n"
    assert files(tmp_path) == {}


def test_another_version_is_a_conflict_and_stays(folder: int, tmp_path: Path) -> None:
    with pytest.raises(ConflictError):
        take(folder, b"other")
    assert files(tmp_path) == {"note.md": TEXT}


def test_an_edit_at_the_last_moment_is_put_back(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    just_before_the_rename(monkeypatch, lambda: (tmp_path / "note.md").write_bytes(b"edited"))
    with pytest.raises(ConflictError):
        take(folder)
    assert files(tmp_path) == {"note.md": b"edited"}


def test_a_file_that_comes_back_at_the_last_moment_stays_beside_the_edit(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def make_again(descriptor: int) -> None:
        fsync(descriptor)
        (tmp_path / "note.md").write_bytes(b"new")

    just_before_the_rename(monkeypatch, lambda: (tmp_path / "note.md").write_bytes(b"edited"))
    monkeypatch.setattr(os, "fsync", make_again)
    assert take(folder).settle() == b"edited\n"
    assert files(tmp_path) == {"note.md": b"new"}


def test_links_are_refused(folder: int, tmp_path: Path) -> None:
    os.link(tmp_path / "note.md", tmp_path / "second.md")
    with pytest.raises(DeniedError):
        take(folder)
    assert files(tmp_path) == {"note.md": TEXT, "second.md": TEXT}


def test_a_disk_that_fails_leaves_the_file(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.EIO, "")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError):
        take(folder)
    assert files(tmp_path) == {"note.md": TEXT}
