"""Secrets of every shape, wherever a text may be: none of them in logs, errors, status, metrics or events."""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.counts import tell
from tests.daemon.clients import PATIENT, page
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder
from tests.gateway.schema_params import Params
from tests.privacy.samples import HEX32, KEYS, LETTERS, NAMED

TOPICS = ["intent.due", "dream.finished", "index.synced", "memory.changed", "status.changed"]
OWNER: dict[str, Any] = {"session_id": "s1", "session_kind": "interactive", "chat_type": "direct"} | {
    "sender": {"id": "u1", "is_owner": True}
}
SHORT = 8
"""Pieces that are looked for are longer: shorter ones are words."""

ABOUT_MEMD = ("status", "job.list", "dream.status", "doctor.check", "session.list", "events.subscribe")
"""What memd says of itself, and not of what it remembers."""

pytestmark = pytest.mark.fuzz


def corpus() -> Mapping[str, str]:
    """Each secret as it may stand in a text, by what would be left of it."""
    found = {secret: f"the key of {name} is {secret}" for name, secret in KEYS.items()}
    found |= {
        secret: shape.format(secret)
        for shape, secret in NAMED.items()
        if len(secret) > SHORT and not secret.isalpha()
    }
    return found


@dataclass
class Told:
    """What a daemon that had much to do with secrets said of itself."""

    errors: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)
    log: str = ""


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    told = Told()
    with short_folder() as folder:
        daemon = RunningDaemon(folder, env=PATIENT | {"MEMD_LOGGING__LEVEL": "debug"})
        daemon.start()
        try:
            with LineClient(daemon.socket) as listener:
                listener.call("events.subscribe", topics=TOPICS)
                work(daemon, told)
                told.events = heard(listener)
            with LineClient(daemon.socket) as client:
                for method in ABOUT_MEMD:
                    for params in ({}, {"deep": True}, {"topics": TOPICS}):
                        client.send(method, **params)
                        told.reports.append(json.dumps(client.receive()))
            told.reports += [page(daemon, "/metrics").text, page(daemon, "/health").text]
            told.reports += [daemon.memd("status").stdout, daemon.memd("doctor").stdout]
        finally:
            daemon.stop()
        told.log = daemon.log.read_text(encoding="utf-8")
        yield told


def work(daemon: RunningDaemon, told: Told) -> None:
    secrets = corpus()
    daemon.write("memory/2026-01-11.md", "# Day\n\n" + "".join(f"- {text}\n" for text in secrets.values()))
    daemon.write("MEMORY.md", "# Core\n\n" + "".join(f"- {text}\n" for text in [*secrets.values()][:20]))
    daemon.settle()
    with LineClient(daemon.socket) as client:
        for number, (secret, text) in enumerate(secrets.items()):
            said = [{"id": str(number), "role": "user", "text": text}]
            ask(client, told, "session.append", messages=said, context=OWNER)
            ask(client, told, "note.append", text=f"- {text}", context=OWNER)
            ask(client, told, "recall.search", query=text[:1_000])
            ask(client, told, "inject.turn", text=text, turn_id=str(number), context=OWNER)
            ask(client, told, "memory.remember", text=text, context=OWNER)
            ask(client, told, "intent.create", description=text, keywords=[secret[:60]], context=OWNER)
            ask(client, told, "intent.match", text=text, context=OWNER)
        for method in ("index.sync", "index.rebuild", "dream.run"):
            ask(client, told, method, **({"wait": True} if method != "index.sync" else {}))
        ask(client, told, "forget", query=next(iter(secrets)), dry_run=False, wait=True)
    ask_everything(daemon, told, list(secrets))


def ask(client: LineClient, told: Told, method: str, **params: Any) -> None:
    try:
        client.call(method, **params)
    except DaemonError as error:
        told.errors.append(json.dumps(error.error))


def ask_everything(daemon: RunningDaemon, told: Told, secrets: list[str]) -> None:
    """A secret in every place of every method's params where a text may be, and as a name."""
    rng = random.Random(0)
    params = Params(daemon.call("rpc.discover"), rng)
    for name in sorted(params.methods):
        for turn in range(3):
            secret = rng.choice(secrets)
            made = put_in(params.make(name), secret, rng)
            if turn == 2:
                made[rng.choice([*KEYS.values()])] = secret  # others are secrets beside their names alone
            if rng.random() < 0.5:
                made["context"] = OWNER
            with LineClient(daemon.socket) as client:
                ask(client, told, name, **made)


def put_in(value: Any, secret: str, rng: random.Random) -> Any:
    """``value`` with ``secret`` in place of its texts."""
    if isinstance(value, str):
        return secret if rng.random() < 0.7 else value[:2_000]
    if isinstance(value, list):
        return [put_in(one, secret, rng) for one in value[:5]]
    if isinstance(value, dict):
        return {key: put_in(one, secret, rng) for key, one in value.items()}
    return value


def heard(listener: LineClient) -> list[str]:
    listener._socket.settimeout(0.5)
    events = []
    try:
        while True:
            events.append(json.dumps(listener.receive()))
    except TimeoutError:
        return events


def traces() -> list[str]:
    """What nothing else would hold: each secret, and the letters that many of them are made of."""
    return [*corpus(), LETTERS, HEX32]


@pytest.mark.slow
def test_no_secret_of_any_shape_is_told(told: Told) -> None:
    assert len(corpus()) > 50
    assert len(told.errors) > 100
    assert len(told.events) > 5
    places = {
        "log": told.log,
        "errors": "\n".join(told.errors),
        "events": "\n".join(told.events),
        "reports": "\n".join(told.reports),
    }
    found = [
        (name, trace)
        for name, text in places.items()
        for trace in traces()
        if json.dumps(trace)[1:-1] in text
    ]
    assert found == []
    tell(
        "secrets",
        f"{len(corpus())} shapes, {len(told.errors)} errors, {len(told.events)} events,"
        f" {len(told.log.splitlines())} lines of log, 0 told",
    )
