"""A transcript that is much larger than memory should be: read beside searches, resumed, no message twice.

MEMD_TRANSCRIPT_MB says how large it is; with 200 it takes minutes.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.crash.writers import new_word
from tests.daemon.clients import PATIENT
from tests.daemons import LineClient, RunningDaemon, short_folder

SIZE_MB = int(os.environ.get("MEMD_TRANSCRIPT_MB", "2"))
MOST_MEMORY_KB = 200 * 1024
WORDS = 40  # of some that occur again and again, in each message
VOCABULARY = 20_000
LIMIT_S = 60 + 6 * SIZE_MB
OWNER: dict[str, Any] = {
    "session_id": "large",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}

pytestmark = pytest.mark.fault


class Transcript:
    """A growing session of a host, where each message has a word of its own."""

    def __init__(self, file: Path) -> None:
        self.words: list[str] = []
        self._file = file
        self._rng = random.Random(20260111)
        self._vocabulary = [new_word(self._rng)[:9] for _ in range(VOCABULARY)]
        file.parent.mkdir()
        record = {"type": "session", "version": 3, "id": "large", "timestamp": "2026-01-11T08:00:00Z"}
        file.write_text(json.dumps(record) + "\n", encoding="utf-8")

    def grow(self, size: int) -> None:
        """Add messages of so many bytes in all, at least one."""
        with self._file.open("a", encoding="utf-8") as file:
            while size > 0:
                size -= file.write(json.dumps(self._message()) + "\n")

    def _message(self) -> dict[str, Any]:
        number = len(self.words)
        self.words.append(new_word(self._rng))
        text = " ".join([self.words[-1], *self._rng.choices(self._vocabulary, k=WORDS)])
        message: dict[str, Any] = {"role": "assistant" if number % 2 else "user"}
        if message["role"] == "user":
            message["__openclaw"] = {"senderIsOwner": True}
        message["content"] = [{"type": "text", "text": text}]
        return {"type": "message", "id": str(number), "timestamp": "2026-01-11T08:15:00Z", "message": message}


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


def count_messages(daemon: RunningDaemon) -> int:
    return sum(session["messages"] for session in daemon.call("session.list")["sessions"])


def count_stored(daemon: RunningDaemon, copy: Path) -> int:
    """How many messages a daemon that was killed had taken in, as a look at a copy tells."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(daemon.state_folder(), copy)
    with closing(sqlite3.connect(copy / "state.db")) as connection:
        (count,) = connection.execute("SELECT count(*) FROM session_messages").fetchone()
    return int(count)


def has_messages(daemon: RunningDaemon, count: int) -> bool:
    return count_messages(daemon) >= count


def peak_memory_kb(daemon: RunningDaemon) -> int:
    """The most memory that the process had so far."""
    status = Path(f"/proc/{daemon.pid}/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1])


def search_until(daemon: RunningDaemon, holds: Callable[[], bool]) -> float:
    """Search again and again until something holds; the longest time in seconds that an answer took."""
    ends_at = time.monotonic() + LIMIT_S
    longest_s = 0.0
    with LineClient(daemon.socket) as client:
        while not holds():
            assert time.monotonic() < ends_at, daemon.read_log()
            began_at = time.monotonic()
            (hit,) = client.call("recall.search", query="noteword")["hits"]
            longest_s = max(longest_s, time.monotonic() - began_at)
            assert hit["path"] == "memory/a.md"
            assert peak_memory_kb(daemon) < MOST_MEMORY_KB
            time.sleep(0.02)
    return longest_s


@pytest.mark.slow
def test_a_large_transcript_is_read_once_beside_searches_and_kills(folder: Path) -> None:
    transcript = Transcript(folder / "transcripts/large.jsonl")
    transcript.grow(SIZE_MB * 750_000)
    config = folder / "config.toml"
    config.write_text(f'[[sessions.folders]]\npath = "{folder}/transcripts"\n', encoding="utf-8")
    daemon = RunningDaemon(folder, env=PATIENT | {"MEMD_CONFIG": str(config)})
    daemon.write("memory/a.md", "noteword\n")
    with daemon:
        daemon.wait_until(lambda: daemon.search_paths("noteword") == ["memory/a.md"])
        cut_off: list[int] = []
        for part in (4, 2):
            search_until(daemon, partial(has_messages, daemon, len(transcript.words) // part))
            os.kill(daemon.pid, signal.SIGSTOP)
            # There is more to read after the kill, though a fast one may have been through with all before.
            transcript.grow(SIZE_MB * 125_000)
            daemon.kill()
            cut_off.append(count_stored(daemon, folder / "copy"))
            assert cut_off[-1] >= len(transcript.words) // (2 * part)  # what it told of was stored
            daemon.start()
            daemon.wait_until(lambda: daemon.search_paths("noteword") == ["memory/a.md"])
        total = len(transcript.words)
        longest_s = search_until(daemon, partial(has_messages, daemon, total))
        search_until(daemon, lambda: len(found_lines(daemon, transcript.words[-1])) == 1)
        daemon.settle()
        print(
            f"{SIZE_MB} MB, {total} messages, cut off after {cut_off}:"
            f" at most {longest_s:.2f} s for an answer, {peak_memory_kb(daemon) // 1024} MB of memory"
        )

        assert count_messages(daemon) == total
        for word in (transcript.words[0], *random.Random(1).choices(transcript.words, k=30)):
            assert len(found_lines(daemon, word)) == 1, word
        transcript.grow(1)
        search_until(daemon, partial(has_messages, daemon, total + 1))
        assert count_messages(daemon) == total + 1
        search_until(daemon, lambda: len(found_lines(daemon, transcript.words[-1])) == 1)
        assert daemon.call("status")["state"] == "ok"


def found_lines(daemon: RunningDaemon, word: str) -> set[tuple[str, int]]:
    """Where a search in the session finds the word; passages may overlap."""
    hits = daemon.call("recall.search", query=word, corpus="sessions", context=OWNER)["hits"]
    return {
        (hit["path"], number)
        for hit in hits
        for number, text in enumerate(hit["text"].split("\n"), start=hit["start_line"])
        if word in text
    }
