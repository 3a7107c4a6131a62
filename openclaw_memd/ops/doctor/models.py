"""Do the models do what they are there for?"""

from collections.abc import Iterator
from typing import Final

import trio

from openclaw_memd.index.fill_progress import FillProgress, FillState
from openclaw_memd.ops.doctor.findings import Finding, count
from openclaw_memd.ports import ChatModelStatus, Embedder, EmbedderError

TRY_S: Final = 30.0
"""A local model may have to be loaded first."""

_NORM: Final = 0.01
_PASSAGES: Final = ("The gateway listens on port 8123.", "The cat likes to sleep on the warm stove.")
_QUESTION: Final = "Which port does the gateway use?"


async def try_embedder(embedder: Embedder, *, within_s: float = TRY_S) -> list[Finding]:
    """Embed two texts of memd's own and a question about one of them, and compare."""
    status = embedder.status()
    if status.state == "off":
        return [Finding.of("embedding-off", _reason("There is no embedding model", status.reason))]
    try:
        with trio.fail_after(within_s):
            passages = await embedder.embed(list(_PASSAGES), kind="passage")
            question = await embedder.embed([_QUESTION], kind="query")
    except EmbedderError as error:
        return [Finding.of("embedding-failed", _reason("The embedding model does not answer", str(error)))]
    except trio.TooSlowError:
        return [
            Finding.of("embedding-failed", f"The embedding model did not answer within {within_s:.0f} s.")
        ]
    import numpy as np

    rows = np.concatenate([passages, question])
    if not np.isfinite(rows).all() or (abs(np.linalg.norm(rows, axis=1) - 1) > _NORM).any():
        return [
            Finding.of("embedding-wrong", "The embedding model gives vectors that are zero or not finite.")
        ]
    near, far = (float(question[0] @ passage) for passage in passages)
    if near <= far:
        told = "The embedding model finds a question nearer to a text about something else."
        return [Finding.of("embedding-wrong", told)]
    return []


def judge_chat(status: ChatModelStatus) -> Iterator[Finding]:
    """What is to be said of the chat model. It is not asked anything: an answer may cost money. Pure."""
    if status.state == "off":
        yield Finding.of("chat-model-off")
    elif status.state == "degraded":
        yield Finding.of("chat-model-failed", _reason("The chat model does not answer", status.reason))


def judge_filling(progress: FillProgress) -> Iterator[Finding]:
    """What is to be said of texts without vectors, those that can get none among them. Pure."""
    missing = progress.total - progress.done
    if progress.state is FillState.OFF or missing <= 0:
        return
    told = f"{count(missing, 'text has', 'texts have')} no vector yet."
    if progress.given_up:
        told += f" For {progress.given_up:,} of them the model gave none that is of use."
    yield Finding.of("vectors-missing", _reason(told.removesuffix("."), progress.reason))


def _reason(told: str, reason: str | None) -> str:
    return f"{told}." if not reason else f"{told}: {reason.removesuffix('.')}."
