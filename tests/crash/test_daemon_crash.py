"""kill -9 of a daemon at any moment: afterwards search shows the files, all of them and nothing else."""

import random
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.counts import add
from tests.crash.batches import FEWER_KILLS, Batch, batches
from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

FILES = 24
LETTERS = "bcdfghjklmnpqrstvwxz"  # no digits: an identifier like word123 is also found by its parts
MOST_S = 0.5

pytestmark = pytest.mark.crash


class Author:
    """Writes, renames and deletes notes; every version of a note has a word that no other has."""

    def __init__(self, daemon: RunningDaemon, rng: random.Random) -> None:
        self.words: dict[str, str] = {}
        self.old_words: list[str] = []
        self._daemon = daemon
        self._rng = rng

    def edit(self) -> None:
        path = f"memory/{self._rng.randrange(FILES)}.md"
        file = self._daemon.workspace / path
        choice = self._rng.random()
        if path in self.words and choice < 0.2:
            file.unlink()
            self.old_words.append(self.words.pop(path))
        elif path in self.words and choice < 0.35:
            other = f"memory/renamed-{self._rng.randrange(FILES)}.md"
            file.replace(self._daemon.workspace / other)
            if other in self.words:
                self.old_words.append(self.words.pop(other))
            self.words[other] = self.words.pop(path)
        else:
            if path in self.words:
                self.old_words.append(self.words[path])
            self.words[path] = "".join(self._rng.choices(LETTERS, k=16))
            padding = "\n".join(f"line {number} of padding" for number in range(self._rng.randrange(200)))
            self._daemon.write(path, f"# head\n\n{self.words[path]} end\n\n{padding}\n")


def keep_busy(daemon: RunningDaemon, author: Author, rng: random.Random) -> None:
    """Edits, syncs and rebuilds for a random while."""
    ends_at = time.monotonic() + rng.random() * MOST_S
    with LineClient(daemon.socket) as client:
        while time.monotonic() < ends_at:
            author.edit()
            choice = rng.random()
            if choice < 0.15:
                client.send("index.rebuild")
            elif choice < 0.5:
                client.send("index.sync")


def assert_shows_the_files(daemon: RunningDaemon, author: Author) -> None:
    agent = daemon.settle()
    assert agent["files"] == len(author.words)
    with LineClient(daemon.socket) as client:
        for path, word in author.words.items():
            hits = client.call("recall.search", query=word)["hits"]
            assert {hit["path"] for hit in hits} == {path}
        for word in author.old_words[-60:]:
            assert client.call("recall.search", query=word, corpus="all", min_score=0)["hits"] == []


def assert_is_sound(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("batch", batches(FEWER_KILLS), ids=str)
def test_whenever_it_is_killed_search_shows_the_files_afterwards(batch: Batch) -> None:
    rng = batch.random()
    with short_folder() as folder:
        daemon = RunningDaemon(folder, env=PATIENT)
        author = Author(daemon, rng)
        try:
            daemon.start()
            for _ in range(batch.kills):
                keep_busy(daemon, author, rng)
                daemon.kill()
                daemon.start()
                assert_shows_the_files(daemon, author)
                daemon.wait_until(lambda: repaired(daemon))
        finally:
            daemon.stop()
        names = {path.name for path in daemon.state_folder().iterdir()}
        assert names == {"index-1.db", "state.db", "vectors.db", "lock", "workspace.json"}
        for database in daemon.state_folder().glob("*.db"):
            assert_is_sound(database)
    add("syncs and rebuilds", "corrupt, lost or ghosts", kills=batch.kills, versions=len(author.old_words))


def repaired(daemon: RunningDaemon) -> bool:
    """Whether the look at the databases after an unclean end is over, and found nothing."""
    with suppress(DaemonError):
        report = daemon.call("status", deep=True)
        return bool(report["state"] == "ok" and report["warnings"] == [])
    return False


@pytest.mark.slow
@pytest.mark.parametrize("batch", batches(max(3, FEWER_KILLS // 2)), ids=str)
def test_killed_at_any_moment_of_its_start_it_starts_again(batch: Batch) -> None:
    rng = batch.random()
    with short_folder() as folder:
        daemon = RunningDaemon(folder, env=PATIENT)
        for number in range(40):
            daemon.write(f"memory/{number}.md", f"note number{number}\n")
        for _ in range(batch.kills):
            daemon.launch()
            time.sleep(0.2 + rng.random())
            daemon.kill()
        with daemon:
            daemon.settle()
            assert daemon.agent()["files"] == 40
            assert daemon.search_paths("number7") == ["memory/7.md"]
            assert daemon.call("status", deep=True)["warnings"] == []
    add("starts", "that failed afterwards", kills=batch.kills)
