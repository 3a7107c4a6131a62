"""A file that is written to without a pause."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.daemons import RunningDaemon, short_folder

EVERY_S = 0.001


@contextmanager
def restless(file: Path) -> Iterator[None]:
    """The file's text changes all the time; what it says first and the word ``lasting`` stay."""
    stop = threading.Event()
    file.parent.mkdir(parents=True, exist_ok=True)

    def write() -> None:
        for number in itertools.count():
            temporary = file.with_name(".restless")
            temporary.write_text(f"the lasting word\n\nround{number}\n" + "more\n" * (number % 7))
            temporary.replace(file)
            if stop.wait(EVERY_S):
                return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


@pytest.mark.slow
def test_a_file_that_never_rests_is_found_and_followed() -> None:
    with short_folder() as folder, RunningDaemon(folder) as daemon:
        daemon.wait_until(lambda: daemon.agent()["watch"]["mode"] == "events")
        with restless(daemon.workspace / "memory/log.md"):
            daemon.wait_until(lambda: daemon.agent()["files"] == 1)
            before = daemon.call("index.sync")["generation"]
            daemon.wait_until(lambda: daemon.call("index.sync")["generation"] > before)
            daemon.wait_until(lambda: daemon.search_paths("lasting") == ["memory/log.md"])

        daemon.wait_until(lambda: daemon.search_paths("lasting") == ["memory/log.md"])
        daemon.wait_until(lambda: daemon.agent()["freshness"] == "fresh")
