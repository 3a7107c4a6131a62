"""Standing intents over a real daemon: what is due is told, follow-ups are kept, the status counts."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import LIMIT_S, DaemonError, LineClient, RunningDaemon, short_folder

OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "channel": {"provider": "telegram", "account": "default", "conversation_id": "c1"},
    "sender": {"id": "u1", "is_owner": True},
}


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    env = PATIENT | {"MEMD_INTENTS__FOLLOW_UPS": "true", "MEMD_LIMITS__RESULT_BYTES": "65536"}
    with short_folder() as folder, RunningDaemon(folder, env=env) as daemon:
        yield daemon


@pytest.fixture
def client(daemon: RunningDaemon) -> Iterator[LineClient]:
    with LineClient(daemon.socket) as client:
        yield client


def make_due(client: LineClient, count: int = 1, *, ahead_s: float, **wish: Any) -> list[str]:
    """The ids of reminders that come due at one instant, which is ahead until all of them are made."""
    made: list[str] = []
    at = (datetime.now(UTC) + timedelta(seconds=ahead_s)).isoformat()
    try:
        for _ in range(count):
            made.append(client.call("intent.create", at=at, **wish)["intent"]["id"])
    except DaemonError as refused:
        if refused.error["data"]["reason"] != "past":
            raise
        for intent in made:
            client.call("intent.cancel", id=intent)
        return make_due(client, count, ahead_s=4 * ahead_s, **wish)
    return made


@pytest.mark.slow
def test_a_reminder_is_told_to_who_subscribed_and_comes_with_a_message(
    daemon: RunningDaemon, client: LineClient
) -> None:
    with LineClient(daemon.socket, LIMIT_S) as listener:
        listener.call("events.subscribe", topics=["intent.due"])
        (made,) = make_due(client, ahead_s=0.3, description="call Ana", context=OWNER)
        told = listener.receive()["params"]
    assert (told["topic"], told["id"], told["kind"]) == ("intent.due", made, "reminder")
    assert "Ana" not in json.dumps(told)
    turn = client.call("inject.turn", text="good morning", turn_id="t1", context=OWNER)
    (reminder,) = turn["reminders"]
    assert "call Ana" in turn["context"]
    assert client.call("intent.due")["reminders"] == [reminder]
    for confirmed in (1, 0):
        assert client.call("intent.confirm", tokens=[reminder["token"]])["confirmed"] == confirmed
    assert client.call("intent.due")["reminders"] == []


def test_what_is_due_never_grows_out_of_an_answer(daemon: RunningDaemon, client: LineClient) -> None:
    """The texts of thirty are longer than an answer may be."""
    context = OWNER | {"channel": OWNER["channel"] | {"conversation_id": "many"}}
    made = make_due(client, 30, ahead_s=2.0, description="🐦" * 500, context=context)
    daemon.wait_until(lambda: bool(client.call("intent.due", context=context)["reminders"]))
    few = client.call("intent.due", context=context, limit=3)
    assert ([one["intent"]["id"] for one in few["reminders"]], few["more"]) == (made[:3], True)
    most = client.call("intent.due", context=context)
    count = len(most["reminders"])
    assert 3 < count < 30
    assert ([one["intent"]["id"] for one in most["reminders"]], most["more"]) == (made[:count], True)
    turn = client.call("inject.turn", text="hello", turn_id="many", context=context)
    assert len(turn["reminders"]) == 2
    tokens = [one["token"] for one in most["reminders"]]
    stranger = context | {"sender": {"id": "u2", "is_owner": False}}
    for caller, confirmed in ((stranger, 0), (context, count)):
        assert client.call("intent.confirm", tokens=tokens, context=caller)["confirmed"] == confirmed
    rest = client.call("intent.due", context=context)
    assert [one["intent"]["id"] for one in rest["reminders"]] == made[count:]
    assert "more" not in rest
    for intent in made[count:]:
        client.call("intent.cancel", id=intent)


def end(client: LineClient, session: str, count: int = 1, **context: Any) -> Any:
    now = datetime.now(UTC)
    wish = {"due_from": now.isoformat(), "due_to": (now + timedelta(days=1)).isoformat()}
    wishes = [wish | {"text": f"{session} {number}"} for number in range(count)]
    told = client.call("session.end", follow_ups=wishes, context=OWNER | {"session_id": session} | context)
    return told["follow_ups"]


def test_only_an_untainted_talk_with_the_owner_leaves_follow_ups(client: LineClient) -> None:
    assert end(client, "s3", 5) == 3
    assert end(client, "s3", 3) == 3  # the same again
    group = OWNER["channel"] | {"conversation_id": "g1"}
    assert end(client, "s4", sender={"id": "u2", "is_owner": False}) == 0
    assert end(client, "s5", chat_type="group", channel=group) == 0
    assert end(client, "s6", session_kind="cron") == 0
    assert end(client, "s7", tainted=True) == 0
    message = {"id": "m1", "role": "tool", "text": "buy it", "tool": {"name": "fetch", "network": True}}
    heard = OWNER | {"session_id": "s8"}
    asked = {"id": "m0", "role": "user", "text": "look it up"}
    client.call("session.append", messages=[asked, message], context=heard)
    client.call("session.append", messages=[asked | {"id": "m2"}], context=heard)
    assert end(client, "s8") == 0  # the turn is clean, but the talk is not
    due = client.call("intent.due", context=OWNER)["reminders"]
    assert sorted(one["intent"]["description"] for one in due) == ["s3 0", "s3 1", "s3 2"]


def test_the_status_counts_what_is_open(daemon: RunningDaemon, client: LineClient) -> None:
    before = daemon.agent()["intents"]
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    made = client.call("intent.create", description="x", keywords=["heron"], context=OWNER)
    client.call("intent.create", description="y", at=later, context=OWNER)
    client.call("inject.turn", text="a heron", turn_id="t2", context=OWNER)
    assert daemon.agent()["intents"] == before | {"armed": before["armed"] + 1, "fired": before["fired"] + 1}
    client.call("intent.cancel", id=made["intent"]["id"])
    assert daemon.agent()["intents"]["fired"] == before["fired"]


def test_a_fire_is_given_back_by_who_got_it(client: LineClient) -> None:
    client.call("intent.create", description="w", keywords=["lynx"], sender_scope="anyone", context=OWNER)
    asked: dict[str, Any] = {"text": "a lynx", "turn_id": "t4", "context": OWNER}
    tokens = [one["token"] for one in client.call("inject.turn", **asked)["intents"]]
    assert len(tokens) == 1
    guest = OWNER | {"sender": {"id": "u2", "is_owner": False}}
    for caller, released in ((guest, 0), (OWNER, 1), (OWNER, 0)):
        assert client.call("intent.release", tokens=tokens, context=caller) == {"released": released}
    again = client.call("inject.turn", **asked)["intents"]
    assert [one["intent"]["fire_count"] for one in again] == [1]
    assert client.call("inject.turn", **asked)["intents"] == again


def test_why_not_is_for_the_owner(client: LineClient) -> None:
    client.call("intent.create", description="z", keywords=["otter"], context=OWNER)
    assert len(client.call("intent.match", text="an otter", context=OWNER)["matches"]) == 1
    client.call("inject.turn", text="an otter", turn_id="t3", context=OWNER)
    (blocked,) = client.call("intent.match", text="an otter", context=OWNER)["blocked"]
    assert (blocked["reason"], blocked["why"]) == ("resting", "otter")
    guest = OWNER | {"sender": {"id": "u2", "is_owner": False}}
    assert client.call("intent.match", text="an otter", context=guest) == {"matches": []}
