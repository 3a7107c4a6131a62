"""Params of every kind for every method of a real daemon, in both protocols: answered, never ``internal``."""

import json
import os
import random
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.counts import tell
from tests.daemon.clients import QUICK
from tests.daemons import LineClient, RunningDaemon, short_folder
from tests.gateway.clients import request
from tests.gateway.schema_params import Params
from tests.gateway.test_fuzz import spoil

CALLS = int(os.environ.get("MEMD_FUZZ_CALLS", "250"))
SECONDS = float(os.environ.get("MEMD_FUZZ_SECONDS", "600"))
SEED = int(os.environ.get("MEMD_FUZZ_SEED", "0"))
CONTEXT = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}
KINDS = {
    "parse",  # a number of more than 64 bits, nesting that is too deep
    "invalid_params",
    "not_found",
    "conflict",
    "denied",
    "unavailable",
    "too_large",
    "overloaded",
    "deadline",
}
LONGEST = 1_000_000
"""Over 1 MiB a line ends its connection once it is refused."""

LOUD = {"events.subscribe", "model.attach"}
"""They make the connection speak of other things as well; each gets one of its own."""

pytestmark = pytest.mark.fuzz


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        running = RunningDaemon(folder, env=QUICK)
        running.write("MEMORY.md", "# Core\n\n- A word. <!-- trigger: word -->\n")
        running.write("memory/a.md", "- word\n- another word\n")
        with running:
            yield running


def params_of(daemon: RunningDaemon, seed: str) -> tuple[Params, random.Random]:
    rng = random.Random(f"{SEED} {seed}")
    return Params(daemon.call("rpc.discover"), rng), rng


def message(params: Params, rng: random.Random, name: str) -> dict[str, Any]:
    made = params.make(name)
    if rng.random() < 0.6:
        made["context"] = CONTEXT
    made.setdefault("deadline_ms", 2_000)
    return {"jsonrpc": "2.0", "id": 1, "method": name, "params": made}


def assert_answer(answer: Any, asked: bytes) -> str:
    """It is a result or an error of the closed set; the kind of it."""
    assert answer["jsonrpc"] == "2.0"
    if "result" in answer:
        return "result"
    error = answer["error"]
    kind: str = error["data"]["kind"]
    assert kind in KINDS, (error, asked[:2_000])
    assert error["data"]["ref"]
    return kind


def test_every_method_answers_whatever_its_params_are(daemon: RunningDaemon) -> None:
    params, rng = params_of(daemon, "params")
    names = sorted(params.methods)
    ends_at = time.monotonic() + SECONDS
    counts: Counter[str] = Counter()
    with LineClient(daemon.socket) as client:
        for number in range(max(CALLS, len(names))):
            if time.monotonic() > ends_at:
                break
            name = names[number % len(names)]
            asked = json.dumps(message(params, rng, name)).encode()
            if name in LOUD or len(asked) > LONGEST:
                with LineClient(daemon.socket) as other:
                    counts[assert_answer(other.exchange(asked + b"\n"), asked)] += 1
            elif number // len(names) % 3 == 2:
                counts[assert_answer(over_http(daemon, asked), asked)] += 1
            else:
                counts[assert_answer(client.exchange(asked + b"\n"), asked)] += 1
    assert counts["result"] > 10
    assert counts["invalid_params"] > 10
    assert '"event": "call failed"' not in daemon.log.read_text(encoding="utf-8")
    tell("every method", f"{counts.total()} calls of {len(names)} methods, 0 internal errors, {dict(counts)}")


def over_http(daemon: RunningDaemon, body: bytes) -> Any:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(str(daemon.socket))
        connection.sendall(request("POST", "/rpc", body, connection="close"))
        with connection.makefile("rb") as file:
            head, _, answer = file.read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    return json.loads(answer)


@pytest.mark.parametrize("protocol", ["line", "http"])
def test_no_bytes_in_place_of_a_message_end_the_daemon(daemon: RunningDaemon, protocol: str) -> None:
    params, rng = params_of(daemon, protocol)
    names = sorted(params.methods.keys() - LOUD)
    ends_at = time.monotonic() + SECONDS
    sent = 0
    for _ in range(CALLS // 2):
        if time.monotonic() > ends_at:
            break
        sent += 1
        made = message(params, rng, rng.choice(names))
        raw = json.dumps(made, ensure_ascii=rng.random() < 0.5).encode()
        whole = spoil(rng, raw) if protocol == "line" else spoil(rng, request("POST", "/rpc", raw))
        with socket.socket(socket.AF_UNIX) as connection, suppress(BrokenPipeError, ConnectionResetError):
            connection.settimeout(30)
            connection.connect(str(daemon.socket))
            connection.sendall(whole + b"\n")
            connection.shutdown(socket.SHUT_WR)
            said = b""
            while part := connection.recv(65_536):
                said += part
            assert b"Traceback" not in said
    assert daemon.process is not None
    assert daemon.process.poll() is None
    assert daemon.call("status")["pid"] == daemon.pid
    assert '"event": "call failed"' not in daemon.log.read_text(encoding="utf-8")
    assert '"connection failed"' not in daemon.log.read_text(encoding="utf-8")
    tell("spoiled messages", f"{sent}, {protocol}, 0 unanswered")
