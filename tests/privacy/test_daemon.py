"""Secrets of people's notes and sessions in a real daemon: where they may be, and where they never are."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from openclaw_memd.domain.secrets import MASK
from tests.daemon.clients import PATIENT, over_http, page
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder
from tests.privacy.providers import Provider, remote_provider
from tests.privacy.samples import BLOCK, LETTERS, PEM

KEY = "sk-test-0000000000000000"
LONG_PEM = PEM.replace(BLOCK, "\n".join([BLOCK] * 60), 1)
SECRETS = {
    "a key": f"export OPENAI_API_KEY={KEY}",
    "a password": "the router's password: hunter2",
    "a card": "the card is 4111 1111 1111 1111.",
    "a block": LONG_PEM,
    "a header": f"Authorization: Bearer {LETTERS}",
    "a JSON key": json.dumps({"client_email": "a@b.example", "private_key": LONG_PEM + "\n"}),
}
TRACES = [KEY, "hunter2", "4111 1111", BLOCK[:24], BLOCK[-24:], "Zm9vYmFy", LETTERS]
"""What would be left of them somewhere; nothing else holds it."""

NAMES = ["sk-test-9999999999999999", "AKIAIOSFODNN7EXAMPLE", f"ghp_{LETTERS[::-1]}"]
OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What a daemon that had much to do with secrets said, sent, and left behind."""

    daemon: RunningDaemon
    provider: Provider
    answers: list[Any]
    errors: list[Any]
    told: str
    log: str


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    with short_folder() as folder, remote_provider() as provider:
        remote = {
            "MEMD_EMBEDDING__PROVIDER": "openai",
            "MEMD_EMBEDDING__BASE_URL": provider.url,
            "MEMD_EMBEDDING__MODEL": "fake",
            "MEMD_LOGGING__LEVEL": "debug",
        }
        with RunningDaemon(folder, env=PATIENT | remote) as daemon:
            answers, errors = work(daemon)
            told = json.dumps([daemon.call("status", deep=True), over_http(daemon, "status")])
            told += page(daemon, "/metrics").text + page(daemon, "/health").text
            daemon.stop()
            yield Seen(daemon, provider, answers, errors, told, daemon.log.read_text(encoding="utf-8"))


def work(daemon: RunningDaemon) -> tuple[list[Any], list[Any]]:
    """Put secrets wherever a caller can put text; the answers and the errors."""
    for number, (name, secret) in enumerate(SECRETS.items()):
        daemon.write(
            f"memory/2026-01-1{number}.md", f"# Of {name}\n\n- so it is written:\n\n{secret}\n\n- end\n"
        )
    daemon.write(f"memory/{NAMES[0]}.md", "- A note under an odd name.\n")
    for name in (f"memory/password={NAMES[0]}.md", "memory/token: hunter2.md"):
        daemon.write(name, "x").write_bytes(b"\0\xff\xfe not text")
    daemon.settle()
    answers, errors = [], []
    with LineClient(daemon.socket) as client:
        for name, secret in SECRETS.items():
            said = [
                {"id": f"1 {name}", "role": "user", "text": f"Remember: {secret}"},
                {"id": f"2 {name}", "role": "assistant", "text": f"I keep\n{secret}\nin mind"},
            ]
            answers.append(client.call("session.append", context=OWNER, messages=said))
            answers.append(client.call("note.append", context=OWNER, text=f"so: {secret}"))
        for secret in SECRETS.values():
            answers.append(client.call("recall.search", context=OWNER, query=f"where is {secret[:1000]}"))
        for name in NAMES:
            errors += refused(client, name)
    daemon.settle()
    daemon.wait_until(lambda: has_all_vectors(daemon))
    return answers, errors


def has_all_vectors(daemon: RunningDaemon) -> bool:
    agent = daemon.agent()
    return bool(agent["chunks"]) and agent["vectors"] >= agent["chunks"]


