"""What a message costs against many standing intents, and what fires that should not.

    python -m benchmarks.intents CONVERSATIONS

shows every fire of the sample intents on lines that have nothing to do with them, with its keyword.
"""

import json
import re
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import apsw
import trio

from benchmarks.intent_samples import INTENTS
from benchmarks.report import Row
from benchmarks.run import Run
from benchmarks.timing import Times, timed_s
from benchmarks.words import SEED, spaced
from openclaw_memd.clock import SystemClock
from openclaw_memd.config.sections import Intents as Settings
from openclaw_memd.domain.callers import Caller, Channel, ChatType, Sender
from openclaw_memd.domain.keywords import find_said, keyword_forms, read_message
from openclaw_memd.domain.provenance import SessionKind
from openclaw_memd.domain.spoken import spoken_text
from openclaw_memd.domain.stemming import Stems
from openclaw_memd.index.ledger.intents import add_intent
from openclaw_memd.index.opening import open_state
from openclaw_memd.intents.firing import Firing
from openclaw_memd.intents.wishes import Wish, make_intent
from openclaw_memd.interpreter import look_for_garbage_seldom
from openclaw_memd.zones import Zone

ARMED = 10_000
MESSAGES_CHARS = (100, 1_000, 20_000)
LIMIT_MS = 10.0
"""The target of a whole turn over the socket."""

FUNCTION_WORDS = 150
"""As many of the most frequent words nobody makes a keyword of."""

LINES = 500
SCANNED = 256
_WORD = re.compile(r"\w+")
OWNER = Caller(
    session_id="s1",
    session_kind=SessionKind.INTERACTIVE,
    chat_type=ChatType.DIRECT,
    channel=Channel("telegram", "default", "c1"),
    sender=Sender("u1", is_owner=True),
)


def measure(run: Run) -> Iterator[Row]:
    """Messages of three lengths; the floor is a bare FTS5 OR over the keywords, which checks nothing."""
    look_for_garbage_seldom()  # as the daemon does
    with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder:
        run.progress.say(f"matching messages with {ARMED:,} intents")
        times = trio.run(partial(_measure, Path(folder), run.pick(30, 200)))
    for chars, (own, floor) in times.items():
        what = f"{ARMED:,} intents, message of {chars:,} characters"
        yield Row.at_most(f"{what}, p99", own.p99_ms, "ms", LIMIT_MS)
        yield Row(f"{what}, p50", own.p50_ms, "ms", floor.p50_ms)
    if run.options.locomo is not None:
        fires = list(false_fires(run.options.locomo))
        yield Row(f"fires of {len(INTENTS)} intents on {LINES} unrelated lines", len(fires), "fires")


async def _measure(folder: Path, count: int) -> dict[int, tuple[Times, Times]]:
    random = Random(SEED)
    clock = SystemClock()
    state = open_state(folder / "state", "bench", clock.now).store
    try:
        stems = Stems(("en",))
        keywords = [_keywords(random) for _ in range(ARMED)]
        await state.write(partial(_fill, keywords=keywords, stems=stems))
        floor = _open_floor(keywords)
        firing = Firing(state, stems, clock)
        messages = {chars: [_message(random, chars) for _ in range(count)] for chars in MESSAGES_CHARS}
        return {chars: await _compare(firing, floor, texts) for chars, texts in messages.items()}
    finally:
        await state.aclose()


async def _compare(
    firing: Firing, floor: Callable[[str], object], texts: Sequence[str]
) -> tuple[Times, Times]:
    own: list[float] = []
    bare: list[float] = []
    for text in texts:
        started = trio.current_time()
        await firing.find(OWNER, text)
        own.append(trio.current_time() - started)
        bare.append(timed_s(floor, text))
    return Times.of(own), Times.of(bare)


def _fill(connection: Any, keywords: Sequence[tuple[str, ...]], stems: Stems) -> None:
    now = datetime.now(UTC)
    for one in keywords:
        wish = Wish("mention it", one)
        intent = make_intent(wish, OWNER, str(uuid.uuid4()), now=now, zone=Zone("UTC"), settings=Settings())
        add_intent(connection, intent, keyword_forms(intent.keywords, stems))


def _keywords(random: Random) -> tuple[str, ...]:
    return tuple(_keyword(random) for _ in range(random.randint(1, 6)))


def _keyword(random: Random) -> str:
    common = set(spaced().words[:FUNCTION_WORDS])
    words = (word for word in iter(lambda: spaced().draw(random, 1)[0], None) if word not in common)
    return " ".join(islice(words, random.choice((1, 1, 2, 2, 3))))


def _message(random: Random, chars: int) -> str:
    return " ".join(spaced().draw(random, chars))[:chars]


def _open_floor(keywords: Sequence[tuple[str, ...]]) -> Callable[[str], object]:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE bare USING fts5 (keywords, tokenize = 'unicode61')")
    with connection:
        connection.executemany("INSERT INTO bare VALUES (?)", [(" ".join(one),) for one in keywords])

    def search(text: str) -> object:
        words = dict.fromkeys(_WORD.findall(spoken_text(text).lower()))
        match = " OR ".join(f'"{word}"' for word in words)
        return connection.execute(
            "SELECT rowid FROM bare WHERE bare MATCH ? ORDER BY rowid LIMIT ?", (match, SCANNED)
        ).fetchall()

    return search


def false_fires(path: Path) -> Iterator[tuple[str, str, str]]:
    """Description, keyword and line of each fire of the samples on the first lines of conversations."""
    stems = Stems(("en",))
    for line in islice(_lines(path), LINES):
        said = read_message(spoken_text(line), stems)
        for description, keywords in INTENTS:
            keyword = find_said(keywords, said, stems)
            if keyword is not None:
                yield description, keyword, line


def _lines(path: Path) -> Iterator[str]:
    """The lines of all conversations in turn, so that none of them decides alone."""
    talks = [
        [
            turn["text"]
            for key, turns in one["conversation"].items()
            if isinstance(turns, list)
            for turn in turns
        ]
        for one in json.loads(path.read_text(encoding="utf-8"))
    ]
    for number in range(max(map(len, talks))):
        yield from (talk[number] for talk in talks if number < len(talk))


def main() -> None:
    fires = list(false_fires(Path(sys.argv[1])))
    for description, keyword, line in fires:
        print(f"{keyword!r}: {description}\n    {line}")
    print(f"{len(fires)} fires of {len(INTENTS)} intents on {LINES} lines")


if __name__ == "__main__":
    main()
