"""What came of a soak, counted: the daemon's files and answers against the books."""

import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from tests.daemons import LineClient, RunningDaemon
from tests.soak.books import LETTERS, Books

SAMPLE: Final = 300
WHOLE: Final = re.compile(
    rf"|#.*|- [{LETTERS}]{{16}} is (noted|known)|> User: [{LETTERS}]{{16}} is said"
    r"|- (Reason|Session): .*"
)
"""Every line that is written in full, by callers or by memd itself."""

MOST_GROWTH_MB: Final = 60.0
"""Caches fill up to their bounds in a life of the process; more is a leak."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Those before ``calls`` are zero by design."""

    lost: int
    doubled: int
    torn: int
    corrupt: int
    ghosts: int
    unfound: int
    doubly_fired: int
    internal_errors: int
    late_answers: int
    leaked_descriptors: int
    grown_beyond_bound: int
    calls: int
    accepted_lines: int
    unanswered_lines: int
    kills: int
    forgotten: int
    slowest_ms: float
    memory_growth_mb: float

    @property
    def faults(self) -> dict[str, int]:
        """What should have been zero and is not."""
        found = asdict(self)
        names = list(found)
        return {name: found[name] for name in names[: names.index("calls")] if found[name]}

    def table(self) -> str:
        rows = asdict(self)
        width = max(map(len, rows))
        zero = list(rows).index("calls")
        return "\n".join(
            f"{name.replace('_', ' '):<{width}}  {value:>10}"
            + ("  <- must be 0" if number < zero and value else "")
            for number, (name, value) in enumerate(rows.items())
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process holds when nobody asks it anything."""

    descriptors: int
    memory_mb: float


def usage_of(daemon: RunningDaemon) -> Usage:
    process = Path(f"/proc/{daemon.pid}")
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return Usage(len(list((process / "fd").iterdir())), int(status["VmRSS"].split()[0]) / 1024)


def count_corrupt(daemon: RunningDaemon, copy: Path) -> int:
    """How many databases are not whole, as they lie there after a kill."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(daemon.state_folder(), copy)
    found = 0
    for path in copy.glob("*.db"):
        with closing(sqlite3.connect(path)) as connection:
            found += connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]
    return found


def count(daemon: RunningDaemon, books: Books, before: Usage, after: Usage) -> Counts:
    """Look at everything. The daemon runs, rests, and has seen every change."""
    places, torn = read_lines(daemon)
    expected = books.accepted + books.unsure
    growth = after.memory_mb - before.memory_mb
    with LineClient(daemon.socket) as client:
        unfound = sum(not finds(client, line.split()[1]) for line in sample(books, books.accepted))
        unfound += sum(not finds(client, word) for word in books.current.values())
        gone = [*sample(books, books.old), *books.forgotten]
        ghosts = sum(finds(client, word) for word in gone)
    raw = b"".join(path.read_bytes() for path in daemon.workspace.rglob("*.md"))
    ghosts += sum(word.encode() in raw for word in books.forgotten)
    return Counts(
        lost=sum(places[line] == 0 for line in books.accepted),
        doubled=sum(places[line] > 1 for line in expected),
        torn=torn,
        corrupt=books.corrupt + sum("damaged" in one for one in daemon.call("status")["warnings"]),
        ghosts=ghosts,
        unfound=unfound,
        doubly_fired=sum(count > 1 for count in books.fires.values()),
        internal_errors=books.internal + daemon.log.read_text(errors="replace").count('"call failed"'),
        late_answers=len(books.late),
        leaked_descriptors=max(0, after.descriptors - before.descriptors),
        grown_beyond_bound=int(growth > MOST_GROWTH_MB),
        calls=books.calls.total(),
        accepted_lines=len(books.accepted),
        unanswered_lines=len(books.unsure),
        kills=books.kills,
        forgotten=len(books.forgotten),
        slowest_ms=round(books.slowest_ms, 1),
        memory_growth_mb=round(growth, 1),
    )


def read_lines(daemon: RunningDaemon) -> tuple[Counter[str], int]:
    """How often each line stands in the notes and in MEMORY.md, and how many of these files end in one."""
    places: Counter[str] = Counter()
    torn = 0
    files = [*(daemon.workspace / "memory").glob("*.md"), daemon.workspace / "MEMORY.md"]
    for file in files:
        text = file.read_text(errors="replace") if file.exists() else ""
        torn += bool(text) and not text.endswith("\n")
        for line in text.splitlines():
            bare = line.partition(" <!--")[0]
            places[bare] += 1
            torn += not WHOLE.fullmatch(bare)
    return places, torn


def sample(books: Books, words: list[str]) -> list[str]:
    return books.rng.sample(words, min(SAMPLE, len(words)))


def finds(client: LineClient, word: str) -> bool:
    answer: dict[str, Any] = client.call("recall.search", query=word, corpus="all", min_score=0)
    return any(word in hit["text"] for hit in answer["hits"])
