import hashlib
import os
import time
from pathlib import Path

import pytest

from openclaw_memd.domain.provenance import Source, Tier
from openclaw_memd.files import beneath
from openclaw_memd.files.beneath import read_file, stat_file
from openclaw_memd.files.catalog import FileText, ListedFile, Skipped, SkipReason
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import Roots
from tests.files.trees import write
from tests.files.unprivileged import as_nobody, open_path

__all__ = ["open_path"]


def _file(relative: str) -> ListedFile:
    return ListedFile(relative, Source.MEMORY, Tier.EPISODIC, WORKSPACE, relative, evergreen=False)


def _read(workspace: Path, relative: str, max_bytes: int = 1000) -> FileText | Skipped:
    with Roots(workspace) as roots:
        return read_file(roots, _file(relative), max_bytes)


def test_text_is_exact_and_the_state_describes_the_bytes(tmp_path: Path) -> None:
    data = "# Töpfe\r\n\n- 周五\n".encode()
    write(tmp_path, {"memory/a.md": data})
    status = (tmp_path / "memory/a.md").stat()
    read = _read(tmp_path, "memory/a.md")
    assert isinstance(read, FileText)
    assert read.text == "# Töpfe\r\n\n- 周五\n"
    assert read.state.hash == hashlib.sha256(data).digest()
    assert read.state.stamp == beneath.stamp_of(status)
    with Roots(tmp_path) as roots:
        assert stat_file(roots, _file("memory/a.md")) == read.state.stamp


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": b"\xef\xbb\xbf# A\n\xef\xbb\xbfb"})
    read = _read(tmp_path, "a.md")
    assert isinstance(read, FileText)
    assert read.text == "# A\n\ufeffb"
    assert read.state.size == 11


def test_an_empty_file_is_empty_text(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": b""})
    read = _read(tmp_path, "a.md")
    assert isinstance(read, FileText)
    assert read.text == ""


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"caf\xe9", SkipReason.NOT_UTF8),
        (b"lone surrogate \xed\xa0\x80", SkipReason.NOT_UTF8),
        (b"a\0b", SkipReason.BINARY),
        (b"\xff\xfea\0", SkipReason.BINARY),
        (b"x" * 1001, SkipReason.TOO_LARGE),
    ],
)
def test_what_is_no_text_is_skipped_with_its_reason(tmp_path: Path, data: bytes, reason: SkipReason) -> None:
    write(tmp_path, {"w.md": data})
    assert _read(tmp_path, "w.md") == Skipped("w.md", reason)


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    write(tmp_path, {"w.md": b"x" * 1000})
    assert isinstance(_read(tmp_path, "w.md"), FileText)


def test_things_that_took_the_place_of_a_file_neither_hang_nor_leak(tmp_path: Path) -> None:
    write(tmp_path, {"target.md": "secret", "sub/x.md": "x"})
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "link.md").symlink_to("target.md")
    (tmp_path / "folder.md").mkdir()
    assert _read(tmp_path, "pipe.md") == Skipped("pipe.md", SkipReason.NOT_REGULAR)
    assert _read(tmp_path, "link.md") == Skipped("link.md", SkipReason.SYMLINK)
    assert _read(tmp_path, "folder.md") == Skipped("folder.md", SkipReason.NOT_REGULAR)
    assert _read(tmp_path, "gone.md") == Skipped("gone.md", SkipReason.VANISHED)
    assert _read(tmp_path, "target.md/x.md") == Skipped("target.md/x.md", SkipReason.VANISHED)
    with Roots(tmp_path) as roots:
        for name in ("pipe.md", "link.md", "folder.md", "gone.md"):
            assert stat_file(roots, _file(name)) is None


def test_a_file_without_permission_is_skipped(open_path: Path) -> None:
    write(open_path, {"x.md": "secret"})
    (open_path / "x.md").chmod(0)
    assert as_nobody(lambda: _read(open_path, "x.md")) == Skipped("x.md", SkipReason.UNREADABLE)


def test_a_file_that_changes_during_each_read_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("first")
    read = os.read
    reads = 0

    def read_and_change(descriptor: int, count: int) -> bytes:
        nonlocal reads
        reads += 1
        data = read(descriptor, count)
        path.write_text(f"change {reads}")
        return data

    monkeypatch.setattr(os, "read", read_and_change)
    assert _read(tmp_path, "a.md") == Skipped("a.md", SkipReason.CHANGING)
    assert reads < 20


def test_a_file_that_changes_during_one_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("first")
    read = os.read

    def change_once(descriptor: int, count: int) -> bytes:
        data = read(descriptor, count)
        if path.read_text() == "first":
            path.write_text("second")
        return data

    monkeypatch.setattr(os, "read", change_once)
    found = _read(tmp_path, "a.md")
    assert isinstance(found, FileText)
    assert found.text == "second"


def test_a_state_is_fresh_until_two_seconds_after_the_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.md": "x"})
    changed_at = (tmp_path / "a.md").stat().st_ctime_ns

    def fresh_after(seconds: float) -> bool:
        monkeypatch.setattr(time, "time_ns", lambda: changed_at + int(seconds * 1e9))
        read = _read(tmp_path, "a.md")
        assert isinstance(read, FileText)
        return read.state.fresh

    assert fresh_after(1.9)
    assert not fresh_after(2.1)
