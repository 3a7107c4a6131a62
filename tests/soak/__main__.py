"""A daemon under mixed load for a while, killed now and then; what came of it is counted.

``python -m tests.soak --seconds 600 [--json] [--seed N]``. Exits 1 when something is not zero that should be.
"""

import argparse
import json
import random
import sys
import time
from dataclasses import asdict

from tests.daemon.clients import QUICK
from tests.daemons import RunningDaemon, short_folder
from tests.soak.books import Books
from tests.soak.counts import Counts, count, count_corrupt, usage_of
from tests.soak.load import Load

SETTLE_S = 120.0
LIVES = 12
SHORTEST_LIFE_S = 3.0
LAST_LIFE = 0.3
"""The part of the time in which nothing is killed any more, so that growth shows."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    counts = soak(options.seconds, options.seed)
    print(json.dumps(asdict(counts), indent=2) if options.json else counts.table())
    if counts.faults:
        print("not zero: " + ", ".join(counts.faults), file=sys.stderr)
    return 1 if counts.faults else 0


def soak(seconds: float, seed: int = 0) -> Counts:
    """Load a daemon for ``seconds``, and count."""
    books = Books(random.Random(seed))
    # Those who measure how long an answer takes say by when they want it; nobody else is to be refused.
    env = QUICK | {
        "MEMD_LIMITS__READ_MS": "30000",
        "MEMD_LIMITS__SYNC_MS": "120000",
        "MEMD_LOGGING__LEVEL": "warning",
    }
    with short_folder() as folder:
        daemon = RunningDaemon(folder, env=env)
        daemon.write("MEMORY.md", "# Memory\n")
        daemon.start()
        try:
            has = frozenset(method["name"] for method in daemon.call("rpc.discover")["methods"])
            load = Load(daemon, books, has)
            load.start()
            end_now_and_then(daemon, books, load, random.Random(f"ends {seed}"), seconds * (1 - LAST_LIFE))
            load.is_over.wait(seconds * LAST_LIFE / 3)
            before = usage_of(daemon)
            load.is_over.wait(seconds * LAST_LIFE * 2 / 3)
            load.stop()
            daemon.call("index.sync", deadline_ms=int(SETTLE_S * 1_000))
            daemon.wait_until(lambda: daemon.agent()["spool"]["items"] == 0, limit_s=SETTLE_S)
            daemon.wait_until(lambda: daemon.agent()["freshness"] == "fresh", limit_s=SETTLE_S)
            daemon.wait_until(lambda: usage_of(daemon).descriptors <= before.descriptors)
            counts = count(daemon, books, before, usage_of(daemon))
        finally:
            daemon.kill()
        assert not count_corrupt(daemon, folder / "copy")
    for late in books.late:
        print(f"late: {late}", file=sys.stderr)
    return counts


def end_now_and_then(
    daemon: RunningDaemon, books: Books, load: Load, rng: random.Random, seconds: float
) -> None:
    """Kill the daemon, or at times stop it, and start it again, until ``seconds`` are over.

    The first end is a kill and always comes, however few lives a slow machine fits into the time.
    """
    ends_at = time.monotonic() + seconds
    life_s = max(SHORTEST_LIFE_S, seconds / LIVES)
    while time.monotonic() < ends_at and not load.is_over.is_set():
        if load.is_over.wait(min(life_s * (0.5 + rng.random()), ends_at - time.monotonic())):
            return
        if not books.kills or rng.random() < 0.8:
            daemon.kill()
            books.kills += 1
            books.corrupt += count_corrupt(daemon, daemon.folder / "copy")
        else:
            daemon.stop()
        daemon.start()
        books.started_at = time.monotonic()


if __name__ == "__main__":
    sys.exit(main())
