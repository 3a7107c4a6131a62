"""The load of a soak: callers of every kind, in threads, over connections that break when memd is killed."""

import json
import random
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.daemons import DaemonError, LineClient, RunningDaemon
from tests.soak.books import Books

READ_DEADLINE_MS = 2_000
TURN_DEADLINE_MS = 250
GRACE_MS = 50
"""How much later than its deadline an answer may come (docs/api.md)."""

LAG_DECAY = 0.998
"""A late awakening counts for some seconds: on a busy machine they come in bursts."""

FILES = 40
PAUSE_S = 0.01
PERMITTED = {"conflict", "unavailable", "overloaded", "deadline", "not_found"}


class GoneError(Exception):
    """The daemon was killed before it answered."""


class NotAskedError(GoneError):
    """It was gone before it was asked."""


class RefusedError(Exception):
    """The daemon refused."""


@dataclass
class Load:
    """Runs until ``stop``. ``lag_ms`` is how late this process itself is woken, which is no fault of memd."""

    daemon: RunningDaemon
    books: Books
    has: frozenset[str]
    is_over: threading.Event = field(default_factory=threading.Event)
    lag_ms: float = 0.0
    failures: list[BaseException] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        work: Sequence[Callable[[Caller], None]] = (
            append_notes,
            append_notes,
            remember,
            talk,
            take_turns,
            search,
            search,
            edit,
            operate,
        )
        for number, one in enumerate(work):
            self._run(one, f"{one.__name__}{number}".replace("_", ""))
        self._threads.append(threading.Thread(target=self._measure_lag, daemon=True))
        self._threads[-1].start()

    def stop(self) -> None:
        self.is_over.set()
        for thread in self._threads:
            thread.join(timeout=90)
        if self.failures:
            raise self.failures[0]

    def _run(self, work: Callable[["Caller"], None], name: str) -> None:
        def run() -> None:
            try:
                Caller(self, name).repeat(work)
            except BaseException as error:  # raised by stop
                self.failures.append(error)
                self.is_over.set()

        self._threads.append(threading.Thread(target=run, daemon=True))
        self._threads[-1].start()

    def _measure_lag(self) -> None:
        while not self.is_over.is_set():
            began_at = time.monotonic()
            time.sleep(0.01)
            late_ms = (time.monotonic() - began_at) * 1_000 - 10
            self.lag_ms = max(late_ms, self.lag_ms * LAG_DECAY)


class Caller:
    """One connection, made anew when it breaks."""

    def __init__(self, load: Load, name: str) -> None:
        self.load = load
        self.name = name
        self.books = load.books
        self.rng = random.Random(f"{name} {load.books.rng.random()}")
        self.turn = 0
        self.about = "nothing"
        self._client: LineClient | None = None

    def repeat(self, work: Callable[["Caller"], None]) -> None:
        while not self.load.is_over.is_set():
            self.turn += 1
            with suppress(GoneError, RefusedError):
                work(self)
            time.sleep(PAUSE_S)
        self._close()

    def context(self, session: str | None = None, *, is_owner: bool = True) -> dict[str, Any]:
        return {
            "session_id": session or self.name,
            "session_kind": "interactive",
            "chat_type": "direct",
            "channel": {"provider": "soak", "account": "default", "conversation_id": self.name},
            "sender": {"id": self.name, "is_owner": is_owner},
        }

    def call(self, method: str, *, deadline_ms: int | None = None, **params: Any) -> Any:
        """The answer; whether it came in time is noted.

        Raises:
            GoneError: there was none.
            RefusedError: for a reason that may be; any other is a fault.
        """
        if deadline_ms is not None:
            params["deadline_ms"] = deadline_ms
        began_at = time.monotonic()
        client = self._connected()
        waited_ms = self.load.daemon.queue_ms()
        try:
            answer = client.call(method, **params)
        except (OSError, json.JSONDecodeError):
            self._close()
            time.sleep(0.05)
            raise GoneError from None
        except DaemonError as error:
            kind = error.error["data"]["kind"]
            self.books.refusals[kind] += 1
            if kind == "internal":
                self.books.internal += 1
            elif kind not in PERMITTED:
                raise
            raise RefusedError from None
        took_ms = (time.monotonic() - began_at) * 1_000
        self.books.calls[method] += 1
        self.books.slowest_ms = max(self.books.slowest_ms, took_ms if deadline_ms else 0.0)
        allowed_ms = GRACE_MS + self.load.lag_ms + max(0.0, self.load.daemon.queue_ms() - waited_ms)
        if deadline_ms is not None and took_ms > deadline_ms + allowed_ms:
            age_s = time.monotonic() - self.books.started_at
            self.books.late.append(
                f"{method}: {took_ms:.0f} ms where {deadline_ms} were given, {age_s:.1f} s after a start"
            )
        return answer

    def write(self, line: str, method: str, **params: Any) -> None:
        """Ask for a line, and keep the books on it; one that was refused as a whole may not be there."""
        try:
            self.call(method, **params)
        except NotAskedError:
            raise
        except (GoneError, RefusedError):
            self.books.take(line, was_answered=False)
            raise
        self.books.take(line, was_answered=True)

    def _close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None

    def _connected(self) -> LineClient:
        if self._client is None:
            try:
                self._client = LineClient(self.load.daemon.socket, timeout_s=60)
            except OSError:
                time.sleep(0.05)
                raise NotAskedError from None
        return self._client


