"""Many write to one note at once, memd and others: every line is there once, and where the answer says."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.crash.writers import Outsider
from tests.daemon.clients import PATIENT
from tests.daemons import LineClient, RunningDaemon, short_folder

CONNECTIONS = 10
CALLS = 5
OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"is_owner": True},
}

pytestmark = pytest.mark.fault


def append_at_once(daemon: RunningDaemon, number: int, start: threading.Barrier) -> dict[str, Any]:
    """Ask for several notes on one connection before the first is answered; the answers by text."""
    texts = [f"- text {number}.{call}\n  goes on {number}.{call}" for call in range(CALLS)]
    with LineClient(daemon.socket) as client:
        start.wait()
        for text in texts:
            client.send("note.append", text=text, context=OWNER, request_key=text)
        answers = [client.receive() for _ in texts]
    return {texts[answer["id"] - 1]: answer["result"] for answer in answers}


@pytest.mark.slow
def test_parallel_calls_and_an_outside_writer_share_a_note() -> None:
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT) as daemon:
        first = daemon.call("note.append", text="- first", context=OWNER)
        note = daemon.workspace / first["path"]
        start = threading.Barrier(CONNECTIONS)
        with Outsider(note, "shell") as outsider, ThreadPoolExecutor(CONNECTIONS) as pool:
            asked = [pool.submit(append_at_once, daemon, number, start) for number in range(CONNECTIONS)]
            answers = {text: answer for one in asked for text, answer in one.result().items()}

        content = note.read_text(encoding="utf-8")
        lines = content.splitlines()
        assert len(answers) == CONNECTIONS * CALLS
        assert outsider.lines
        assert len(lines) == 3 + 2 * len(answers) + len(outsider.lines)
        assert [line for line in lines if "elsewhere" in line] == outsider.lines
        for text, answer in answers.items():
            assert (answer["appended"], answer["spooled"], answer["path"]) == (True, False, first["path"])
            assert "\n".join(lines[answer["start_line"] - 1 : answer["end_line"]]) == text
        daemon.settle()
        with LineClient(daemon.socket) as client:
            for text, answer in answers.items():
                where = {"from": answer["start_line"], "lines": 2}
                found = client.call("recall.get", path=answer["path"], **where)
                assert (found["text"], found["origin"]) == (text, "agent")
                again = client.call("note.append", text=text, context=OWNER, request_key=text)
                assert again == {**answer, "repeated": True}
        assert note.read_text(encoding="utf-8") == content
