"""Remembering the vectors of recent queries: the same question comes again as it is typed and refined."""

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from openclaw_memd.ports import Calibration, Embedder, EmbedderStatus, EmbedKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from openclaw_memd.ports import Vectors

QUERIES = 256


class CachedEmbedder:
    """``inner`` with a memory of its last ``most`` query vectors, and of no query. Passages pass through."""

    def __init__(self, inner: Embedder, *, most: int = QUERIES) -> None:
        self._inner = inner
        self._most = most
        self._model_id: str | None = None
        self._rows: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    @property
    def model_id(self) -> str | None:
        """The inner embedder's."""
        return self._inner.model_id

    @property
    def required(self) -> bool:
        """The inner embedder's."""
        return self._inner.required

    def status(self) -> EmbedderStatus:
        """The inner embedder's."""
        return self._inner.status()

    async def calibration(self) -> Calibration:
        """The inner embedder's."""
        return await self._inner.calibration()

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> "Vectors":
        """The inner embedder's vectors; those of known queries at once.

        Raises:
            EmbedderError: the inner embedder failed on a text that is not known.
        """
        if kind == "passage" or not texts:
            return await self._inner.embed(texts, kind=kind)
        import numpy as np

        self._forget_other_models()
        keys = {text: _hash(text) for text in texts}
        known = {text: self._rows[key] for text, key in keys.items() if key in self._rows}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            rows = await self._inner.embed(new, kind=kind)
            known |= zip(new, rows, strict=True)
            self._forget_other_models()
        for text, key in keys.items():
            self._rows[key] = known[text]
            self._rows.move_to_end(key)
        while len(self._rows) > self._most:
            self._rows.popitem(last=False)
        return np.stack([known[text] for text in texts])

    async def aclose(self) -> None:
        """Close the inner embedder and forget."""
        self._rows.clear()
        await self._inner.aclose()

    def _forget_other_models(self) -> None:
        if self._model_id != self._inner.model_id:
            self._rows.clear()
            self._model_id = self._inner.model_id


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
