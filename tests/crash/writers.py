"""Writers that use a daemon over their own connections until it is gone, and remember what they asked for."""

import json
import random
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.daemons import LIMIT_S, LineClient, RunningDaemon

LETTERS = "bcdfghjklmnpqrstvwxz"  # no digits: an identifier like word123 is also found by its parts
MOST_MESSAGES = 10  # fewer than a capture takes
LONG_LINES = 120

SAID_TO = {"user": "User", "assistant": "Assistant"}

Line = tuple[str, str]
"""A line as it has to be, and its origin."""


def new_word(rng: random.Random) -> str:
    return "".join(rng.choices(LETTERS, k=16))


@dataclass(slots=True)
class Sent:
    """One call: the ``lines`` that it adds to notes and the messages that it adds to a session.

    ``blocks`` are texts that stand in one piece. No ``answer``: the daemon was gone.
    """

    method: str
    params: dict[str, Any]
    lines: tuple[Line, ...] = ()
    messages: tuple[Line, ...] = ()
    blocks: tuple[str, ...] = ()
    answer: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Role:
    """Who a writer is: the origins of what it writes to notes, asks and is answered."""

    name: str
    is_owner: bool
    tainted: bool
    written: str
    asked: str
    answered: str


ROLES = (
    Role("owner", True, False, written="agent", asked="owner", answered="agent"),
    Role("guest", False, False, written="untrusted", asked="untrusted", answered="untrusted"),
    Role("reader", True, True, written="untrusted", asked="owner", answered="untrusted"),
    Role("partner", True, False, written="agent", asked="owner", answered="agent"),
)
"""A reader's turns all bring in a page of the network, after the question."""


class Writer:
    """Writes in its role, in a thread of its own, until the daemon is gone."""

    def __init__(self, daemon: RunningDaemon, role: Role, rng: random.Random, name: str) -> None:
        self.sent: list[Sent] = []
        self.role = role
        self.rng = rng
        self.name = name
        self._socket = daemon.socket
        self._session = 0
        self._messages: list[Line] = []
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for its end. Raises what went wrong, if that was not the end of the daemon."""
        self._thread.join(timeout=LIMIT_S)
        assert not self._thread.is_alive()
        if self._failure is not None:
            raise self._failure

    def _write(self) -> None:
        try:
            with LineClient(self._socket) as client:
                while True:
                    sent = self._next()
                    self.sent.append(sent)
                    sent.answer = client.call(sent.method, **sent.params)
        except (OSError, json.JSONDecodeError):
            pass  # the daemon is gone
        except BaseException as error:  # raised by join
            self._failure = error

    def _next(self) -> Sent:
        choice = self.rng.random()
        if not self._messages or choice < 0.3:
            return self._append_messages()
        if choice < 0.6:
            return self._append_note()
        if choice < 0.85 and len(self._messages) < MOST_MESSAGES:
            return self._append_flush()
        return self._end_session()

    def _context(self) -> dict[str, Any]:
        return {
            "session_id": f"{self.name}-{self._session}",
            "session_kind": "interactive",
            "chat_type": "direct",
            "sender": {"id": self.role.name, "is_owner": self.role.is_owner},
        }

    def _ask(self, method: str, **params: Any) -> Sent:
        key = f"{self.name}-{len(self.sent)}"
        return Sent(method, {"context": self._context(), "request_key": key, **params})

    def _append_note(self) -> Sent:
        if self.rng.random() < 0.2:
            said = [f"{new_word(self.rng)} is an entry" for _ in range(3)]
            sent = self._ask("note.append", entries=[{"text": text} for text in said])
            return self._written(sent, [f"- {text}" for text in said])
        lines = self._bullets()
        return self._written(self._ask("note.append", text="\n".join(lines)), lines)

    def _append_flush(self) -> Sent:
        lines = self._bullets()
        cycle = str(self.rng.randrange(3))
        return self._written(self._ask("flush.append", text="\n".join(lines), cycle_id=cycle), lines)

    def _bullets(self) -> list[str]:
        count = LONG_LINES if self.rng.random() < 0.05 else self.rng.choice([1, 1, 2, 5])
        return [f"- {new_word(self.rng)} was noted by {self.name}" for _ in range(count)]

    def _written(self, sent: Sent, lines: list[str]) -> Sent:
        sent.lines = tuple((line, self.role.written) for line in lines)
        sent.blocks = ("\n".join(lines) + "\n",)
        return sent

    def _append_messages(self) -> Sent:
        question, answer = new_word(self.rng), new_word(self.rng)
        number = len(self._messages)
        said: list[dict[str, Any]] = [
            {"id": f"{number} asked", "role": "user", "text": f"{question} is asked"},
            {"id": f"{number} answered", "role": "assistant", "text": f"{answer} is answered"},
        ]
        if self.role.tainted:
            page = {"role": "tool", "text": "a page", "tool": {"name": "fetch", "network": True}}
            said.insert(1, {"id": f"{number} read", **page})
        sent = self._ask("session.append", messages=said)
        sent.messages = (
            (f"User: {question} is asked", self.role.asked),
            (f"Assistant: {answer} is answered", self.role.answered),
        )
        self._messages += sent.messages
        return sent

    def _end_session(self) -> Sent:
        sent = self._ask("session.end", reason="end", capture={"messages": 2 * MOST_MESSAGES})
        sent.lines = tuple((f"> {line}", origin) for line, origin in self._messages)
        self._messages.clear()
        self._session += 1
        return sent


class Outsider:
    """A process that adds lines to a file as a shell does, from ``with`` to its end: one at least."""

    def __init__(self, file: Path, name: str) -> None:
        self.lines: list[str] = []
        self._file = file
        self._name = name
        self._is_over = threading.Event()
        self._feeder = threading.Thread(target=self._feed, daemon=True)

    def __enter__(self) -> Self:
        script = 'while IFS= read -r line; do printf "%s\\n" "$line" >> "$1"; done'
        command = ["sh", "-c", script, "sh", str(self._file)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE)
        self._feeder.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._feeder.join()
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(timeout=LIMIT_S) == 0

    def _feed(self) -> None:
        assert self._process.stdin is not None
        while not (self.lines and self._is_over.wait(0.02)):
            line = f"- {self._name} {len(self.lines)} from elsewhere"
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
            self.lines.append(line)


def write_until_killed(daemon: RunningDaemon, rng: random.Random, name: str, for_s: float) -> list[Sent]:
    """Let every role write at once, with rebuilds between, for a while; then kill. What was asked for."""
    writers = [Writer(daemon, role, random.Random(rng.random()), f"{name}{role.name}") for role in ROLES]
    ends_at = time.monotonic() + for_s
    with LineClient(daemon.socket) as client:
        while time.monotonic() < ends_at:
            client.send(rng.choice(["index.sync", "index.sync", "index.sync", "index.rebuild"]))
            time.sleep(min(0.15, max(0.0, ends_at - time.monotonic())))
    daemon.kill()
    for writer in writers:
        writer.join()
    return [sent for writer in writers for sent in writer.sent]


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a note with their numbers."""
    return enumerate(text.removesuffix("\n").split("\n"), start=1)
