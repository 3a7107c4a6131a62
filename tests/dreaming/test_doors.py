"""Recalls of a real daemon: whichever door a question comes through, it counts alike."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import apsw
import pytest

from openclaw_memd.domain.recall_signals import hash_question
from tests.daemon.clients import PATIENT
from tests.daemons import DaemonError, RunningDaemon, short_folder

PORT = "The gateway listens on port 18789."
KEY = "The cellar key is under the blue pot."
OWNER = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "sender": {"id": "u1", "is_owner": True},
}


def recorded(daemon: RunningDaemon) -> Mapping[tuple[str, str, str], int]:
    """How often each claim is recorded for a session, with the hash of the question."""
    path = daemon.state_folder() / "state.db"
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = connection.execute(
            "SELECT text, session_id, hex(question) FROM signals JOIN candidates ON key = candidate"
        ).fetchall()
    finally:
        connection.close()
    return Counter((str(text), str(session), str(question)) for text, session, question in rows)


def row(text: str, session: str, question: str) -> tuple[str, str, str]:
    return text, session, hash_question(question).hex().upper()


@pytest.mark.slow
def test_every_door_counts_alike_and_nothing_else_does() -> None:
    env = PATIENT | {"MEMD_ESCALATION__MODE": "always"}
    with short_folder() as folder, RunningDaemon(folder, env=env) as daemon:
        daemon.write("memory/2026-01-11.md", f"# 2026-01-11\n\n- {PORT}\n- {KEY}\n")
        daemon.write("MEMORY.md", "- The gateway of the office is grey.\n")
        daemon.settle()

        def search(query: str, **more: Any) -> None:
            assert daemon.call("recall.search", query=query, **more)["hits"]

        search("gateway port")
        search("Gateway  PORT")
        search("cellar explained", explain=True)
        search("cellar of cron", context=OWNER | {"session_kind": "cron", "session_id": "job"})
        search("cellar of nobody", context=OWNER | {"session_kind": "subagent", "session_id": "sub"})
        search("port of the gateway", context=OWNER)
        assert daemon.memd("search", "which port has the gateway").returncode == 0
        deep = daemon.call("recall.deep", text="which pot hides the cellar key?", context=OWNER)
        assert deep["hits"]
        daemon.call("recall.get", path="memory/2026-01-11.md", context=OWNER)
        daemon.call("inject.bootstrap", context=OWNER, reason="new")
        daemon.call("inject.turn", text="where is the cellar key?", turn_id="t1", context=OWNER)
        with pytest.raises(DaemonError):
            daemon.call("recall.search", query="x" * 5000)
        expected = {
            row(PORT, "operator", "gateway port"): 1,
            row(PORT, "s1", "port of the gateway"): 1,
            row(PORT, "operator", "which port has the gateway"): 1,
            row(KEY, "s1", "which pot hides the cellar key?"): 1,
        }
        daemon.wait_until(lambda: recorded(daemon) == expected)
        daemon.stop()
        daemon.start()
        search("one more question for the gateway")
        daemon.wait_until(lambda: len(recorded(daemon)) == len(expected) + 1)
