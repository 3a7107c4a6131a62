"""Files put into a place and taken away again, while others write there too."""

import errno
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.files import private, renaming
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.import_asides import NOTHING, at_spot, settle
from openclaw_memd.files.imported import (
    ChangedError,
    back_up,
    place_instead,
    place_new,
    read_backup,
    read_present,
    remove_empty_folders,
    sync_names,
    take_away,
)

PATH = "memory/imports/x/a.md"
OLD, NEW = b"- old\n", b"- new\n"


def digest(data: bytes) -> bytes:
    return sha256(data).digest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    return tmp_path / "ws"


@pytest.fixture
def root(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def test_names_last_when_each_folder_was_synced_once(
    folder: Path, root: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = ["memory/imports/x/a.md", "memory/imports/x/b.md", "memory/imports/y/deep/a.md"]
    for path in paths:
        place_new(root, path, NEW, 10**18)
    take_away(root, paths[2], digest(NEW))
    remove_empty_folders(root, paths[2], "memory/imports")
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    sync_names(root, [*paths, "a.md"])
    expected = [folder / "memory/imports/x", folder / "memory/imports", folder]
    assert sorted(synced) == sorted(one.stat().st_ino for one in expected)


def test_content_lasts_before_it_has_a_name(folder: Path, root: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a power cut could leave a name with half a file, which would count as somebody else's."""
    real = os.fsync
    synced: set[int] = set()

    def note(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    place_new(root, PATH, OLD, 10**18)
    assert (folder / PATH).stat().st_ino in synced
    place_instead(root, PATH, NEW, 10**18, digest(OLD))
    assert (folder / PATH).stat().st_ino in synced


def test_a_new_file_needs_an_empty_place(folder: Path, root: int) -> None:
    place_new(root, PATH, OLD, 10**18)
    assert (folder / PATH).stat().st_mtime_ns == 10**18
    with pytest.raises(ChangedError):
        place_new(root, PATH, NEW, 10**18)
    assert tree(folder) == {PATH: OLD}


def test_only_what_is_expected_is_replaced_or_taken_away(folder: Path, root: int) -> None:
    place_new(root, PATH, OLD, 0)
    with pytest.raises(ChangedError):
        place_instead(root, PATH, NEW, 0, digest(b"other"))
    with pytest.raises(ChangedError):
        take_away(root, PATH, digest(b"other"))
    assert tree(folder) == {PATH: OLD}
    place_instead(root, PATH, NEW, 0, digest(OLD))
    assert tree(folder) == {PATH: NEW}
    take_away(root, PATH, digest(NEW))
    assert tree(folder) == {}


def test_what_is_saved_in_the_last_moment_has_its_place_back(
    folder: Path, root: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor renames its version into the place after the last look at it."""
    place_new(root, PATH, OLD, 0)
    real: Any = renaming.exchange_names

    def exchange(*names: Any) -> None:
        if (folder / PATH).read_bytes() == OLD:
            (folder / "saved").write_bytes(b"- mine\n")
            (folder / "saved").replace(folder / PATH)
        real(*names)

    monkeypatch.setattr(renaming, "exchange_names", exchange)
    with pytest.raises(ChangedError):
        place_instead(root, PATH, NEW, 0, digest(OLD))
    assert tree(folder) == {PATH: b"- mine\n"}


def test_what_is_saved_while_it_is_taken_away_stays(
    folder: Path, root: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_new(root, PATH, OLD, 0)
    real: Any = os.rename

    def rename(*names: Any, **options: Any) -> None:
        (folder / PATH).write_bytes(b"- mine\n")
        real(*names, **options)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(ChangedError):
        take_away(root, PATH, digest(OLD))
    assert tree(folder) == {PATH: b"- mine\n"}


def test_a_disk_that_fills_up_leaves_the_place_as_it_was(
    folder: Path, root: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_new(root, PATH, OLD, 0)

    def write(*_args: Any) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="full"):
        place_instead(root, PATH, NEW, 0, digest(OLD))
    with pytest.raises(OSError, match="full"):
        place_new(root, "memory/imports/x/b.md", NEW, 0)
    assert tree(folder) == {PATH: OLD}


def test_a_backup_is_what_was_read_and_is_read_again(folder: Path, root: int, tmp_path: Path) -> None:
    place_new(root, PATH, OLD, 10**18)
    back_up(root, PATH, tmp_path / "deep/backup", digest(OLD))
    copy = tmp_path / "deep/backup" / PATH
    assert read_backup(copy, digest(OLD)) == (OLD, 10**18)
    assert read_backup(copy, digest(NEW)) is None
    assert read_backup(copy.with_name("none"), digest(OLD)) is None
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "deep/backup").rglob("*")} == {0}
    with pytest.raises(ChangedError):
        back_up(root, PATH, tmp_path / "other", digest(NEW))
    assert not (tmp_path / "other").exists()
    assert tree(folder) == {PATH: OLD}


def test_a_disk_that_does_not_keep_what_it_is_given_is_noticed(
    folder: Path, root: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_new(root, PATH, OLD, 0)

    def open_bad(*args: Any) -> int:
        descriptor = private.open_file(*args)

        def lose(one: int) -> None:
            if one == descriptor:
                os.ftruncate(one, 2)

        monkeypatch.setattr(os, "fsync", lose)
        return descriptor

    monkeypatch.setattr("openclaw_memd.files.imported.open_file", open_bad)
    with pytest.raises(OSError, match="Input/output"):
        back_up(root, PATH, tmp_path / "backup", digest(OLD))


def test_links_are_never_followed(folder: Path, root: int, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.md").write_bytes(OLD)
    (folder / "memory").symlink_to(tmp_path / "out")
    with pytest.raises(OSError, match=r"symbolic|directory"):
        place_new(root, "memory/a.md", NEW, 0)
    (folder / "b.md").symlink_to(tmp_path / "out/a.md")
    assert read_present(root, "b.md") is SkipReason.SYMLINK
    with pytest.raises(ChangedError):
        take_away(root, "b.md", digest(OLD))
    with at_spot(root, "b.md") as spot:
        assert spot.hash("b.md") == NOTHING
    assert tree(tmp_path / "out") == {"a.md": OLD}


def test_only_folders_that_are_empty_go(folder: Path, root: int) -> None:
    place_new(root, "memory/imports/x/deep/a.md", OLD, 0)
    place_new(root, PATH, OLD, 0)
    take_away(root, "memory/imports/x/deep/a.md", digest(OLD))
    remove_empty_folders(root, "memory/imports/x/deep/a.md", "memory/imports")
    assert sorted(path.name for path in (folder / "memory/imports/x").iterdir()) == ["a.md"]
    take_away(root, PATH, digest(OLD))
    remove_empty_folders(root, PATH, "memory/imports")
    assert list((folder / "memory/imports").iterdir()) == []


@pytest.mark.parametrize("kind", ["part", "new", "old"])
@pytest.mark.parametrize("holder", [None, OLD, NEW, b"- mine\n"])
@pytest.mark.parametrize("aside", [OLD, NEW, b"- another\n"])
def test_settling_loses_nothing_that_only_somebody_else_has(
    folder: Path, root: int, kind: str, holder: bytes | None, aside: bytes
) -> None:
    """Whatever lies in the place and beside it: what is not known to the import is there afterwards."""
    (folder / "m").mkdir()
    with at_spot(root, "m/a.md") as spot:
        (folder / "m" / getattr(spot, kind)).write_bytes(aside)
    if holder is not None:
        (folder / "m/a.md").write_bytes(holder)
    known = frozenset({digest(OLD), digest(NEW)})
    settle(root, "m/a.md", known)
    left = tree(folder)
    assert not [path for path in left if "/.memd-" in path]
    foreign = {holder, aside if kind != "part" else None} - {None, OLD, NEW}
    assert foreign <= set(left.values())
    if holder is not None and kind == "part":
        assert left == {"m/a.md": holder}
    settle(root, "m/a.md", known)
    assert tree(folder) == left


def test_settling_where_nothing_is_does_nothing(folder: Path, root: int) -> None:
    settle(root, "memory/imports/x/a.md", frozenset())
    assert tree(folder) == {}
