"""kill -9 at any moment of syncs and rebuilds."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openclaw_memd.clock import SystemClock
from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.index import readers
from openclaw_memd.index.opening import open_index
from openclaw_memd.index.repairing import find_damage
from tests.counts import add
from tests.crash.batches import FEWER_KILLS, Batch, batches
from tests.index.notes import Index, Notes, make_preparer, open_notes

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.crash


def kill_in_the_middle(notes: Notes, rng: random.Random) -> None:
    command = [sys.executable, "-m", "tests.index.restless"]
    command += [str(notes.folder), str(notes.state), str(rng.getrandbits(32))]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n", child.stderr and child.stderr.read().decode()
        time.sleep(rng.random() * 0.4)
        assert child.poll() is None, child.stderr and child.stderr.read().decode()
        child.kill()


async def assert_shows_the_files(index: Index, notes: Notes) -> None:
    texts = {f"memory/{path.name}": path.read_text() for path in (notes.folder / "memory").glob("*.md")}
    assert await index.paths() == sorted(texts)
    whole = {path: text.split() for path, text in texts.items() if "common" in text.split()}
    assert await index.find("common") == sorted(whole)
    for path, (_, _, _, unique, *_) in whole.items():
        assert await index.find(unique) == [path]
    rows = [row for path in texts for row in await index.chunks(path)]
    assert await index.store.read(lambda c: readers.chunk_count(c, TrustTier.EPISODIC)) == len(rows)


@pytest.mark.slow
@pytest.mark.parametrize("batch", batches(max(8, FEWER_KILLS)), ids=str)
async def test_whenever_it_is_killed_the_index_is_whole_and_shows_the_files(
    notes: Notes, batch: Batch
) -> None:
    rng = batch.random()
    for _ in range(batch.kills):
        kill_in_the_middle(notes, rng)

        opened = open_index(notes.state, make_preparer().identity, SystemClock().now)
        assert opened.store.unclean
        assert opened.set_aside is None
        assert await opened.store.maintain(find_damage) == "none"
        await opened.store.aclose()
        async with open_notes(notes) as index:
            await index.indexer.sync()
            await assert_shows_the_files(index, notes)
        assert {path.name for path in notes.state.iterdir()} == {"index-1.db"}
    add("an index alone", "corrupt, lost or ghosts", kills=batch.kills)
