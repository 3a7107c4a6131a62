"""The product's own indexing of a whole workspace, in a process of its own.

    python -m benchmarks.indexing WORKSPACE STATE_DIR

The state is left as a daemon leaves it, so that one may start with it.
"""

import json
import sys
from pathlib import Path

import trio

from benchmarks.cost import Cost, Stopwatch
from openclaw_memd.clock import SystemClock
from openclaw_memd.config.schema import Config
from openclaw_memd.domain.suspicion import Taint
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.files.workspace import Workspace, open_workspace
from openclaw_memd.index import readers
from openclaw_memd.index.attributor import LedgerAttributor
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.opening import open_index, open_state
from openclaw_memd.index.preparing import Preparer
from openclaw_memd.interpreter import look_for_garbage_seldom, take_short_turns


async def index(workspace: Workspace) -> Cost:
    """Index every file of ``workspace``; the cost of the chunks."""
    clock, config = SystemClock(), Config()
    analyzer = Analyzer(config.agents["main"].search.languages)
    preparer = Preparer(
        analyzer,
        chunk_tokens=config.chunking.tokens,
        chunk_overlap=config.chunking.overlap,
    )
    state = open_state(workspace.state, workspace.id, clock.now).store
    store = open_index(workspace.state, preparer.identity, clock.now).store
    try:
        with Roots(workspace.path) as roots:
            attributor = LedgerAttributor(state, analyzer, Taint, clock)
            indexer = Indexer(store, Corpus(roots, FileRules.parse(), attributor=attributor), preparer, clock)
            with Stopwatch() as watch:
                await indexer.sync()
        counts = await store.read(readers.source_counts)
    finally:
        await store.aclose()
        await state.aclose()
    return watch.cost(sum(count.chunks for count in counts))


def main() -> None:
    workspace_path, state_dir = map(Path, sys.argv[1:])
    take_short_turns()  # as the daemon does, and what follows
    look_for_garbage_seldom()
    with open_workspace(workspace_path, state_dir=state_dir) as workspace:
        cost = trio.run(index, workspace)
    print(json.dumps(cost.to_json()))


if __name__ == "__main__":
    main()