def append_notes(caller: Caller) -> None:
    line = f"- {caller.books.word()} is noted"
    is_owner = caller.rng.random() < 0.8
    params: Mapping[str, Any] = {"text": line, "context": caller.context(is_owner=is_owner)}
    if caller.rng.random() < 0.3:
        caller.write(line, "flush.append", cycle_id=str(caller.turn), **params)
    else:
        caller.write(line, "note.append", request_key=line, **params)


def remember(caller: Caller) -> None:
    if caller.turn % 8 == 0:
        text = f"{caller.books.word()} is known"
        caller.write(f"- {text}", "memory.remember", text=text, context=caller.context())


def talk(caller: Caller) -> None:
    session = f"{caller.name}-{caller.turn // 6}"
    context = caller.context(session)
    said = [{"id": f"{caller.turn}", "role": "user", "text": f"{caller.books.word()} is said"}]
    caller.call("session.append", messages=said, context=context)
    if caller.turn % 6 == 5:
        caller.call("session.end", context=context, capture={"messages": 6})


def take_turns(caller: Caller) -> None:
    """Intents that may fire once; each message speaks of one of the last."""
    if caller.turn % 5 == 1:
        word = caller.books.word()
        made = caller.call(
            "intent.create",
            description=f"tell of {word}",
            keywords=[word],
            max_fires=1,
            context=caller.context(),
        )
        caller.books.fires[made["intent"]["id"]] = 0
        caller.about = word
    answer = caller.call(
        "inject.turn",
        deadline_ms=TURN_DEADLINE_MS,
        text=f"what of {caller.about}?",
        turn_id=f"{caller.name}-{caller.turn}",
        context=caller.context(),
    )
    for fired in answer["intents"]:
        caller.books.fires[fired["intent"]["id"]] += 1


def search(caller: Caller) -> None:
    with caller.books.lock:
        lines = caller.books.accepted[-200:]
    query = caller.rng.choice(lines).split()[1] if lines else "nothing"
    method = caller.rng.choice(["recall.search", "recall.search", "status"])
    params = {"query": query} if method == "recall.search" else {}
    caller.call(method, deadline_ms=READ_DEADLINE_MS, **params)


def edit(caller: Caller) -> None:
    """As people do: write, rename, delete. Each version of a file has a word that no other has."""
    books, rng = caller.books, caller.rng
    path = f"memory/edited/{rng.randrange(FILES)}.md"
    file = caller.load.daemon.workspace / path
    if path in books.current and rng.random() < 0.2:
        file.unlink()
        books.old.append(books.current.pop(path))
        return
    if path in books.current:
        books.old.append(books.current[path])
    books.current[path] = books.word()
    padding = "\n".join(f"line {number} of padding" for number in range(rng.randrange(80)))
    caller.load.daemon.write(path, f"# head\n\n{books.current[path]} is edited\n\n{padding}\n")
    time.sleep(0.05)


def operate(caller: Caller) -> None:
    """What the owner does now and then."""
    match caller.turn % 12:
        case 3:
            caller.call("index.rebuild", wait=True)
        case 6:
            caller.call("dream.run", wait=True)
        case 9:
            forget_something(caller)
        case 11 if "backup.create" in caller.load.has:
            answer = caller.call("backup.create", wait=True)
            shutil.rmtree(caller.load.daemon.folder / "data" / "backups", ignore_errors=True)
            assert answer["bytes"] > 0
        case _:
            caller.call("index.sync")
    time.sleep(0.2)


def forget_something(caller: Caller) -> None:
    """A session and what it noted; it is asked for until it is answered."""
    word, session = caller.books.word(), f"forgotten-{caller.turn}"
    context = caller.context(session)
    caller.call("note.append", text=f"- {word} is noted", context=context)
    caller.call("session.append", messages=[{"id": "1", "role": "user", "text": word}], context=context)
    while not caller.load.is_over.is_set():
        with suppress(GoneError, RefusedError):
            caller.call("forget", session_ids=[session], dry_run=False, wait=True)
            caller.books.forgotten.append(word)
            return
