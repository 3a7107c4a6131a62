"""Do the models do what they are for? Judged by embedders that fail in the ways that models do."""

from collections.abc import Sequence

import numpy as np
import pytest
import trio

from openclaw_memd.index.fill_progress import FillProgress, FillState
from openclaw_memd.models.absent import AbsentEmbedder
from openclaw_memd.models.locate import NO_LIBRARY
from openclaw_memd.ops.doctor.models import judge_chat, judge_filling, try_embedder
from openclaw_memd.ports import ChatModelStatus, EmbedderError, EmbedderStatus, EmbedKind
from tests.fakes import HashEmbedder, Vectors


class OddEmbedder(HashEmbedder):
    """Fails, hangs, or changes what it embeds."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault

    def status(self) -> EmbedderStatus:
        if self.fault == "off":
            return EmbedderStatus("none", None, None, "off", "no model is installed")
        return super().status()

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> Vectors:
        rows = await super().embed(texts, kind=kind)
        match self.fault:
            case "fails":
                raise EmbedderError("the provider says 401")
            case "hangs":
                await trio.sleep_forever()
            case "zeros":
                rows = np.zeros_like(rows)
            case "nan":
                rows = np.full_like(rows, np.nan)
            case "same":
                rows = np.zeros_like(rows)
                rows[:, 0] = 1
            case "long":
                rows = rows * 3
        return rows


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("none", []),
        ("off", ["embedding-off"]),
        ("fails", ["embedding-failed"]),
        ("hangs", ["embedding-failed"]),
        ("zeros", ["embedding-wrong"]),
        ("nan", ["embedding-wrong"]),
        ("same", ["embedding-wrong"]),
        ("long", ["embedding-wrong"]),
    ],
)
async def test_a_model_is_tried(fault: str, expected: list[str], autojump_clock: object) -> None:
    found = await try_embedder(OddEmbedder(fault))
    assert [one.id for one in found] == expected


@pytest.mark.parametrize("reason", ["switched off by a setting", NO_LIBRARY])
async def test_what_to_do_about_no_model_is_what_the_reason_says(reason: str) -> None:
    """`memd model install` helps neither where embedding is switched off nor where there is no library."""
    (found,) = await try_embedder(AbsentEmbedder(reason))
    assert found.detail == f"There is no embedding model: {reason}."
    assert "reason" in found.fix
    assert "install" not in found.fix


async def test_the_reason_is_told(autojump_clock: object) -> None:
    (found,) = await try_embedder(OddEmbedder("fails"))
    assert found.detail == "The embedding model does not answer: the provider says 401."


@pytest.mark.parametrize(
    ("state", "expected"),
    [("ready", []), ("idle", []), ("off", ["chat-model-off"]), ("degraded", ["chat-model-failed"])],
)
def test_a_chat_model_is_judged_by_its_state(state: str, expected: list[str]) -> None:
    status = ChatModelStatus("openai", "m", state, "no answer")  # type: ignore[arg-type]
    assert [one.id for one in judge_chat(status)] == expected


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (FillProgress(FillState.OFF, 0, 10, 0, None, 0, 0), []),
        (FillProgress(FillState.IDLE, 10, 10, 0, None, 0, 0), []),
        (FillProgress(FillState.FILLING, 4, 10, 0, None, 0, 0), ["6 texts have no vector yet."]),
        (FillProgress(FillState.PAUSED, 9, 10, 0, "no key", 0, 0), ["1 text has no vector yet: no key."]),
        (
            FillProgress(FillState.IDLE, 8, 10, 2, None, 0, 0),
            ["2 texts have no vector yet. For 2 of them the model gave none that is of use."],
        ),
    ],
)
def test_texts_without_a_vector_are_counted(progress: FillProgress, expected: list[str]) -> None:
    found = list(judge_filling(progress))
    assert [one.detail for one in found] == expected
    assert {one.id for one in found} <= {"vectors-missing"}
