"""The live texts of one search for which something is not stored yet."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Protocol

from openclaw_memd.index.vector_search import VectorSearch


class Kept(Protocol):
    """What is stored by text and model."""

    async def missing(self, model: str, hashes: Iterable[bytes]) -> list[bytes]:
        """Those of ``hashes`` for which nothing is stored, in their order."""
        ...


class Backlog:
    """What is left to embed for ``search`` in one model, most recently changed first."""

    def __init__(self, search: VectorSearch, kept: Kept, model: str) -> None:
        self.search = search
        self._kept = kept
        self._model = model
        self._mark = 0
        self._lacking: dict[bytes, None] = {}
        self._given_up: dict[bytes, None] = {}

    def __len__(self) -> int:
        """Texts that lack something, or of which it is not known yet."""
        return len(set(self._still_live(self._lacking)).union(self.search.live.added_since(self._mark)))

    def may_lack(self, among: AbstractSet[bytes] | None) -> bool:
        """Whether a live text (of ``among``, if given) lacks something, or it is not known yet."""
        if among is None:
            return bool(self.first(1) or self.search.live.added_since(self._mark))
        return not among.isdisjoint(self._lacking) or not among.isdisjoint(
            self.search.live.added_since(self._mark)
        )

    async def update(self) -> None:
        """Look up which of the texts that were added lately lack something. Store errors pass through."""
        mark = self.search.live.additions
        added = self.search.live.added_since(self._mark)
        if not added:
            return
        found = await self._kept.missing(self._model, added)
        fresh = dict.fromkeys(h for h in found if h not in self._given_up)
        self._lacking = fresh | dict.fromkeys(h for h in self._still_live(self._lacking) if h not in fresh)
        self._mark = mark

    def first(self, count: int) -> list[bytes]:
        """The next ``count`` texts to embed."""
        chosen: list[bytes] = []
        for text_hash in self._still_live(self._lacking):
            if len(chosen) == count:
                break
            chosen.append(text_hash)
        return chosen

    def settle(self, hashes: Iterable[bytes], *, refused: Iterable[bytes]) -> None:
        """Take texts off that were seen to; those ``refused`` are not tried again in this model."""
        for text_hash in hashes:
            self._lacking.pop(text_hash, None)
        self._given_up.update(dict.fromkeys(refused))

    def given_up(self) -> int:
        """How many live texts can get nothing."""
        return sum(1 for _ in self._still_live(self._given_up))

    def _still_live(self, hashes: Iterable[bytes]) -> Iterable[bytes]:
        return (text_hash for text_hash in hashes if text_hash in self.search.live)
