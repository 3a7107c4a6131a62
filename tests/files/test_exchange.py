"""Replacing a file's content: what others do to the file meanwhile is never lost."""

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.errors import ConflictError, DeniedError
from openclaw_memd.files import exchange
from openclaw_memd.files.exchange import Displaced, replace_content

OLD, NEW = b"- old\n", b"- new\n"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


@pytest.fixture(params=["exchange", "weak"])
def note(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A note, on a file system that can exchange names and on one that cannot."""
    if request.param == "weak":
        monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    path = tmp_path / "note.md"
    path.write_bytes(OLD)
    return path


def digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def replace(folder: int, content: bytes = NEW, made_from: bytes = OLD) -> Displaced:
    return replace_content(folder, "note.md", content, digest(made_from))


def names(path: Path) -> set[str]:
    return {entry.name for entry in path.parent.iterdir()}


def test_the_new_version_takes_the_place_and_the_old_one_goes(folder: int, note: Path) -> None:
    displaced = replace(folder)
    assert note.read_bytes() == NEW
    assert displaced.settle() == b""
    assert names(note) == {"note.md"}


def test_mode_is_kept_even_where_the_umask_would_forbid_it(folder: int, note: Path) -> None:
    note.chmod(0o664)
    replace(folder).settle()
    assert note.stat().st_mode & 0o777 == 0o664


def test_what_an_editor_still_writes_to_the_old_file_is_found(folder: int, note: Path) -> None:
    with note.open("ab") as editor:
        displaced = replace(folder)
        editor.write(b"- late\n")
    assert displaced.settle() == b"- late\n"
    assert names(note) == {"note.md"}


def test_a_file_that_changed_is_a_conflict_and_stays(folder: int, note: Path) -> None:
    note.write_bytes(b"- edited\n")
    with pytest.raises(ConflictError):
        replace(folder)
    assert note.read_bytes() == b"- edited\n"
    assert names(note) == {"note.md"}


def test_a_file_that_changes_in_the_last_moment_is_put_back(folder: int, note: Path) -> None:
    def edit() -> None:
        note.write_bytes(b"- edited\n")

    with pytest.raises(ConflictError):
        replace_content(folder, "note.md", NEW, digest(OLD), edit)
    assert note.read_bytes() == b"- edited\n"
    assert names(note) == {"note.md"}


def test_a_file_that_is_renamed_into_place_in_the_last_moment_stays(folder: int, note: Path) -> None:
    def rename() -> None:
        other = note.with_name("other.md")
        other.write_bytes(b"- other\n")
        other.replace(note)

    with pytest.raises(ConflictError):
        replace_content(folder, "note.md", NEW, digest(OLD), rename)
    assert note.read_bytes() == b"- other\n"
    assert names(note) == {"note.md"}


def test_what_commit_raises_leaves_the_file_as_it_was(folder: int, note: Path) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        replace_content(folder, "note.md", NEW, digest(OLD), fail)
    assert note.read_bytes() == OLD
    assert names(note) == {"note.md"}


def save(note: Path, content: bytes) -> None:
    """As most editors do."""
    other = note.with_name("other.md")
    other.write_bytes(content)
    other.replace(note)


def test_a_second_save_before_the_file_is_put_back_stays(
    folder: int, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap_back = exchange._swap_back

    def save_and_swap_back(*arguments: Any, **more: Any) -> None:
        save(note, b"- second\n")
        swap_back(*arguments, **more)

    monkeypatch.setattr(exchange, "_swap_back", save_and_swap_back)
    with pytest.raises(ConflictError):
        replace_content(folder, "note.md", NEW, digest(OLD), lambda: save(note, b"- first\n"))
    assert note.read_bytes() == b"- second\n"
    assert names(note) == {"note.md"}


def test_a_folder_that_cannot_be_made_durable_has_the_file_as_it_was(
    folder: int, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def fail(descriptor: int) -> None:
        if descriptor == folder:
            raise OSError(errno.EIO, "broken")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="broken"):
        replace(folder)
    assert note.read_bytes() == OLD
    assert names(note) == {"note.md"}


def test_an_old_file_that_is_written_anew_comes_back_whole(folder: int, note: Path) -> None:
    with note.open("r+b") as editor:
        displaced = replace(folder)
        editor.truncate()
        editor.write(b"- all of it anew\n")
    assert displaced.settle() == b"- all of it anew\n"


@pytest.mark.parametrize("step", ["write", "fsync"])
def test_a_full_disk_leaves_the_file_as_it_was(
    folder: int, note: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="full"):
        replace(folder)
    assert note.read_bytes() == OLD
    assert names(note) == {"note.md"}


def make_link(note: Path) -> None:
    note.rename(note.with_name("target"))
    note.symlink_to("target")


def make_twin(note: Path) -> None:
    os.link(note, note.with_name("twin"))


def make_pipe(note: Path) -> None:
    note.unlink()
    os.mkfifo(note)


def make_folder(note: Path) -> None:
    note.unlink()
    note.mkdir()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (make_link, "symlink"),
        (make_twin, "hard_link"),
        (make_pipe, "not_regular"),
        (make_folder, "not_regular"),
    ],
)
def test_what_is_not_one_plain_file_is_refused(
    folder: int, note: Path, make: Callable[[Path], None], reason: str
) -> None:
    make(note)
    before = names(note)
    with pytest.raises(DeniedError) as refusal:
        replace(folder)
    assert refusal.value.reason == reason
    assert names(note) == before


def test_a_file_that_is_gone_is_a_conflict(folder: int, note: Path) -> None:
    note.unlink()
    with pytest.raises(ConflictError):
        replace(folder)
    assert names(note.with_name("x")) == set()
