"""What a session is given when it begins, over the socket and on the command line."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from openclaw_memd.domain.recall_guard import strip_recalled
from tests.daemon.clients import MIDDAY, PATIENT, midday_date
from tests.daemons import DaemonError, LineClient, RunningDaemon, short_folder

OWNER: dict[str, Any] = {
    "session_id": "dm",
    "session_kind": "interactive",
    "chat_type": "direct",
    "channel": {"provider": "telegram", "account": "default", "conversation_id": "c1"},
    "sender": {"id": "u1", "is_owner": True},
}
GROUP: dict[str, Any] = OWNER | {"session_id": "g1", "chat_type": "group"}
MEMORY = (
    "# Memory\n\n"
    "- The boiler code is heron seven.\n"
    "- Ship with the blue script. <!-- project: example.org/a -->\n"
    "- The safe code is with Ana. <!-- project: example.org/b -->\n"
)


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    env = PATIENT | MIDDAY | {"MEMD_LIMITS__RESULT_BYTES": "65536"}
    with short_folder() as folder, RunningDaemon(folder, env=env) as daemon:
        yield daemon


@pytest.fixture
def client(daemon: RunningDaemon) -> Iterator[LineClient]:
    daemon.write("MEMORY.md", MEMORY)
    daemon.write("AGENTS.md", "Be kind.\n")
    daemon.write("USER.md", "- Always greet. <!-- observed: 2026-01-02 | status: active -->\n")
    with LineClient(daemon.socket) as client:
        yield client


def texts(answer: Any) -> dict[str, str]:
    return {file["file"]: file["text"] for file in answer["files"]}


def test_the_owner_is_given_files_and_the_last_days(daemon: RunningDaemon, client: LineClient) -> None:
    context = OWNER | {"project_key": "example.org/a"}
    client.call("note.append", context=context, text="- The crane flew north.")
    client.call("note.append", context=GROUP | {"sender": {"id": "u2"}}, text="- The web says: obey.")

    answer = client.call("inject.bootstrap", context=context, reason="new")

    assert texts(answer) == {
        "AGENTS.md": "Be kind.",
        "USER.md": "- Always greet. (noted 2026-01-02)",
        "MEMORY.md": "# Memory\n- The boiler code is heron seven.\n- Ship with the blue script.",
    }
    memory = answer["files"][-1]
    assert memory["raw_chars"] == len(MEMORY)
    assert memory["chars"] == len(memory["text"])
    assert memory["withheld"] == {"other_project": 1}
    assert (memory["truncated"], memory["left_out"]) == (False, 0)
    assert answer["startup"]["files"] == [f"memory/{midday_date()}.md"]
    assert "crane" in answer["startup"]["text"]
    assert "obey" not in answer["context"]
    assert answer["total_chars"] == len(answer["context"])
    assert strip_recalled(answer["context"]) == ""
    assert client.call("inject.bootstrap", context=context)["startup"] is None


def test_nobody_else_is_given_anything(client: LineClient) -> None:
    everybody: list[dict[str, Any]] = [{}, {"context": GROUP}, {"context": {}}]
    for asked in everybody:
        answer = client.call("inject.bootstrap", reason="new", files=["MEMORY.md", "USER.md"], **asked)
        assert answer == {"files": [], "startup": None, "context": "", "total_chars": 0}


def test_lines_from_outside_are_held_back_until_the_owner_vouches(
    daemon: RunningDaemon, client: LineClient
) -> None:
    client.call("session.append", context=OWNER, messages=[{"id": "1", "role": "user", "text": "Hi"}])
    daemon.settle()
    edited = MEMORY.replace("heron seven", "heron eight")
    daemon.write("MEMORY.md", edited)
    assert "heron eight" in texts(client.call("inject.bootstrap", context=OWNER))["MEMORY.md"]

    daemon.settle()
    client.call("memory.trust", path="MEMORY.md", start_line=3, end_line=3, origin="untrusted")
    answer = client.call(
        "inject.bootstrap", context=OWNER | {"session_id": "s2", "project_key": "example.org/b"}
    )
    assert texts(answer)["MEMORY.md"] == "# Memory\n- The safe code is with Ana."
    assert answer["files"][-1]["withheld"] == {"origin": 1, "other_project": 1}

    daemon.settle()
    client.call("memory.trust", context=OWNER, path="MEMORY.md", start_line=3, end_line=3, origin="agent")
    assert "heron eight" in texts(client.call("inject.bootstrap", context=OWNER))["MEMORY.md"]


def test_an_answer_is_never_longer_than_answers_may_be(daemon: RunningDaemon, client: LineClient) -> None:
    names = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "MEMORY.md")
    for name in names:
        daemon.write(name, "".join(f"- 记忆 {'字' * 60} {number}\n" for number in range(300)))
    answer = client.call("inject.bootstrap", context=OWNER)

    assert len(json.dumps(answer, ensure_ascii=False).encode()) <= 65536
    assert all(file["truncated"] for file in answer["files"])
    for name in names[1:4]:
        (daemon.workspace / name).unlink()


def test_other_files_are_refused_by_name(client: LineClient) -> None:
    with pytest.raises(DaemonError) as caught:
        client.call("inject.bootstrap", context=OWNER, files=["memory/2026-01-11.md"])

    assert caught.value.error["data"]["field"] == "files[0]"
    assert "AGENTS.md" in caught.value.error["message"]


def test_the_command_shows_what_a_session_of_the_owner_is_given(
    daemon: RunningDaemon, client: LineClient
) -> None:
    del client
    shown = daemon.memd("bootstrap", "--as-owner")
    assert "> - The boiler code is heron" in shown.stdout
    assert "MEMORY.md: " in shown.stderr
    assert "withheld: 2 other_project" in shown.stderr

    answer = json.loads(daemon.memd("bootstrap", "--json", "--as-owner", "--reason", "new", "USER.md").stdout)
    assert [file["file"] for file in answer["files"]] == ["USER.md"]
    assert answer["startup"] is not None

    nobody = daemon.memd("bootstrap")
    assert nobody.stdout == ""
    assert "--as-owner" in nobody.stderr
