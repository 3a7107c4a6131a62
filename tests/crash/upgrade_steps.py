"""Processes that open an old database and are killed at a chosen write: ``python -m`` this with a folder.

Each has a folder of its own below it. One process imports everything and forks one for each write.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from openclaw_memd.index.database import migrations
from tests.index.faulty_disk import DeadlyDisk, faulty_disk
from tests.index.old_databases import make_old
from tests.index.test_upgrade import NAMES, open_now

PLACES = int(os.environ.get("MEMD_FAULT_PLACES", "2"))
NEVER = 1_000_000


def open_on(disk: DeadlyDisk, folder: Path, schema: str) -> None:
    with faulty_disk(disk):
        open_now(folder, schema).close()


def count_writes(folder: Path, schema: str) -> int:
    disk = DeadlyDisk(NEVER)
    open_on(disk, folder, schema)
    return disk.operations


def spots(count: int) -> Iterator[int]:
    if not PLACES or count <= PLACES:
        yield from range(1, count + 1)
    else:
        yield from sorted({1 + round(number * (count - 1) / (PLACES - 1)) for number in range(PLACES)})


def main(base: Path) -> None:
    """Say for each folder how its process ended."""
    for schema in ("state", "index"):
        for version in range(1, len(migrations(schema))):
            made = base / f"{schema}-{version}"
            made.mkdir()
            make_old(made / NAMES[schema], schema, version)
            whole = base / "whole"
            shutil.copytree(made, whole)
            writes = count_writes(whole, schema)
            shutil.rmtree(whole)
            for spot in spots(writes):
                folder = base / f"{schema}-{version}-{spot}"
                shutil.copytree(made, folder)
                child = os.fork()
                if child == 0:
                    open_on(DeadlyDisk(spot), folder, schema)
                    os._exit(0)
                _, status = os.waitpid(child, 0)
                print(folder.name, os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
