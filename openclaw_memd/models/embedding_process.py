"""What the embedding process is asked, and how long it may take."""

import sys
from typing import Final

from openclaw_memd.models import wire
from openclaw_memd.models.process import ModelProcess, ProcessGoneError

COMMAND: Final = (sys.executable, "-P", "-m", "openclaw_memd.models.child")
"""``-P``: what lies in the folder that the daemon was started in is not imported."""

ANSWER_LIMIT_S: Final = 10.0
"""How much longer than a slow machine an answer may take before the process counts as hung."""

ANSWER_LIMIT_S_PER_BYTE: Final = (
    0.03  # a model that takes longer than a tenth of a second for a token is no use
)
_MOST_BYTES: Final = 4_096  # more of one text is not read


class RefusedError(Exception):
    """The model could not embed these texts; others may go well."""


async def embed(
    process: ModelProcess[wire.Ready], texts: list[str], *, background: bool, limit_s: float
) -> wire.Vectors:
    """The vectors of ``texts``, ``limit_s`` after what a slow machine needs for them at the latest.

    Raises:
        RefusedError: these texts cannot be embedded.
        ProcessGoneError: the process died, or hung and was killed.
    """
    answer = await process.ask(
        lambda number: wire.Embed(number, texts, background), limit_s=limit_s + _time_for(texts)
    )
    match answer:
        case wire.Vectors():
            return answer
        case wire.Refused():
            raise RefusedError
        case wire.Completed() | wire.NotCompleted():
            process.kill()
            raise ProcessGoneError("it sent garbage")


def _time_for(texts: list[str]) -> float:
    """Seconds that a slow machine may take to embed ``texts``."""
    return ANSWER_LIMIT_S_PER_BYTE * min(_MOST_BYTES, sum(len(text.encode()) for text in texts))
