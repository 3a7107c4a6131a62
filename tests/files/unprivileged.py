"""Running a piece of a test as a user whom file modes bind."""

import os
import pickle
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree
from typing import TypeVar

import pytest

T = TypeVar("T")
NOBODY = 65534


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A folder that an unprivileged user reaches and owns; pytest's own are closed to others."""
    path = Path(tempfile.mkdtemp()).resolve()
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    yield path
    for folder in path.rglob("*"):
        if folder.is_dir() and not folder.is_symlink():
            folder.chmod(0o700)
    rmtree(path)


def as_nobody(work: Callable[[], T]) -> T:
    """The result of ``work``, done in a child process without privileges when this one has them."""
    if os.geteuid() != 0:
        return work()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # idle worker threads are no danger to this child
        child = os.fork()
    if child == 0:
        os.close(reading)
        status = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(work(), pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0
    result: T = pickle.loads(data)
    return result
