"""kill -9 at each write of a migration from every earlier schema: the next start finishes it."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from openclaw_memd.index.database import migrations
from tests.counts import tell
from tests.index.old_databases import read_rows
from tests.index.test_upgrade import NAMES, assert_kept, open_now

pytestmark = pytest.mark.crash


@pytest.fixture
def ends(tmp_path: Path) -> dict[str, str]:
    """The folders in which processes were killed, and how each ended."""
    command = [sys.executable, "-m", "tests.crash.upgrade_steps", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    return dict(line.split() for line in found.stdout.splitlines())


@pytest.mark.slow
async def test_a_migration_that_was_cut_off_is_done_by_the_next_start(
    tmp_path: Path, ends: dict[str, str]
) -> None:
    assert set(ends.values()) == {str(-signal.SIGKILL)}
    for name in ends:
        schema, version, _ = name.split("-")
        with closing(apsw.Connection(str(tmp_path / f"{schema}-{version}" / NAMES[schema]))) as old:
            before = read_rows(old)
        store = open_now(tmp_path / name, schema)
        assert_kept(before, await store.read(read_rows))
        assert await store.read(lambda connection: connection.pragma("integrity_check")) == "ok"
        number = await store.read(lambda connection: connection.pragma("user_version"))
        assert number == len(migrations(schema))
        await store.aclose()
    tell("migrations", f"{len(ends)} kills, 0 rows lost")
