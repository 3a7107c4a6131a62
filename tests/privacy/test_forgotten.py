"""What is forgotten by a real daemon: its word is in no byte of the workspace and of the state folder."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from openclaw_memd.domain.dream_pages import DiaryEntry, add_entry, format_when
from openclaw_memd.domain.text import Analyzer
from tests.daemon.clients import PATIENT
from tests.daemons import LineClient, RunningDaemon, short_folder
from tests.ops.worlds import CANARY, raw_hits

OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "channel": {"provider": "telegram", "account": "default", "conversation_id": "c1"},
    "sender": {"id": "u1", "is_owner": True},
}
VAULT = f"The vault behind the {CANARY} opens with two keys."
SAFE = f"Every {CANARY} lies in the safe of the boathouse."
PUMP = "The greenhouse pump is behind the left shelf."
QUESTIONS = {
    "vault": ("vault keys", "what opens with two keys", "vault behind", "which vault opens"),
    "safe": ("safe boathouse", "what lies in the safe", "boathouse safe", "safe of the boathouse"),
    "pump": ("greenhouse pump", "where is the pump", "what is behind the left shelf", "pump shelf"),
}


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with (
        short_folder() as folder,
        RunningDaemon(folder, env=PATIENT | {"MEMD_DREAMING__MODE": "propose"}) as running,
    ):
        yield running


def live(daemon: RunningDaemon, client: LineClient) -> None:
    """Use everything that keeps text: notes, sessions, intents, turns, request keys, a night, its review."""
    now = datetime.now(UTC)
    notes = [f"- {VAULT}\n", f"- {SAFE}\n", f"- {PUMP}\n"]
    for number, note in enumerate(notes):
        daemon.write(f"memory/{(now - timedelta(days=number)).date()}.md", note)
    entry = DiaryEntry(format_when(now, "UTC"), f"I dreamt of a {CANARY}.", None)
    daemon.write("DREAMS.md", add_entry("# Mine\n\n- stays here\n", entry))
    daemon.settle()
    client.call("note.append", context=OWNER, text=f"- {CANARY} was here", request_key="n1")
    said = [{"id": "m1", "role": "user", "text": f"Our {CANARY} hides beside the old mill wheel."}]
    client.call("session.append", context=OWNER, messages=said)
    entry_text = f"The {CANARY} is polished on Fridays."
    for _ in range(2):
        client.call(
            "memory.remember", context=OWNER, text=entry_text, triggers=["polish day"], request_key="r1"
        )
    client.call("intent.create", context=OWNER, description=f"mention the {CANARY}", keywords=["mill wheel"])
    known = {"MEMORY.md": "0" * 64}
    given = client.call("inject.turn", context=OWNER, text="polish day", turn_id="t1", known=known)
    assert CANARY in given["refreshed"][0]["text"]
    assert client.call("inject.turn", context=OWNER, text="the mill wheel", turn_id="t2")["intents"]
    for asked in QUESTIONS.values():
        for question in asked:
            client.call("recall.search", query=question)
    assert "proposed" in daemon.memd("dream", "run").stdout
    waiting = {one["text"]: one["id"] for one in client.call("dream.review", context=OWNER)["proposals"]}
    assert {VAULT, SAFE, PUMP} <= waiting.keys()
    client.call("dream.accept", context=OWNER, ids=[waiting[VAULT]])
    daemon.settle()
    assert VAULT in (daemon.workspace / "MEMORY.md").read_text()


def test_nothing_is_left_of_what_is_forgotten(daemon: RunningDaemon) -> None:
    with LineClient(daemon.socket) as client:
        live(daemon, client)
        assert raw_hits(daemon.folder / "state", CANARY.encode())
        planned = client.call("forget", context=OWNER, query=CANARY, dry_run=True)
        done = client.call("forget", context=OWNER, query=CANARY, dry_run=False)

        assert planned["receipt"] | {"vectors": 0} == done["receipt"] | {"vectors": 0}
        assert planned["kept"] == done["kept"] == []
        receipt = done["receipt"]
        for part in (
            "promoted",
            "proposals",
            "page_lines",
            "candidates",
            "corpus_lines",
            "intents",
            "preimages",
        ):
            assert receipt[part] > 0, part
        assert [one["text"] for one in client.call("dream.review", context=OWNER)["proposals"]] == [PUMP]
    words = [form.encode() for form in {CANARY, *Analyzer().index_terms(CANARY)}]
    assert raw_hits(daemon.workspace, *words) == []
    assert raw_hits(daemon.folder / "state", *words) == []
    daemon.stop()
    assert raw_hits(daemon.folder, *words) == []
    assert "- stays here" in (daemon.workspace / "DREAMS.md").read_text()
    assert PUMP in (daemon.workspace / "DREAMS.md").read_text()
