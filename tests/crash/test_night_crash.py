"""kill -9 at any moment of a night of a real daemon: each fact is there once, and the next night goes on."""

import time
from datetime import UTC, datetime

import pytest

from openclaw_memd.domain.dream_pages import read_diary
from tests.counts import add
from tests.crash.batches import FEWER_KILLS, Batch, batches
from tests.daemon.clients import PATIENT
from tests.daemons import LineClient, RunningDaemon, short_folder

MOST_S = 0.2
NOUNS = ("pump", "ladder", "drill", "kettle", "anchor", "bellows", "chisel", "lantern")

pytestmark = pytest.mark.crash


def fact(number: int) -> str:
    return f"The {NOUNS[number % 8]} of hut {number} hangs on hook {number}77."


@pytest.mark.parametrize("batch", batches(FEWER_KILLS), ids=str)
def test_each_fact_is_promoted_once_whenever_a_night_is_killed(batch: Batch) -> None:
    rng = batch.random()
    note = f"memory/{datetime.now(UTC).date()}.md"
    with short_folder() as folder:
        daemon = RunningDaemon(folder, env=PATIENT)
        daemon.start()
        try:
            for number in range(batch.kills):
                noun = NOUNS[number % 8]
                daemon.write(note, "".join(f"- {fact(one)}\n" for one in range(number + 1)))
                daemon.settle()
                asked = (
                    f"{noun} hut {number}",
                    f"hook {number}77",
                    f"where is the {noun}",
                    f"{noun} hook",
                )
                with LineClient(daemon.socket) as client:
                    for question in asked:
                        client.call("recall.search", query=question)
                    # This records the recalls: a kill may lose those of the last second.
                    client.call("dream.candidates")
                    client.call("dream.run")
                    time.sleep(rng.random() * MOST_S)
                daemon.kill()
                memory = daemon.workspace / "MEMORY.md"
                text = memory.read_text() if memory.exists() else ""
                assert all(text.count(fact(one)) <= 1 for one in range(number + 1))
                daemon.start()
            for _ in range(batch.kills):  # a night promotes so many, and those before came to no end
                done = daemon.call("dream.run", wait=True)
                assert done["outcome"] == "completed"
                if "limit" not in done["deep"]["excluded"]:
                    break
            text = (daemon.workspace / "MEMORY.md").read_text()
            assert [text.count(fact(number)) for number in range(batch.kills)] == [1] * batch.kills
            page = (daemon.workspace / "DREAMS.md").read_text()
            assert page.count("<!-- openclaw:dreaming:deep:start -->") <= 1
            told = [entry.run_id for entry in read_diary(page)]
            assert len(told) == len(set(told))
            daemon.wait_until(lambda: not list(daemon.workspace.glob(".memd-*")))
        finally:
            daemon.kill()
    add("nights", "facts missing or twice", kills=batch.kills)
