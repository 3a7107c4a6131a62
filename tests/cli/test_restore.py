"""``memd restore`` needs no daemon, and what it prints is a configuration."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from openclaw_memd.cli.exits import DONE, FAILED
from openclaw_memd.config.load import check
from openclaw_memd.files.arrival import Known
from openclaw_memd.files.workspace import open_workspace
from openclaw_memd.ops.backup.creating import create_archive
from tests.cli.conftest import RunHere
from tests.daemons import daemon_env
from tests.ops.backup.archives import ID, NOW, open_shop

OTHER = "fedcba9876543210fedc"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of two workspaces, one of them of two agents."""

    async def make() -> Path:
        async with open_shop(tmp_path / "a") as one, open_shop(tmp_path / "b", OTHER) as two:
            one.write("MEMORY.md", b"- one\n")
            two.write("memory/2026-01-11.md", b"- two\n")
            sources = [
                replace(one.source, agents=("main", "helper-2")),
                replace(two.source, name="a.b", agents=("a.b",)),
            ]
            return (await create_archive(sources, tmp_path / "both.tar.gz", at=NOW)).path

    return trio.run(make)


def test_what_it_prints_is_a_configuration(tmp_path: Path, archive: Path, run_here: RunHere) -> None:
    to = tmp_path / 'a "quoted" \\ place'
    done = run_here("restore", str(archive), "--to", str(to), "--json", env=daemon_env(tmp_path))
    assert done.returncode == DONE, done.stderr
    found = json.loads(done.stdout)
    assert (found["files"], found["kept_aside"], found["untied"]) == (2, None, [])
    config = check(tomllib.loads(found["config"]))
    assert config.paths.state_dir == str(to / "state")
    places = {name: agent.workspace for name, agent in config.agents.items()}
    assert places == {
        "main": str(to / "workspace/main"),
        "helper-2": str(to / "workspace/main"),
        "a.b": str(to / "workspace/a.b"),
    }
    for name, own in (("main", ID), ("a.b", OTHER)):
        with open_workspace(Path(places[name]), state_dir=to / "state") as workspace:
            assert workspace.arrival == Known(own)
    assert (to / "workspace/main/MEMORY.md").read_bytes() == b"- one\n"
    assert (to / "workspace/a.b/memory/2026-01-11.md").read_bytes() == b"- two\n"


def test_people_are_told_the_same(tmp_path: Path, archive: Path, run_here: RunHere) -> None:
    env = daemon_env(tmp_path)
    done = run_here("restore", str(archive), "--to", str(tmp_path / "to"), env=env)
    assert done.stdout.startswith(
        f"2 files of 2 workspaces as of 2026-01-11T12:00:00+00:00 are in {tmp_path}/to\n"
    )
    assert "memd run" not in done.stdout  # one line is not enough for several agents
    assert '  [agents."a.b"]\n' in done.stdout


def test_a_place_that_cannot_be_is_told_plainly(tmp_path: Path, archive: Path, run_here: RunHere) -> None:
    (tmp_path / "file").touch()
    for to in ("file", "file/below"):
        done = run_here("restore", str(archive), "--to", str(tmp_path / to), env=daemon_env(tmp_path))
        assert done.returncode == FAILED
        assert done.stderr.startswith(("memd: ", "Verifying ...\nmemd: "))
        assert done.stderr.endswith("; nothing was changed\n")
        assert done.stderr.count("\n") <= 3
