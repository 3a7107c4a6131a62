"""``memd model``, which needs no daemon."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from openclaw_memd.cli.exits import FAILED, USAGE
from openclaw_memd.models.catalog import CATALOG
from tests.cli.conftest import RunHere
from tests.daemons import daemon_env, run_memd
from tests.models.gguf_files import gguf_bytes
from tests.models.servers import Answer, Received, Reply, embeddings, refusal, serving


async def try_provider(folder: Path, answer: Answer) -> "subprocess.CompletedProcess[str]":
    """``memd model test`` with a provider behind HTTP that answers so."""
    async with serving(answer) as server:
        env = daemon_env(folder) | {
            "MEMD_EMBEDDING__PROVIDER": "openai",
            "MEMD_EMBEDDING__MODEL": "far-away",
            "MEMD_EMBEDDING__BASE_URL": f"{server.url}/v1",
        }
        return await trio.to_thread.run_sync(lambda: run_memd("model", "test", "--json", env=env))


async def test_the_configured_provider_is_tried(tmp_path: Path) -> None:
    async def answer(received: Received) -> Reply:
        return embeddings(received.json["input"])

    report = json.loads((await try_provider(tmp_path, answer)).stdout)
    assert (report["model"], report["dims"], report["reference_cosine"]) == ("far-away", 32, None)


async def test_the_output_is_one_json_text_when_a_provider_fails_too(tmp_path: Path) -> None:
    async def answer(_received: Received) -> Reply:
        return refusal(401)

    done = await try_provider(tmp_path, answer)
    assert done.returncode == 1
    assert "refused the key (401)" in json.loads(done.stdout)["error"]["message"]


def test_what_is_switched_off_cannot_be_tried(tmp_path: Path) -> None:
    done = run_memd("model", "test", env=daemon_env(tmp_path))

    assert (done.returncode, done.stdout) == (1, "")
    assert "switched off" in done.stderr


@pytest.mark.parametrize("action", ["install", "test"])
@pytest.mark.parametrize("json_first", [True, False], ids=["--json first", "--json last"])
def test_an_unknown_name_is_a_usage_error_that_names_the_known(
    tmp_path: Path, run_here: RunHere, action: str, json_first: bool
) -> None:
    words = ("--json", "model", action, "bge-m3") if json_first else ("model", action, "bge-m3", "--json")

    done = run_here(*words, env=daemon_env(tmp_path))

    assert (done.returncode, done.stderr) == (USAGE, "")
    message = json.loads(done.stdout)["error"]["message"]
    assert "no model called bge-m3" in message
    assert all(name in message for name in CATALOG)
    assert not list((tmp_path / "data").glob("**/*.gguf"))


def an_empty_folder(path: Path) -> None:
    path.mkdir()


def nothing(path: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (nothing, "No such file or directory"),
        (an_empty_folder, "Is a directory"),
        (lambda path: path.write_bytes(b""), "not a GGUF"),
        (lambda path: path.write_bytes(b"PK\x03\x04 of another kind altogether"), "not a GGUF"),
        (lambda path: path.write_bytes(gguf_bytes()[:-40]), "cut short"),
        (lambda path: path.write_bytes(gguf_bytes()[:100]), "cut short"),
        (lambda path: path.write_bytes(gguf_bytes(architecture="novel", pooling=None)), "architecture novel"),
    ],
    ids=["missing", "folder", "empty", "zip", "cut in the data", "cut in the header", "architecture"],
)
def test_a_file_that_is_no_model_is_told_by_its_name(
    tmp_path: Path, run_here: RunHere, make: Callable[[Path], object], words: str
) -> None:
    file = tmp_path / "secret-place" / "mine.gguf"
    file.parent.mkdir()
    make(file)

    done = run_here("model", "install", str(file), env=daemon_env(tmp_path))

    assert done.returncode == FAILED
    (line,) = done.stderr.splitlines()
    assert line.startswith("memd: mine.gguf: ")
    assert words in line
    assert "secret-place" not in line
    assert not list((tmp_path / "data").glob("**/*.gguf"))


@pytest.mark.parametrize("option", [("--json",), ("--agent", "main", "--json"), ("--agent=main", "--json")])
def test_common_options_may_come_before_the_command(
    tmp_path: Path, run_here: RunHere, option: tuple[str, ...]
) -> None:
    first = run_here(*option, "model", "list", env=daemon_env(tmp_path))
    last = run_here("model", "list", *option, env=daemon_env(tmp_path))

    assert first.returncode == last.returncode == 0
    assert json.loads(first.stdout) == json.loads(last.stdout)
