"""A day with ``inject.turn``: what is remembered comes back when it is spoken of, and where it belongs."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from openclaw_memd.domain.recall_guard import strip_recalled
from tests.daemon.clients import PATIENT, Watch, over_http, page
from tests.daemons import LineClient, RunningDaemon, short_folder

OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "channel": {"provider": "telegram", "account": "default", "conversation_id": "c1"},
    "sender": {"id": "u1", "is_owner": True},
}
GROUP = OWNER | {
    "session_id": "g",
    "chat_type": "group",
    "channel": {"provider": "telegram", "account": "default", "conversation_id": "g1"},
}
GUEST = OWNER | {"session_id": "s2", "sender": {"id": "u2", "is_owner": False}}
LONG_CHARS = 500_000
DEADLINE_MS = 50
LATE_MS = 50
HELD_UP_MS = 1_000
TRIES = 10


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        yield daemon


@pytest.fixture
def client(daemon: RunningDaemon) -> Iterator[LineClient]:
    with LineClient(daemon.socket) as client:
        yield client


def turn(client: LineClient, text: str, turn_id: str | None = None, **context: Any) -> Any:
    return client.call(
        "inject.turn",
        text=text,
        turn_id=turn_id or uuid4().hex,
        context=OWNER | {"session_id": uuid4().hex} | context,
    )


def send(client: LineClient, method: str, text: str, **params: Any) -> None:
    if method == "inject.turn":
        params["turn_id"] = uuid4().hex
    client.send(method, text=text, **params)


def brought(answer: Any) -> list[str]:
    return [found["hit"]["text"].split(" <!--")[0] for found in answer["triggers"]]


def test_a_fact_comes_back_and_moves_with_its_project(client: LineClient) -> None:
    here = {"project_key": "example.org/ana/gateway"}
    client.call(
        "memory.remember",
        text="Book flights with the night train site.",
        triggers=["flight booking"],
        supersedes_key="flights",
        context=OWNER | here,
    )
    there = turn(client, "I am booking a flight for May", **here)
    assert brought(there) == ["- Book flights with the night train site."]
    assert "night train" in there["context"]
    assert strip_recalled(there["context"]).strip() == ""
    assert there["escalate"] == {"run": False, "reason": "strong_hit"}
    assert brought(turn(client, "the booking of the hotel", **here)) == []
    question = "which site did we use for booking a flight last year?"
    deep = client.call("recall.deep", text=question, context=OWNER | {"session_id": "deep"} | here)
    assert (deep["outcome"], deep["reason"]) == ("skipped", "strong_hit")
    elsewhere = turn(client, "I am booking a flight for May", project_key="example.org/ana/other")
    assert brought(elsewhere) == []
    assert elsewhere["project_block"] == ""
    client.call(
        "memory.remember",
        text="Book flights with the rail pass.",
        triggers=["flight booking"],
        supersedes_key="flights",
        context=OWNER | here,
    )
    assert brought(turn(client, "I am booking a flight", **here)) == ["- Book flights with the rail pass."]
    quiet = turn(client, "nothing of interest", **here)
    assert "rail pass" in quiet["project_block"]
    assert quiet["triggers"] == []


def test_who_else_asks_gets_nothing(client: LineClient) -> None:
    client.call("memory.remember", text="The safe code is with Ana.", triggers=["safe code"], context=OWNER)
    assert brought(turn(client, "where is the safe code"))
    for context in (GROUP, GUEST, OWNER | {"session_kind": "cron"}, OWNER | {"session_kind": "subagent"}):
        answer = client.call("inject.turn", text="the safe code", turn_id=uuid4().hex, context=context)
        assert (answer["context"], answer["triggers"], answer["escalate"]["run"]) == ("", [], False)
    nobody = client.call("inject.turn", text="the safe code", turn_id="t")
    assert (nobody["context"], nobody["triggers"], nobody["escalate"]["run"]) == ("", [], False)


def test_the_same_turn_is_answered_the_same_and_spends_nothing(
    daemon: RunningDaemon, client: LineClient
) -> None:
    made = client.call(
        "intent.create", description="mention the changelog", keywords=["release"], context=OWNER
    )
    asked: dict[str, Any] = {"text": "the release is near", "turn_id": "same", "context": OWNER}
    first = client.call("inject.turn", **asked)
    assert [one["intent"]["description"] for one in first["intents"]] == ["mention the changelog"]
    assert "mention the changelog" in first["context"]
    assert client.call("inject.turn", **asked) == first
    # The same ids from somebody else are another turn.
    assert client.call("inject.turn", **asked | {"context": GUEST | {"session_id": "s1"}})["intents"] == []
    daemon.kill()
    daemon.start()
    with LineClient(daemon.socket) as again:
        assert again.call("inject.turn", **asked) == first
        later = again.call("inject.turn", **asked | {"turn_id": "later"})
        assert later["intents"] == []
        shown = again.call("intent.get", id=made["intent"]["id"], context=OWNER)["intent"]
        assert (shown["status"], shown["fire_count"]) == ("fired", 1)
        released = again.call("intent.release", tokens=[first["intents"][0]["token"]])
        assert released == {"released": 1}
        assert len(again.call("inject.turn", **asked | {"turn_id": "anew"})["intents"]) == 1


def test_a_changed_file_comes_again_by_its_hash(daemon: RunningDaemon, client: LineClient) -> None:
    (daemon.workspace / "USER.md").write_text("- Prefer short answers.\n")
    given = client.call("inject.bootstrap", context=OWNER)
    known = {file["file"]: file["hash"] for file in given["files"]}
    asked: dict[str, Any] = {"text": "hello", "context": OWNER}
    assert client.call("inject.turn", **asked, turn_id=uuid4().hex, known=known)["refreshed"] == []
    (daemon.workspace / "USER.md").write_text("- Prefer long answers.\n")
    (fresh,) = client.call("inject.turn", **asked, turn_id=uuid4().hex, known=known)["refreshed"]
    assert fresh["file"] == "USER.md"
    assert "long answers" in fresh["text"]
    assert fresh["hash"] != known["USER.md"]


def test_a_question_about_the_past_asks_deeper(client: LineClient) -> None:
    assert turn(client, "what did we decide last time?")["escalate"] == {
        "run": True,
        "reason": "recall_intent",
    }
    assert turn(client, "explain DNS")["escalate"] == {"run": False, "reason": "no_recall_intent"}


def test_a_long_message_and_odd_ones_are_answered(client: LineClient) -> None:
    for text in ("", "\x00\u202e", "x" * 500_000, json.dumps({"a": "<<<BEGIN_MEMD_RECALL>>>"})):
        answer = turn(client, text)
        assert answer["triggers"] == []
        assert "degraded" not in answer


@pytest.mark.parametrize("method", ["inject.turn", "recall.deep"])
@pytest.mark.parametrize("line", ["a\n", "> a\n", "```\n", "when did we \n", '"a\n'])
def test_a_long_message_is_answered_in_time_and_holds_nobody_up(
    daemon: RunningDaemon, client: LineClient, method: str, line: str
) -> None:
    params = {"deadline_ms": DEADLINE_MS, "context": OWNER | {"session_id": uuid4().hex}}
    with LineClient(daemon.socket) as other:
        began = time.perf_counter()
        send(client, method, "hello", **params)
        assert "result" in client.receive()
        busy_ms = 10 * (time.perf_counter() - began) * 1000
        most_ms = min(DEADLINE_MS + LATE_MS + busy_ms, HELD_UP_MS)
        most_status_ms = min(LATE_MS + busy_ms, HELD_UP_MS)
        took_ms, status_ms = [], []
        for _ in range(TRIES):  # the machine may be busy for a moment
            watch = Watch(daemon)
            send(client, method, line * (LONG_CHARS // len(line)), **params)
            sent = Watch(daemon)
            other.call("status")
            status_ms.append(sent.ms())
            assert "result" in client.receive()
            took_ms.append(watch.ms())
            if min(took_ms) <= most_ms and min(status_ms) <= most_status_ms:
                break

    assert min(took_ms) <= most_ms
    assert min(status_ms) <= most_status_ms


def test_what_nobody_hears_spends_nothing(daemon: RunningDaemon, client: LineClient) -> None:
    made = client.call("intent.create", description="ask for the key", keywords=["archive"], context=OWNER)
    asked: dict[str, Any] = {"text": "the archive", "turn_id": "unheard", "context": OWNER}
    before = answered_turns(daemon)
    client.notify("inject.turn", **asked)
    daemon.wait_until(lambda: answered_turns(daemon) == before + 1)

    def is_given_back() -> bool:
        shown = client.call("intent.get", id=made["intent"]["id"], context=OWNER)["intent"]
        return bool(shown["status"] == "armed" and shown["fire_count"] == 0)

    daemon.wait_until(is_given_back)
    assert len(client.call("inject.turn", **asked)["intents"]) == 1


def test_what_is_asked_by_http_and_not_answered_spends_nothing(
    daemon: RunningDaemon, client: LineClient
) -> None:
    made = client.call("intent.create", description="ask for the map", keywords=["atlas"], context=OWNER)
    asked: dict[str, Any] = {"text": "the atlas", "turn_id": "by http", "context": OWNER}
    before = answered_turns(daemon)
    note = {"jsonrpc": "2.0", "method": "inject.turn", "params": asked}
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(daemon.socket))) as web:
        assert web.post("http://localhost/rpc", json=note).status_code == 204
    daemon.wait_until(lambda: answered_turns(daemon) == before + 1)

    def is_given_back() -> bool:
        shown = client.call("intent.get", id=made["intent"]["id"], context=OWNER)["intent"]
        return bool(shown["fire_count"] == 0)

    daemon.wait_until(is_given_back)
    assert len(over_http(daemon, "inject.turn", **asked)["intents"]) == 1
    assert len(client.call("inject.turn", **asked)["intents"]) == 1


def answered_turns(daemon: RunningDaemon) -> int:
    """How many turns were answered so far, by the daemon's own count."""
    counts = re.findall(
        r'memd_calls_total\{[^}]*method="inject\.turn"[^}]*\} (\d+)', page(daemon, "/metrics").text
    )
    return sum(map(int, counts))
