"""A daemon with a real model whose file or process is not as it should be."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.clients import PATIENT
from tests.daemons import LIMIT_S, RunningDaemon, short_folder

pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture
def daemon() -> Iterator[RunningDaemon]:
    """One that is not started yet, with one note."""
    with short_folder() as folder:
        running = RunningDaemon(folder, env=PATIENT | {"MEMD_EMBEDDING__PROVIDER": "auto"})
        running.write("MEMORY.md", "- The spare key hangs in the hall.\n")
        try:
            yield running
        finally:
            running.stop()


def place(daemon: RunningDaemon) -> Path:
    path = Path(daemon.env["MEMD_PATHS__DATA_DIR"]) / "models" / "multilingual-e5-small.gguf"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def embedding(daemon: RunningDaemon) -> Any:
    return daemon.agent()["embedding"]


def vectors(daemon: RunningDaemon) -> int:
    return int(daemon.agent()["vectors"])


def child_of(pid: int) -> int:
    """The one child, whichever thread started it."""
    command = ["ps", "-o", "pid=,comm=", "--ppid", str(pid)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    (child,) = lines
    return int(child.split()[0])


def test_another_model_under_its_name_costs_vectors_until_the_right_one_is_there(
    models_dir: Path, daemon: RunningDaemon
) -> None:
    right = models_dir / "models" / "multilingual-e5-small.gguf"
    shutil.copyfile(models_dir / "models" / "minilm.gguf", place(daemon))
    daemon.start()

    daemon.wait_until(lambda: embedding(daemon)["state"] == "degraded", LIMIT_S)
    assert embedding(daemon)["reason"].endswith("run: `memd model install multilingual-e5-small`")
    assert daemon.call("status")["state"] == "degraded"
    assert vectors(daemon) == 0
    answer = daemon.call("recall.search", query="key")
    assert (answer["mode"], answer["degraded"]) == ("keyword", ["vectors"])
    assert answer["hits"][0]["path"] == "MEMORY.md"

    shutil.copyfile(right, place(daemon))

    daemon.wait_until(lambda: vectors(daemon) > 0, LIMIT_S)
    daemon.wait_until(lambda: embedding(daemon)["state"] == "ready", LIMIT_S)
    daemon.wait_until(lambda: daemon.call("recall.search", query="key")["mode"] == "hybrid", LIMIT_S)


@pytest.mark.parametrize("damage", ["zeros", "noise", "cut"])
def test_a_file_with_a_damaged_tail_is_told_of(models_dir: Path, daemon: RunningDaemon, damage: str) -> None:
    content = bytearray((models_dir / "models" / "multilingual-e5-small.gguf").read_bytes())
    tail = 4_000_000
    match damage:
        case "zeros":
            content[-tail:] = bytes(tail)
        case "noise":
            content[-tail:] = os.urandom(tail)
        case _:
            del content[-tail:]
    place(daemon).write_bytes(content)
    daemon.start()

    daemon.wait_until(lambda: embedding(daemon)["state"] == "degraded", LIMIT_S)

    assert "memd model install" in embedding(daemon)["reason"]
    assert vectors(daemon) == 0
    assert daemon.search_paths("key") == ["MEMORY.md"]


def test_a_process_that_hangs_is_replaced_and_told_of_meanwhile(
    models_dir: Path, daemon: RunningDaemon
) -> None:
    shutil.copyfile(models_dir / "models" / "multilingual-e5-small.gguf", place(daemon))
    daemon.start()
    daemon.wait_until(lambda: vectors(daemon) > 0, LIMIT_S)
    daemon.wait_until(lambda: daemon.call("recall.search", query="key")["mode"] == "hybrid", LIMIT_S)
    stopped = child_of(daemon.pid)
    os.kill(stopped, signal.SIGSTOP)

    answer = daemon.call("recall.search", query="another key")
    assert (answer["mode"], answer["degraded"]) == ("keyword", ["vectors"])
    daemon.wait_until(lambda: embedding(daemon)["state"] == "degraded", LIMIT_S)
    assert "hung" in embedding(daemon)["reason"]
    daemon.wait_until(lambda: embedding(daemon)["state"] == "ready", LIMIT_S)

    assert child_of(daemon.pid) != stopped
    assert daemon.call("recall.search", query="one more key")["mode"] == "hybrid"
