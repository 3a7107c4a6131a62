"""A process that edits, syncs and rebuilds without end, to be killed: WORKSPACE STATE SEED."""

import random
import sys
from pathlib import Path

import trio

from openclaw_memd.index.rebuilding import Rebuilder
from tests.index.notes import Notes, open_notes

FILES = 40


def edit(notes: Notes, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 6)):
        path = f"memory/{rng.randrange(FILES)}.md"
        if rng.random() < 0.2:
            (notes.folder / path).unlink(missing_ok=True)
        else:
            text = f"# head\n\ncommon unique{rng.getrandbits(60)} end\n" + "pad " * rng.randrange(900)
            notes.write(path, text)


async def main(notes: Notes, rng: random.Random) -> None:
    async with open_notes(notes) as index:
        print("ready", flush=True)
        while True:
            edit(notes, rng)
            await index.indexer.sync()
            if rng.random() < 0.3:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(Rebuilder(index.indexer).rebuild)
                    edit(notes, rng)
                    await index.indexer.sync()


if __name__ == "__main__":
    workspace, state, seed = sys.argv[1:]
    trio.run(main, Notes(Path(workspace), Path(state), Path("/nowhere")), random.Random(int(seed)))
