"""Embedding line by line what is embedded as a whole: it tells the passages of a chunk apart."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from openclaw_memd.index.backlog import Backlog
from openclaw_memd.index.indexed_texts import TextsOf, read_texts
from openclaw_memd.index.line_store import LineStore
from openclaw_memd.index.line_texts import line_texts
from openclaw_memd.index.recent_lines import RecentLines
from openclaw_memd.index.vector_search import VectorSearch
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.ports import Embedder, EmbedderError

BATCH_LINES: Final = 16
RECENT_LINES: Final = 1_024  # 1.5 MB of 384 dimensions


class LineFiller:
    """Gives the lines of live texts vectors, a few lines a step, the texts of earlier searches first.

    A search is whole without them, so they come after the vectors of the texts themselves, which is for the
    caller to see to. An embedder that is ``required`` embeds no lines: it is a provider that may be paid by
    the text, and the lines of a text come to as much as the text again.

    ``texts_of`` returns the chunk texts of text hashes, as they are in the file.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        vectors: VectorStore,
        searches: Sequence[VectorSearch],
        texts_of: TextsOf,
        batch_lines: int = BATCH_LINES,
        recent_lines: int = RECENT_LINES,
    ) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._store = LineStore(vectors.store)
        self._searches = () if embedder.required else tuple(searches)
        self._texts_of = texts_of
        self._batch_lines = batch_lines
        self._recent_lines = recent_lines
        self._model: str | None = None
        self._backlogs: tuple[Backlog, ...] = ()
        self._recent = RecentLines()

    def use_model(self, model: str | None) -> None:
        """Fill for ``model`` from now on, looking up anew what is there; None: for none."""
        if model != self._model:
            self._recent = RecentLines()
        self._model = model
        self._backlogs = ()
        if model is not None:
            self._backlogs = tuple(Backlog(search, self._store, model) for search in self._searches)

    def forget_lines(self) -> None:
        """Keep no line in mind."""
        self._recent = RecentLines()

    async def update(self) -> None:
        """Look up which of the texts that were added lately lack line vectors. Store errors pass through."""
        for backlog in self._backlogs:
            await backlog.update()

    def give_up(self, hashes: Iterable[bytes]) -> None:
        """These texts have no vector of their own in this model, so their lines are never looked at."""
        self._settle(hashes, refused=True)

    def progress(self) -> tuple[int, int]:
        """How many texts have line vectors, and how many are to get them."""
        total = sum(len(search.live) for search in self._searches)
        given_up = sum(backlog.given_up() for backlog in self._backlogs)
        lacking = sum(len(backlog) for backlog in self._backlogs) if self._backlogs else total
        return total - lacking - given_up, total - given_up

    def has_work(self) -> bool:
        """Whether a text is known to lack line vectors."""
        return any(backlog.first(1) for backlog in self._backlogs)

    async def fill_batch(self) -> bool:
        """Embed the next few lines, and store the texts that are complete by that.

        False when nothing is left, or the embedder has another model now.

        Raises:
            EmbedderError: the lines could not be embedded.
            DamagedError, UnavailableError: something could not be read or stored.
        """
        model = self._model
        dims = None if model is None else self._vectors.dims(model)
        backlog = next((backlog for backlog in self._backlogs if backlog.first(1)), None)
        if model is None or dims is None or backlog is None:
            return False
        hashes = backlog.first(self._batch_lines)
        texts = await read_texts(self._texts_of, hashes)
        self._settle(h for h in hashes if h not in texts)
        lines = {h: line_texts(texts[h]) for h in hashes if h in texts}
        wanted = self._recent.missing(chain.from_iterable(lines.values()))[: self._batch_lines]
        if wanted:
            vectors = await self._embedder.embed(wanted, kind="passage")
            if self._embedder.model_id != model:
                return False
            if vectors.shape != (len(wanted), dims):
                raise EmbedderError("the embedder answered with a wrong number of vectors or dimensions")
            self._recent.add(wanted, vectors)
        await self._publish(model, dims, lines)
        return True

    async def _publish(self, model: str, dims: int, lines: Mapping[bytes, list[str]]) -> None:
        """Store the texts whose lines are all known, unless they went while their lines were embedded."""
        whole = [text_hash for text_hash, found in lines.items() if not self._recent.missing(found)]
        stored = {h: self._recent.stack(lines[h], dims) for h in whole if self._is_live(h)}
        if stored:
            await self._store.put(model, stored)
        self._settle(whole)
        if whole:
            self._recent.shorten(self._recent_lines)

    def _is_live(self, text_hash: bytes) -> bool:
        return any(text_hash in search.live for search in self._searches)

    def _settle(self, hashes: Iterable[bytes], *, refused: bool = False) -> None:
        settled = list(hashes)
        for backlog in self._backlogs:
            backlog.settle(settled, refused=settled if refused else ())
