"""Who sees what, over the socket: two conversations beside one another never see each other's text."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.daemon.clients import MIDDAY, PATIENT
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

OWNER: dict[str, Any] = {
    "session_id": "dm",
    "session_kind": "interactive",
    "chat_type": "direct",
    "channel": {"provider": "telegram", "account": "default", "conversation_id": "c1"},
    "sender": {"id": "u1", "is_owner": True},
}
GROUP: dict[str, Any] = OWNER | {
    "session_id": "g1",
    "chat_type": "group",
    "channel": {"provider": "telegram", "account": "default", "conversation_id": "g1"},
    "sender": {"id": "u2", "is_owner": False},
}
OTHER_GROUP: dict[str, Any] = GROUP | {
    "session_id": "g2",
    "channel": {"provider": "telegram", "account": "default", "conversation_id": "g2"},
}
HOLES: dict[str, dict[str, Any]] = {
    "no sender": {"sender": None},
    "no chat type": {"chat_type": "unknown"},
    "no kind": {"session_kind": "unknown"},
    "not the owner": {"sender": {"id": "u1"}},
}


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT | MIDDAY) as daemon:
        daemon.write("MEMORY.md", "# Memory\n\n- The boiler code is heron seven.\n")
        daemon.write("memory/2026-01-10.md", "- Heron feeding starts in March.\n")
        with LineClient(daemon.socket) as client:
            for context, word in ((OWNER, "privately"), (GROUP, "together"), (OTHER_GROUP, "elsewhere")):
                text = f"The heron was seen {word}."
                client.call("note.append", context=context, text=f"- {text}")
                said = [
                    {"id": "1", "role": "user", "text": text},
                    {"id": "2", "role": "assistant", "text": "Yes."},
                ]
                client.call("session.append", context=context, messages=said)
        daemon.settle()
        yield daemon


def found(client: LineClient, context: dict[str, Any] | None, corpus: str = "all") -> str:
    """All text that a search for the word gives."""
    asked = {} if context is None else {"context": context}
    answer = client.call("recall.search", query="heron", corpus=corpus, max_results=50, min_score=0, **asked)
    return "\n".join([*(hit["text"] for hit in answer["hits"]), answer["context"]])


@pytest.mark.slow
def test_interleaved_calls_never_mix(daemon: RunningDaemon) -> None:
    with LineClient(daemon.socket) as owner, LineClient(daemon.socket) as group:
        for _ in range(150):
            seen = found(owner, OWNER)
            assert all(word in seen for word in ("seven", "March", "privately"))
            seen = found(group, GROUP)
            assert "together" in seen
            assert not any(word in seen for word in ("seven", "March", "privately", "elsewhere"))


def test_the_operator_sees_every_file_and_no_session(daemon: RunningDaemon) -> None:
    with LineClient(daemon.socket) as client:
        seen = found(client, None)
        assert all(word in seen for word in ("seven", "March", "privately", "together", "elsewhere"))
        assert found(client, None, corpus="sessions") == ""


def test_a_session_finds_itself(daemon: RunningDaemon) -> None:
    with LineClient(daemon.socket) as client:
        for context, word in ((OWNER, "privately"), (GROUP, "together")):
            seen = found(client, context, corpus="sessions")
            assert f"User: The heron was seen {word}." in seen
            assert "elsewhere" not in seen


@pytest.mark.parametrize("hole", HOLES)
def test_a_context_with_a_hole_sees_its_own_conversation_only(daemon: RunningDaemon, hole: str) -> None:
    with LineClient(daemon.socket) as client:
        seen = found(client, OWNER | HOLES[hole])
        assert "privately" in seen
        assert not any(word in seen for word in ("seven", "March", "together", "elsewhere"))


def test_what_may_not_be_seen_cannot_be_read(daemon: RunningDaemon) -> None:
    paths = [
        path.name for path in (daemon.workspace / "memory").iterdir() if path.name.endswith("-untrusted.md")
    ]
    (quarantine,) = paths
    with LineClient(daemon.socket) as client:
        for path in (
            "MEMORY.md",
            "memory/2026-01-10.md",
            "sessions/main/dm",
            "sessions/main/g2",
            "AGENTS.md",
        ):
            answer = client.call("recall.get", path=path, context=GROUP)
            assert (answer["status"], answer["text"]) == ("not_found", "")
        answer = client.call("recall.get", path=f"memory/{quarantine}", context=GROUP)
        assert answer["text"].split("\n")[-1] == "- The heron was seen together."
        assert "elsewhere" not in answer["text"]
        answer = client.call("recall.get", path=f"memory/{quarantine}", context=OTHER_GROUP)
        assert answer["text"] == "- The heron was seen elsewhere."
        assert client.call("recall.get", path="sessions/main/g1")["status"] == "not_found"
        own = client.call("recall.get", path="sessions/main/g1", context=GROUP)
        assert own["text"].startswith("User: The heron was seen together.")


def test_only_the_owner_raises_trust(daemon: RunningDaemon) -> None:
    path = "memory/2026-01-10.md"
    with LineClient(daemon.socket) as client:
        assert client.call("memory.trust", path=path, origin="untrusted") == {"changed": 1}
        for asked in ({}, {"context": GROUP}, {"context": OWNER | {"tainted": True}}):
            with pytest.raises(DaemonError) as refusal:
                client.call("memory.trust", path=path, origin="agent", **asked)
            assert refusal.value.error["data"]["kind"] == "denied"
        assert "March" in found(client, OWNER)
        hits = client.call("recall.search", query="feeding March", context=OWNER)["hits"]
        assert {hit["origin"] for hit in hits if "March" in hit["text"]} == {"untrusted"}
        with pytest.raises(DaemonError) as refusal:  # outside text is in this turn now
            client.call("memory.trust", path=path, origin="agent", context=OWNER)
        assert refusal.value.error["data"]["reason"] == "tainted"
        other = OWNER | {"session_id": "by-hand"}
        assert client.call("memory.trust", path=path, origin="agent", context=other) == {"changed": 1}
        hits = client.call("recall.search", query="feeding March", context=OWNER)["hits"]
        assert {hit["origin"] for hit in hits if "March" in hit["text"]} == {"agent"}


def test_status_names_nothing_that_a_narrow_view_hides(daemon: RunningDaemon) -> None:
    (daemon.workspace / "memory" / "secret-plan.md").write_bytes(b"\xff\xfe")
    daemon.settle()
    with LineClient(daemon.socket) as client:
        (whole,) = client.call("status")["agents"]
        (narrow,) = client.call("status", context=GROUP)["agents"]
        assert [skip["path"] for skip in whole["skipped"]] == ["memory/secret-plan.md"]
        assert (narrow["skipped"], narrow["excluded"]) == ([], [])
        answer = client.call("recall.get", path="memory/secret-plan.md", context=GROUP)
        assert answer["status"] == "not_found"