def refused(client: LineClient, name: str) -> list[Any]:
    """The errors of calls with a secret wherever a name, a number or a word of a kind is due."""
    named = OWNER | {"session_id": name, "agent": name}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall.search", {"query": "boiler", "context": named}),
        ("recall.search", {"query": "boiler", name: name}),
        ("recall.search", {"query": "boiler", f"password:{name}": 1}),
        ("recall.search", {"query": "boiler", "corpus": name}),
        ("recall.search", {"query": "boiler", "max_results": name}),
        ("recall.search", {"query": "boiler", "after": name}),
        ("recall.search", {"query": {name: name}}),
        ("recall.search", {"query": "boiler", "context": OWNER | {"chat_type": name, name: 1}}),
        ("recall.search", {"query": name * 1000}),
        ("recall.get", {"path": f"memory/{name}/none.md"}),
        ("recall.get", {"path": f"../{name}.md"}),
        ("recall.get", {"path": "MEMORY.md", "from": name}),
        ("note.append", {"text": "x", "context": named, "request_key": name}),
        ("note.append", {"text": "x", "slug": f"{name}/../{name}"}),
        ("note.append", {"text": "x", "request_key": {name: 1}}),
        ("note.observe", {"path": f"memory/{name}.txt", "before_hash": name, "after_hash": name}),
        ("session.append", {"context": OWNER, "messages": [{"id": "1", "role": name, "text": name}]}),
        (
            "session.append",
            {"context": OWNER, "messages": [{"id": name, "role": "user", "text": 1, name: 2}]},
        ),
        ("job.cancel", {"id": name}),
        (name, {}),
        (f"{name}.search", {"query": name}),
    ]
    errors = []
    for method, params in calls:
        try:
            client.call(method, **params)
        except DaemonError as error:
            errors.append(error.error)
    for line in (
        f"{{{name}",
        f'"{name}"',
        f'{{"jsonrpc": "{name}", "method": "status", "id": 1}}',
        f"[{name}]",
    ):
        errors.append(client.exchange(line.encode() + b"\n"))
    return errors


@pytest.mark.parametrize("trace", [*TRACES, *NAMES])
def test_no_secret_is_in_the_log_or_an_error_or_the_state(seen: Seen, trace: str) -> None:
    assert len(seen.errors) > 10 * len(NAMES)
    assert [line for line in seen.log.splitlines() if trace in line] == []
    assert [error for error in seen.errors if trace in json.dumps(error)] == []
    assert trace not in seen.told


def test_no_provider_is_sent_a_secret(seen: Seen) -> None:
    sent = "\n".join(seen.provider.texts)
    assert [trace for trace in TRACES if trace in sent] == []
    assert sent.count(MASK) >= 3 * len(SECRETS)
    assert "so it is written" in sent


def test_what_was_said_is_stored_masked(seen: Seen) -> None:
    folder = seen.daemon.state_folder()
    state = "\n".join(read_values(folder / "state.db"))
    index = "\n".join(
        read_values(folder / "index-1.db", "file_id IN (SELECT id FROM files WHERE path LIKE 'sessions/%')")
    )
    for stored in (state, index):
        assert [trace for trace in TRACES if trace in stored] == []
        assert stored.count(MASK) >= 2 * len(SECRETS)


def test_notes_stay_as_they_were_written(seen: Seen) -> None:
    for number, secret in enumerate(SECRETS.values()):
        written = (seen.daemon.workspace / f"memory/2026-01-1{number}.md").read_text(encoding="utf-8")
        assert secret in written
    noted = "".join(
        path.read_text(errors="replace") for path in (seen.daemon.workspace / "memory").glob("*.md")
    )
    assert all(noted.count(secret) == 2 for secret in SECRETS.values())


@pytest.mark.slow
def test_the_local_index_finds_a_note_by_what_is_written_there(seen: Seen) -> None:
    with seen.daemon as daemon:
        assert "memory/2026-01-11.md" in daemon.search_paths("hunter2", corpus="memory")


def read_values(database: Path, chosen: str = "") -> list[str]:
    """Every value of every table, or of the chosen chunks."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        names = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        queries = (
            [f"SELECT * FROM chunks WHERE {chosen}"]
            if chosen
            else [f'SELECT * FROM "{name}"' for name in names]
        )
        return [
            value.decode(errors="replace") if isinstance(value, bytes) else str(value)
            for query in queries
            for row in connection.execute(query)
            for value in row
        ]
