"""The folder of installed models: one writer at a time, whole files only."""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openclaw_memd.models.download import Progress

_TEMPORARY = ".installing-"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def model_path(folder: Path, name: str) -> Path:
    """Where the model called ``name`` lies in ``folder``."""
    return folder / f"{name}.gguf"


def is_model_name(name: str) -> bool:
    """Whether ``name`` may name a model: letters, digits, dot, dash and underscore, 64 at most."""
    return _NAME.fullmatch(name) is not None


@contextmanager
def writing(folder: Path, progress: Progress) -> Iterator[Path]:
    """A temporary folder inside ``folder``, for one writer at a time; what earlier ones left is removed.

    Raises:
        OSError: the folder cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another installation", 0, None)
            fcntl.flock(lock, fcntl.LOCK_EX)
        for left in folder.glob(f"{_TEMPORARY}*"):
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(
            prefix=_TEMPORARY, dir=folder, ignore_cleanup_errors=True
        ) as temporary:
            yield Path(temporary)
    finally:
        os.close(lock)


def publish(file: Path, target: Path) -> None:
    """Put ``file`` in ``target``'s place in one step, on the disk before it is seen.

    Raises:
        OSError: the disk refuses.
    """
    _sync(file)
    file.replace(target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
