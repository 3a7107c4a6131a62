"""Files of ours beside others: which are swept, and which nobody has open any more."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.files.beside import is_let_go, new_name, old_name, sweep

TOKEN = "0123456789abcdef"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def test_only_old_files_of_ours_are_swept(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        new_name(TOKEN),
        old_name(TOKEN),
        new_name("f" * 16),
        ".memd-notes.new",
        ".memdignore",
        "a.new",
    ):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / new_name("a" * 16)).mkdir()
    (tmp_path / new_name("b" * 16)).symlink_to(tmp_path / ".memdignore")
    left = {path.name for path in tmp_path.iterdir()} - {new_name(TOKEN), old_name(TOKEN)}

    assert sweep(folder, before_ns=time.time_ns() - 60_000_000_000) == 0, "made since"
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert sweep(folder, before_ns=time.time_ns() + 1) == 0, "another user's"
    monkeypatch.undo()
    assert sweep(folder, before_ns=time.time_ns() + 1, kept={new_name("f" * 16)}) == 2
    assert {path.name for path in tmp_path.iterdir()} == left


def test_a_file_is_let_go_when_nobody_else_has_it_open(folder: int, tmp_path: Path) -> None:
    path = tmp_path / new_name(TOKEN)
    path.write_bytes(b"x")
    assert is_let_go(folder, path.name)
    for mode in ("rb", "ab"):
        with path.open(mode):
            assert not is_let_go(folder, path.name)
    assert is_let_go(folder, path.name)
    assert not is_let_go(folder, "missing")
    assert signal.getsignal(signal.SIGURG) is signal.SIG_DFL, "what a lease sends has to do no harm"
