"""Agents that name the same workspace share one index of it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.daemon.clients import PATIENT, page
from tests.daemons import RunningDaemon, short_folder

NOTE = "memory/shared.md"


def configure(folder: Path, *agents: str) -> None:
    (folder / "ws/memory").mkdir(parents=True, exist_ok=True)
    (folder / "link").unlink(missing_ok=True)
    (folder / "link").symlink_to(folder / "ws")
    places = dict(zip(agents, (folder / "ws", folder / "link", folder / "ws/../ws"), strict=False))
    tables = [f'[agents.{agent}]\nworkspace = "{place}"\n' for agent, place in places.items()]
    (folder / "config.toml").write_text("\n".join(tables), encoding="utf-8")


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    with short_folder() as folder:
        configure(folder, "main", "coder", "writer")
        env = PATIENT | {"MEMD_CONFIG": str(folder / "config.toml")}
        with RunningDaemon(folder, env=env) as running:
            yield running


def finds(daemon: RunningDaemon, agent: str, word: str) -> bool:
    return daemon.search_paths(word, agent=agent) == [NOTE]


def test_every_agent_sees_edits_and_one_index_is_told_of_by_each(daemon: RunningDaemon) -> None:
    for word in ("firstword", "secondword"):
        daemon.write(NOTE, f"{word}\n")
        for agent in ("main", "coder", "writer"):
            daemon.wait_until(partial(finds, daemon, agent, word))

    daemon.wait_until(lambda: daemon.agent()["freshness"] == "fresh")
    status = daemon.call("status")
    assert [(one["agent"], one["files"], one["chunks"]) for one in status["agents"]] == [
        (agent, 1, 1) for agent in ("main", "coder", "writer")
    ]
    assert len({one["workspace"] for one in status["agents"]}) == 1
    assert [job["kind"] for job in status["jobs"]] == ["sync"]
    metrics = page(daemon, "/metrics").text
    assert metrics.count("memd_files{") == 3
    assert 'memd_files{agent="coder"} 1' in metrics
    assert daemon.state_folder().is_dir()


def test_a_warning_of_a_shared_workspace_comes_once_and_names_every_key(daemon: RunningDaemon) -> None:
    daemon.workspace.rename(daemon.folder / "elsewhere")
    daemon.call("index.sync")

    (warning,) = daemon.call("status")["warnings"]
    assert "agents.main.workspace, agents.coder.workspace, agents.writer.workspace" in warning

    (daemon.folder / "elsewhere").rename(daemon.workspace)
    daemon.settle()
    assert daemon.call("status")["warnings"] == []


@pytest.mark.slow
def test_an_agent_that_leaves_the_configuration_leaves_the_index_to_the_others(daemon: RunningDaemon) -> None:
    daemon.write(NOTE, "lastingword\n")
    daemon.settle()
    generation = daemon.call("index.sync")["generation"]
    daemon.stop()
    configure(daemon.folder, "main")
    daemon.start()

    report = daemon.call("index.sync")
    assert (report["generation"], report["unchanged"], report["added"]) == (generation, 1, 0)
    assert [one["agent"] for one in daemon.call("status")["agents"]] == ["main"]
    assert finds(daemon, "main", "lastingword")
