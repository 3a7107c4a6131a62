"""Replacing a file's content: what others do to the file meanwhile is never lost."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.errors import ConflictError, DeniedError
from openclaw_memd.files import exchange, renaming
from openclaw_memd.files.exchange import Displaced, RevertedError, create_content, replace_content

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
        monkeypatch.setattr(renaming, "find_renameat2", lambda: None)
    path = tmp_path / "note.md"
    path.write_bytes(OLD)
    return path


def replace(folder: int, content: bytes = NEW, made_from: bytes = OLD) -> Displaced:
    return replace_content(folder, "note.md", content, made_from)


def names(path: Path) -> set[str]:
    return {entry.name for entry in path.parent.iterdir()}


def settle_left(refusal: pytest.ExceptionInfo[ConflictError]) -> bytes:
    """What was written to a version that had to go again, if there is one."""
    error = refusal.value
    return error.displaced.settle() if isinstance(error, RevertedError) else b""


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
    def edit(_inode: int) -> None:
        note.write_bytes(b"- edited\n")

    with pytest.raises(ConflictError) as refusal:
        replace_content(folder, "note.md", NEW, OLD, edit)
    assert settle_left(refusal) == b""
    assert note.read_bytes() == b"- edited\n"
    assert names(note) == {"note.md"}


def test_a_file_that_is_renamed_into_place_in_the_last_moment_stays(folder: int, note: Path) -> None:
    def rename(_inode: int) -> None:
        other = note.with_name("other.md")
        other.write_bytes(b"- other\n")
        other.replace(note)

    with pytest.raises(ConflictError) as refusal:
        replace_content(folder, "note.md", NEW, OLD, rename)
    assert settle_left(refusal) == b""
    assert note.read_bytes() == b"- other\n"
    assert names(note) == {"note.md"}


def test_what_commit_raises_leaves_the_file_as_it_was(folder: int, note: Path) -> None:
    def fail(_inode: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        replace_content(folder, "note.md", NEW, OLD, fail)
    assert note.read_bytes() == OLD
    assert names(note) == {"note.md"}


def save(note: Path, content: bytes) -> None:
    """As most editors do."""
    other = note.with_name("other.md")
    other.write_bytes(content)
    other.replace(note)


def just_before_the_way_back(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Act while the new version has the place and is about to go again."""

    def after(go_on: Callable[..., Any]) -> Callable[..., Any]:
        def act_first(*arguments: Any) -> Any:
            act()
            return go_on(*arguments)

        return act_first

    monkeypatch.setattr(exchange, "_swap_back", after(exchange._swap_back))
    monkeypatch.setattr(exchange, "_swap_back_weakly", after(exchange._swap_back_weakly))


def edit_before_the_hash_is_compared(monkeypatch: pytest.MonkeyPatch, edit: Callable[[], object]) -> None:
    """Act when the new version has the place and what came out was not looked at yet."""
    swap = exchange._swap

    def swap_and_edit(*arguments: Any) -> Any:
        found = swap(*arguments)
        edit()
        return found

    monkeypatch.setattr(exchange, "_swap", swap_and_edit)


def aside_of(note: Path) -> Path:
    found = [path for path in note.parent.iterdir() if path.name.startswith(".memd-")]
    assert len(found) == 1
    return found[0]


def test_a_second_save_before_the_file_is_put_back_stays_and_the_first_is_not_lost(
    folder: int, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_before_the_hash_is_compared(monkeypatch, lambda: aside_of(note).write_bytes(OLD + b"- first\n"))
    just_before_the_way_back(monkeypatch, lambda: save(note, b"- second\n"))
    with pytest.raises(RevertedError) as refusal:
        replace(folder)
    assert note.read_bytes() == b"- second\n"
    assert settle_left(refusal) == b"- first\n"
    assert names(note) == {"note.md"}


def test_what_was_written_to_the_new_version_before_it_went_is_found(
    folder: int, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def append() -> None:
        with note.open("ab") as editor:
            editor.write(b"- meanwhile\n")

    edit_before_the_hash_is_compared(monkeypatch, lambda: aside_of(note).write_bytes(b"- edited\n"))
    just_before_the_way_back(monkeypatch, append)
    with pytest.raises(RevertedError) as refusal:
        replace(folder)
    assert note.read_bytes() == b"- edited\n"
    assert settle_left(refusal) == b"- meanwhile\n"
    assert names(note) == {"note.md"}


def test_a_file_that_is_taken_away_before_it_is_put_back_is_not_made_again(
    folder: int, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_before_the_hash_is_compared(monkeypatch, lambda: aside_of(note).write_bytes(OLD + b"- edited\n"))
    just_before_the_way_back(monkeypatch, note.unlink)
    with pytest.raises(RevertedError) as refusal:
        replace(folder)
    assert not note.exists()
    assert settle_left(refusal) == b"- edited\n"


def test_a_folder_that_cannot_be_made_durable_has_the_file_as_it_was(
    folder: int, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def fail(descriptor: int) -> None:
        if descriptor == folder:
            raise OSError(errno.EIO, "broken")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(RevertedError) as refusal:
        replace(folder)
    assert refusal.value.failure is not None
    assert refusal.value.failure.errno == errno.EIO
    assert note.read_bytes() == OLD
    assert settle_left(refusal) == b""
    assert names(note) == {"note.md"}


def test_of_an_old_file_that_is_written_anew_the_new_lines_come_back(folder: int, note: Path) -> None:
    with note.open("r+b") as editor:
        displaced = replace(folder)
        editor.truncate()
        editor.write(b"- of it anew\n" + OLD)
    assert displaced.settle() == b"- of it anew\n"


@pytest.mark.parametrize("has_kernel", [True, False])
def test_a_new_file_takes_the_place_of_none(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_kernel: bool
) -> None:
    if not has_kernel:
        monkeypatch.setattr(renaming, "find_renameat2", lambda: None)
    create_content(folder, "note.md", NEW)
    note = tmp_path / "note.md"
    assert note.read_bytes() == NEW
    assert names(note) == {"note.md"}
    assert note.stat().st_nlink == 1

    def appear(_inode: int) -> None:
        (tmp_path / "other.md").write_bytes(b"- appeared\n")

    with pytest.raises(ConflictError):
        create_content(folder, "other.md", NEW, appear)
    assert (tmp_path / "other.md").read_bytes() == b"- appeared\n"
    assert names(note) == {"note.md", "other.md"}


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
