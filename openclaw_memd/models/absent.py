"""No embedding at all."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openclaw_memd.ports import Calibration, EmbedderError, EmbedderStatus, EmbedKind

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors


class AbsentEmbedder:
    """An embedder that is off; ``reason`` says why."""

    model_id = None
    required = False

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def status(self) -> EmbedderStatus:
        """Off."""
        return EmbedderStatus("none", None, None, "off", self._reason)

    async def calibration(self) -> Calibration:
        """Never.

        Raises:
            EmbedderError: always.
        """
        raise EmbedderError(self._reason, permanent=True)

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> "Vectors":
        """Never.

        Raises:
            EmbedderError: always.
        """
        raise EmbedderError(self._reason, permanent=True)

    async def aclose(self) -> None:
        """Nothing to close."""
