"""A lock that is held is refused; one that somebody only asked about is not."""

import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memd.errors import ConflictError
from openclaw_memd.files import lock
from openclaw_memd.files.lock import FolderLock


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def hold(path: Path, how: int) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    return descriptor


def test_who_asks_whether_it_is_held_keeps_nobody_from_taking_it(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = hold(tmp_path / "lock", fcntl.LOCK_SH)
    waits: list[float] = []

    def answered(seconds: float) -> None:
        waits.append(seconds)
        os.close(asking)

    monkeypatch.setattr(lock, "PROBED_S", 60.0)
    monkeypatch.setattr(time, "sleep", answered)
    FolderLock(folder).release()
    assert len(waits) == 1


def test_one_that_stays_held_is_refused_soon(folder: int, tmp_path: Path) -> None:
    held = hold(tmp_path / "lock", fcntl.LOCK_EX)
    with pytest.raises(ConflictError) as refused:
        FolderLock(folder)
    assert refused.value.reason == "lock_held"
    os.close(held)
    FolderLock(folder).release()
