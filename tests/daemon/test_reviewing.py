"""The review queue end to end: searches make candidates, a night proposes, the owner decides."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemon.test_remembering import OWNER
from tests.daemons import DaemonError, RunningDaemon, short_folder

POT = "The meter box key lies under the blue pot."
PORT = "The gateway of the house listens on port 9400."
SEA = "The sea is forty kilometres from the cabin."
QUESTIONS = {
    POT: ("where is the meter box key", "what lies under the blue pot", "the key of the meter box please"),
    PORT: ("which port has the gateway", "gateway of the house", "what listens on port 9400"),
    SEA: ("how far is the sea", "kilometres from the cabin", "distance sea cabin"),
}


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    env = {**PATIENT, "MEMD_DREAMING__MODE": "propose", "MEMD_DREAMING__MIN_SCORE": "0.1"}
    with short_folder() as folder, RunningDaemon(folder, env=env) as running:
        day = (datetime.now(UTC) - timedelta(days=1)).date()
        running.write(f"memory/{day}.md", "".join(f"- {text}\n" for text in QUESTIONS))
        running.write("MEMORY.md", "# Core\n\n- It rains in May.\n")
        running.settle()
        for questions in QUESTIONS.values():
            for question in questions:
                assert running.call("recall.search", query=question)["hits"]
        yield running


def waiting(daemon: RunningDaemon) -> dict[str, Any]:
    return {one["text"]: one for one in daemon.call("dream.review")["proposals"]}


@pytest.mark.slow
def test_a_night_proposes_the_owner_decides_and_can_take_it_back(daemon: RunningDaemon) -> None:
    memory = daemon.workspace / "MEMORY.md"
    before = memory.read_bytes()
    daemon.call("dream.run", wait=True)
    found = waiting(daemon)
    assert set(found) == {POT, PORT, SEA}
    assert memory.read_bytes() == before
    assert found[POT]["operation"] == "added"
    assert found[POT]["sources"][0].startswith("memory/")

    for method, params in (("dream.accept", {"ids": [found[POT]["id"]]}), ("dream.reject", {"ids": ["x"]})):
        with pytest.raises(DaemonError) as denied:
            daemon.call(method, **params)
        assert denied.value.error["data"]["reason"] == "no_context"
    with pytest.raises(DaemonError) as unknown:
        daemon.call("dream.accept", ids=["unknown"], context=OWNER)
    assert unknown.value.error["code"] == -32001

    edited = daemon.call("dream.edit", id=found[PORT]["id"], text="The gateway has port 9400.", context=OWNER)
    assert edited["proposal"]["edited"] is True
    assert daemon.call("dream.reject", ids=[found[SEA]["id"]], context=OWNER)["rejected"] == 1
    done = daemon.call("dream.accept", ids=[found[POT]["id"], found[PORT]["id"]], context=OWNER)
    assert set(done["accepted"].values()) == {"added"}
    assert not done["rejected"]
    text = memory.read_text()
    assert text.startswith(before.decode())
    assert f"- {POT} (Source: memory/" in text
    assert "- The gateway has port 9400. (Source: memory/" in text
    daemon.settle()
    hits = daemon.call("recall.search", query="meter box key")["hits"]
    assert any(hit["path"] == "MEMORY.md" and hit["origin"] == "agent" for hit in hits)

    daemon.call("dream.run", wait=True)
    assert not waiting(daemon)
    assert memory.read_text() == text, "nothing twice"

    undone = daemon.call("dream.undo")
    assert (undone["files"], undone["undone"]) == (["MEMORY.md"], 2)
    assert memory.read_bytes() == before
    daemon.call("dream.run", wait=True)
    assert not waiting(daemon), "what was rejected or undone stays out"
    with pytest.raises(DaemonError) as nothing:
        daemon.call("dream.undo")
    assert nothing.value.error["code"] == -32001
