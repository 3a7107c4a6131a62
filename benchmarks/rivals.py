"""What search is measured against: BM25, vectors, and their fusion by rank, over the same pieces of text."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from openclaw_memd.domain.passages import PASSAGE_CHARS
from openclaw_memd.domain.stopwords import LISTS
from openclaw_memd.ports import Embedder

HITS = 10
FUSION_K = 60  # the usual constant of reciprocal rank fusion (Cormack et al., 2009)

Spelling = Callable[[str], list[str]]

_STOP_WORDS = LISTS["en"]


def words_that_count(text: str) -> list[str]:
    """Lower-case words, without those of a stop list."""
    return [word for word in re.findall(r"\w+", text.casefold()) if word not in _STOP_WORDS]


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage that a system shows: lines ``first`` to ``last`` of ``path``."""

    path: str
    first: int
    last: int
    chars: int


class Rivals:
    """BM25 by a bare FTS5 table, vectors, and both by reciprocal rank, over the same pieces of text."""

    def __init__(self, name: str, pieces: Sequence[tuple[Shown, str]], spell: Spelling) -> None:
        self._name = name
        self._pieces = [shown for shown, _ in pieces]
        self._texts = [text for _, text in pieces]
        self._spell = spell
        self._vectors: NDArray[np.float32] | None = None
        self._table = apsw.Connection(":memory:")
        self._table.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize = 'porter unicode61')")
        self._table.executemany(
            "INSERT INTO t (text) VALUES (?)", [(" ".join(spell(text)),) for text in self._texts]
        )

    async def embed(self, embedder: Embedder) -> None:
        """Give every piece a vector."""
        self._vectors = await embedder.embed(self._texts, kind="passage")

    async def answer(self, question: str, embedder: Embedder | None) -> dict[str, list[Shown]]:
        """What each rival shows."""
        by_words = self._rank_by_words(question)
        rankings = {f"BM25 {self._name}".strip(): by_words}
        if embedder is not None and self._vectors is not None:
            (needle,) = await embedder.embed([question], kind="query")
            by_vector = (-(self._vectors @ needle)).argsort().tolist()
            rankings[f"vectors {self._name}"] = by_vector
            rankings[f"RRF {self._name}"] = _fuse(by_words, by_vector)
        return {system: [self._pieces[one] for one in order[:HITS]] for system, order in rankings.items()}

    def _rank_by_words(self, question: str) -> list[int]:
        match = " OR ".join(f'"{word}"' for word in self._spell(question))
        rows = self._table.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank", (match,))
        return [rowid - 1 for (rowid,) in rows]


def _fuse(*rankings: Sequence[int]) -> list[int]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(ranking, start=1):
            scores[one] = scores.get(one, 0.0) + 1 / (FUSION_K + rank)
    return sorted(scores, key=lambda one: -scores[one])


def cut_windows(path: str, text: str) -> Iterator[tuple[Shown, str]]:
    """Runs of whole lines of at most 700 characters, one behind the other."""
    lines = text.splitlines()
    first = 0
    while first < len(lines):
        stop, size = first + 1, len(lines[first])
        while stop < len(lines) and size + 1 + len(lines[stop]) <= PASSAGE_CHARS:
            size += 1 + len(lines[stop])
            stop += 1
        yield Shown(path, first + 1, stop, size), "\n".join(lines[first:stop])
        first = stop
