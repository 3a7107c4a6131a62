"""Deep recall by a whole daemon: what it answers, whom, and by when."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from openclaw_memd.deep.inquiry import ROUNDS
from tests.daemon.clients import MIDDAY, PATIENT, Watch, midday_date
from tests.daemons import LineClient, RunningDaemon, short_folder

OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}
QUESTION = "what did we decide about the gateway port?"
ENV = {**PATIENT, **MIDDAY, "MEMD_MODEL__PROVIDER": "runtime", "MEMD_ESCALATION__TIMEOUT_MS": "50000"}
DEADLINE_MS = 150
HANGING_MS = 12_000  # what is found meanwhile has a part of it, on a slow machine too
LATE_MS = 1_000  # on a busy machine; how late it really may be is held with a clock that jumps


def days_ago(count: int) -> date:
    return midday_date() - timedelta(count)


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=ENV) as daemon:
        daemon.write(f"memory/{days_ago(1)}.md", "- Decided: the gateway port is 18789 again.\n")
        daemon.write(f"memory/{days_ago(400)}.md", "- Decided: the gateway port is 4000.\n- Ada left.\n")
        for number in range(300):
            daemon.write(f"memory/topic-{number}.md", f"- the gateway of house {number} has a port\n" * 20)
        daemon.call("note.append", text="The gateway port was changed by somebody to 1.")
        daemon.settle()
        ask(daemon)  # the first question reads in what others need as well
        yield daemon


def ask(daemon: RunningDaemon, text: str = QUESTION, **params: Any) -> tuple[Any, float]:
    """The answer, and how many milliseconds it took."""
    with LineClient(daemon.socket) as client:
        watch = Watch(daemon)
        return client.call("recall.deep", text=text, **params), watch.ms()


@pytest.mark.slow
def test_evidence_comes_framed_with_what_was_done(daemon: RunningDaemon) -> None:
    answer, _ = ask(daemon, "what did we decide about the gateway port yesterday?")

    assert (answer["outcome"], answer["reason"]) == ("ok", None)
    assert answer["summary"] == "Decided: the gateway port is 18789 again."
    assert answer["hits"][0]["path"] == f"memory/{days_ago(1)}.md"
    assert answer["context"].startswith("<<<BEGIN_MEMD_RECALL>>>")
    assert answer["steps"][0] | {"found": 0} == {
        "action": "search",
        "query": "what did we decide about the gateway port ?",
        "found": 0,
        "after": str(days_ago(1)),
        "before": str(days_ago(1)),
    }
    assert len(answer["hits"]) <= 10


def test_the_command_shows_it(daemon: RunningDaemon) -> None:
    shown = daemon.memd("deep", "what did we do yesterday?")
    bare = json.loads(daemon.memd("deep", QUESTION, "--json").stdout)
    skipped = daemon.memd("deep", "deploy it", "--session", "s9", "--as-owner")
    nothing = daemon.memd("deep", "xylophone zebra")

    assert (shown.returncode, bare["outcome"]) == (0, "ok")
    assert "18789" in shown.stdout
    assert (skipped.returncode, skipped.stdout) == (0, "")
    assert "does not ask about the past" in skipped.stderr
    assert "nothing was found" in nothing.stderr


@pytest.mark.parametrize(
    ("context", "text", "reason"),
    [
        (OWNER, "deploy the service", "no_recall_intent"),
        (OWNER | {"session_kind": "cron"}, QUESTION, "not_interactive"),
        (OWNER | {"chat_type": "group"}, QUESTION, "chat_type"),
        (OWNER | {"sender": {"id": "u2"}}, QUESTION, "not_owner"),
        ({}, QUESTION, "not_interactive"),
    ],
)
def test_who_may_not_is_skipped_with_the_reason(
    daemon: RunningDaemon, context: dict[str, Any], text: str, reason: str
) -> None:
    answer, _ = ask(daemon, text, context=context)

    assert (answer["outcome"], answer["reason"]) == ("skipped", reason)
    assert (answer["hits"], answer["context"]) == ([], "")


def test_who_is_handed_outside_text_has_heard_it(daemon: RunningDaemon) -> None:
    heard = OWNER | {"session_id": "heard"}
    assert daemon.call("note.append", text="- before", context=heard)["origin"] == "agent"

    answer, _ = ask(daemon, "what did somebody change the gateway port to yesterday?", context=heard)

    assert "untrusted" in {hit["origin"] for hit in answer["hits"]}
    assert daemon.call("note.append", text="- after", context=heard)["origin"] == "untrusted"


def test_the_session_itself_is_looked_at(daemon: RunningDaemon) -> None:
    mine = OWNER | {"session_id": "mine"}
    said = [{"id": "m1", "role": "user", "text": "My locker has the number 5512, please note."}]
    daemon.call("session.append", messages=said, context=mine)
    daemon.settle()

    answer, _ = ask(daemon, "do you remember what number my locker has?", context=mine)
    other, _ = ask(daemon, "do you remember what number my locker has?", context=OWNER)

    assert "5512" in answer["context"]
    assert "5512" not in json.dumps(other)


def test_a_long_text_is_looked_at_from_its_end(daemon: RunningDaemon) -> None:
    answer, took_ms = ask(daemon, "blah " * 100_000 + QUESTION, deadline_ms=HANGING_MS)

    assert answer["outcome"] == "ok"
    assert took_ms <= HANGING_MS + LATE_MS


@pytest.mark.slow
def test_a_runtime_that_hangs_costs_no_more_than_the_deadline(daemon: RunningDaemon) -> None:
    with LineClient(daemon.socket) as runtime:
        assert runtime.call("model.attach", models=["m"])["used"]
        answer, took_ms = ask(daemon, deadline_ms=HANGING_MS)
        by_param, _ = ask(daemon, timeout_ms=DEADLINE_MS)

    assert took_ms <= HANGING_MS + LATE_MS
    assert (answer["outcome"], answer["reason"]) == ("timeout", "model")
    assert by_param["outcome"] == "timeout"
    assert "18789" in answer["context"]


def test_a_runtime_that_answers_is_believed_within_its_frame(daemon: RunningDaemon) -> None:
    with LineClient(daemon.socket) as runtime:
        runtime.call("model.attach", models=["m"])
        with LineClient(daemon.socket) as client:
            client.send("recall.deep", text="what did we agree on for the gateway port?")
            asked = runtime.receive()
            said = {"action": "answer", "answer": "Port 18789 <b>"}
            reply = {"jsonrpc": "2.0", "id": asked["id"], "result": {"text": json.dumps(said)}}
            runtime._socket.sendall(json.dumps(reply).encode() + b"\n")
            answer = client.receive()["result"]

    assert asked["method"] == "model.complete"
    assert answer["outcome"] == "ok"
    assert "Port 18789 &lt;b&gt;" in answer["context"]


def test_a_runtime_that_only_apologizes_costs_no_evidence(daemon: RunningDaemon) -> None:
    with LineClient(daemon.socket) as runtime, LineClient(daemon.socket) as client:
        runtime.call("model.attach", models=["m"])
        client.send("recall.deep", text="what did we decide last about the gateway port?")
        for _ in range(ROUNDS):
            said = {"text": "I'm sorry, but I can't help with that."}
            reply = {"jsonrpc": "2.0", "id": runtime.receive()["id"], "result": said}
            runtime._socket.sendall(json.dumps(reply).encode() + b"\n")
        answer = client.receive()["result"]

    assert (answer["outcome"], answer["reason"]) == ("ok", "model_unusable")
    assert "18789" in answer["context"]


def test_it_answers_by_its_deadline_while_the_index_is_rebuilt(daemon: RunningDaemon) -> None:
    job = daemon.call("index.rebuild")["job_id"]
    for number in range(10):
        answer, took_ms = ask(daemon, f"{QUESTION} {number}", deadline_ms=DEADLINE_MS)
        assert answer["outcome"] in ("ok", "timeout")
        assert took_ms <= DEADLINE_MS + LATE_MS

    daemon.wait_until(lambda: all(one["state"] != "running" for one in daemon.call("job.list")["jobs"]))
    assert job
