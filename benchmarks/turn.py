"""What ``inject.turn`` takes over the socket, with many entries and intents, at rest and during a rebuild."""

import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any, Final

from benchmarks.daemon import UnexpectedAnswerError, settled_daemon
from benchmarks.report import Finding, Row
from benchmarks.run import Run
from benchmarks.timing import Times, timed_s
from openclaw_memd.domain.stopwords import LISTS
from tests.daemons import LineClient, RunningDaemon

ENTRIES: Final = 1_000
INTENTS: Final = 10_000
LIMIT_MS: Final = 10.0
DEADLINE_MS: Final = 250.0
SLACK_MS: Final = 50.0

OWNER: Final[dict[str, Any]] = {
    "session_id": "bench",
    "session_kind": "interactive",
    "chat_type": "direct",
    "channel": {"provider": "bench", "account": "default", "conversation_id": "c1"},
    "sender": {"id": "u1", "is_owner": True},
}


def measure(run: Run) -> Iterator[Finding]:
    """Over the largest index; the floor is a trivial call on the same connection."""
    prepared = run.workspaces.of_chunks(max(run.options.sizes))
    intents = run.pick(INTENTS // 10, INTENTS)
    messages = run.questions(run.pick(100, 400))
    with settled_daemon(prepared) as daemon, LineClient(daemon.socket) as client:
        run.progress.say(f"making {ENTRIES:,} entries and {intents:,} intents")
        _fill(daemon, client, messages, intents)
        what = f"inject.turn, {ENTRIES:,} entries, {intents:,} intents, {prepared.chunks:,} chunks"
        run.progress.say("asking what messages bring along")
        ask = partial(_ask, client, numbers=count())
        for message in messages[:20]:
            ask(message)
        floor = Times.of(timed_s(client.call, "job.list") for _ in messages)
        times = Times.of(timed_s(ask, message) for message in messages)
        yield Row(f"{what}, p50", times.p50_ms, "ms", floor.p50_ms)
        yield Row.at_most(f"{what}, p99", times.p99_ms, "ms", LIMIT_MS)
        run.progress.say("the same during a rebuild")
        daemon.call("index.rebuild")
        worst = max(timed_s(ask, message) for message in messages) * 1000
        is_during = any(job["state"] == "running" for job in daemon.call("job.list")["jobs"])
        during = "during a rebuild" if is_during else "during and after a rebuild"
        yield Row.at_most(f"inject.turn {during}, longest", worst, "ms", DEADLINE_MS + SLACK_MS)


def _ask(client: LineClient, message: str, numbers: Iterator[int]) -> None:
    answer = client.call("inject.turn", text=message, turn_id=str(next(numbers)), context=OWNER)
    if answer.get("degraded"):
        raise UnexpectedAnswerError("an answer to a message was not whole")


def _fill(daemon: RunningDaemon, client: LineClient, messages: Sequence[str], intents: int) -> None:
    """Entries with triggers and intents with keywords, of words that people use."""
    choice = random.Random(1)
    words = sorted({word.strip("?.,!'\"").lower() for message in messages for word in message.split()})
    words = [word for word in words if len(word) > 3 and word not in LISTS["en"]]
    words += [f"{word}{n}" for n in range(20) for word in words]

    def phrase() -> str:
        return " ".join(choice.sample(words, 2))

    lines = [f"- Fact {n}: {phrase()}. <!-- trigger: {phrase()}; {phrase()} -->" for n in range(ENTRIES)]
    daemon.write("MEMORY.md", "\n".join(lines) + "\n")
    daemon.settle()
    for n in range(intents):
        keywords = [phrase(), phrase(), phrase()]
        client.call("intent.create", description=f"intent {n}", keywords=keywords, context=OWNER)
