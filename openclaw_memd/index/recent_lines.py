"""Vectors of lines that were embedded lately: overlapping chunks have lines in common, and so do notes."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memd.index.vector_blobs import Vectors


class RecentLines:
    """Line vectors of one model by their text. It grows until ``shorten``, so any chunk can get whole."""

    def __init__(self) -> None:
        self._vectors: dict[str, Vectors] = {}

    def __len__(self) -> int:
        return len(self._vectors)

    def missing(self, lines: Iterable[str]) -> list[str]:
        """Those of ``lines`` that are not known, each once, in their order."""
        return list(dict.fromkeys(line for line in lines if line not in self._vectors))

    def add(self, lines: Sequence[str], vectors: "Vectors") -> None:
        """Take up ``vectors`` [len(lines), dims], scaled to norm 1, or zeros where that cannot be done."""
        from openclaw_memd.index.vector_blobs import normalise

        scaled, _ = normalise(vectors)
        self._vectors.update((line, row.copy()) for line, row in zip(lines, scaled, strict=True))

    def stack(self, lines: Sequence[str], dims: int) -> "Vectors":
        """The vectors [len(lines), dims] of known lines."""
        import numpy as np

        stacked = np.empty((len(lines), dims), dtype=np.float32)
        for number, line in enumerate(lines):
            stacked[number] = vector = self._vectors.pop(line)
            self._vectors[line] = vector  # as the last that was used
        return stacked

    def shorten(self, most: int) -> None:
        """Forget all but the ``most`` that were used last."""
        for line in list(self._vectors)[: max(0, len(self._vectors) - most)]:
            del self._vectors[line]
