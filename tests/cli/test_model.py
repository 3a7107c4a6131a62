"""``memd model``, which needs no daemon."""

import json
import subprocess
from pathlib import Path

import trio

from tests.daemons import daemon_env, run_memd
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
