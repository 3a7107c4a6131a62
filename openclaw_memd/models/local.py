"""Embedding on this machine, in a process of its own that is started when there is something to embed."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import trio

from openclaw_memd.domain.surrogates import replace_surrogates
from openclaw_memd.models import wire
from openclaw_memd.models.batching import Pace, pack, pack_all
from openclaw_memd.models.calibration import Measurements
from openclaw_memd.models.embedding_process import RefusedError
from openclaw_memd.models.host import ModelHost, ProcessFailedError
from openclaw_memd.models.locate import LocalModel
from openclaw_memd.ports import Calibration, EmbedderError, EmbedderStatus, EmbedKind

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

QUERY_LIMIT_S = 10.0
QUERY_LOAD_WAIT_S = 2.0

DEATHS_ALONE = 2
"""A passage that was alone in the process when it died so often is not tried again."""

_BATCH_TEXTS = 16
_BATCH_BYTES = 1_600  # about what the model takes at once
_LEAST_BATCH_BYTES = 200  # less is slower than it saves
PASSAGES_S = 0.15
"""How long a batch of passages should take: a query waits for the one that runs."""

_TEXT_CHARS = 8_192  # more than any model here reads, and little enough for a pipe


class LocalEmbedder:
    """An embedder over the model that ``host`` runs, which is its own from then on. ``measured`` are
    calibrations of models that come with none.
    """

    required = False

    def __init__(self, host: ModelHost, *, measured: Measurements | None = None) -> None:
        self._host = host
        self._measured = measured or Measurements()
        self._pace = Pace(goal_s=PASSAGES_S, least_bytes=_LEAST_BATCH_BYTES, most_bytes=_BATCH_BYTES)
        self._one_by_one = False
        self._deaths: Counter[str] = Counter()

    @property
    def model_id(self) -> str | None:
        """The identity of the model's vectors; known without loading it."""
        model = self._host.model
        return model.model_id if model else None

    def status(self) -> EmbedderStatus:
        """The current state; without a model it looks whether one has come."""
        state, reason = self._host.state()
        model = self._host.model
        return EmbedderStatus("local", model.name if model else None, self._host.dims, state, reason)

    async def calibration(self) -> Calibration:
        """The model's shipped calibration, or one that is measured once for a model that has none.

        Raises:
            EmbedderError: there is no model, or it cannot embed now.
        """
        model = await self._host.known_model()
        return model.calibration or await self._measured.of(self)

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> "Vectors":
        """Vectors of shape (len(texts), dims). A passage that the model cannot embed has a row of zeros.

        Raises:
            EmbedderError: there is no model, it is loading (for queries), its vectors are wrong, or its
                process failed.
        """
        import numpy as np

        model = await self._host.known_model()
        if not texts:
            return np.empty((0, self._host.dims or 0), np.float32)
        prepared = [replace_surrogates(model.recipe.prepare(text[:_TEXT_CHARS], kind)) for text in texts]
        if kind == "passage":
            # After a death each passage goes alone, so that it shows which one it was.
            most_texts = 1 if self._one_by_one else _BATCH_TEXTS
            rows: list[Vectors] = []
            done = 0
            while done < len(prepared):
                most_bytes = self._pace.batch_bytes
                batch = pack(prepared[done:], most_texts=most_texts, most_bytes=most_bytes)
                rows.append(await self._embed_passages(model, batch))
                done += len(batch)
            self._one_by_one = False
            return np.concatenate(rows)
        try:
            with trio.move_on_after(self._query_limit_s()):
                batches = pack_all(prepared, most_texts=_BATCH_TEXTS, most_bytes=_BATCH_BYTES)
                return np.concatenate([await self._embed_batch(model, batch, kind) for batch in batches])
        except RefusedError:
            raise EmbedderError("the embedding model failed on the query") from None
        raise EmbedderError("the embedding model is loading or busy", retry_after_s=1.0)

    async def aclose(self) -> None:
        """End the process."""
        await self._host.aclose()

    def _query_limit_s(self) -> float:
        """A query waits for a model that loads, but not as long as loading may take."""
        loading_s = self._host.loading_s
        return QUERY_LIMIT_S if loading_s is None else max(0.0, QUERY_LOAD_WAIT_S - loading_s)

    async def _embed_passages(self, model: LocalModel, texts: list[str]) -> "Vectors":
        """The vectors of one batch; zeros for a passage that the model refuses or that ends its process."""
        import numpy as np

        if len(texts) > 1:
            try:
                return await self._embed_batch(model, texts, "passage")
            except RefusedError:
                return np.concatenate([await self._embed_passages(model, [text]) for text in texts])
        if self._deaths[texts[0]] < DEATHS_ALONE:
            try:
                return await self._embed_batch(model, texts, "passage")
            except RefusedError:
                pass
        return np.zeros((1, self._host.dims or 0), np.float32)

    async def _embed_batch(self, model: LocalModel, texts: list[str], kind: EmbedKind) -> "Vectors":
        try:
            answer = await self._host.ask(model, texts, kind)
        except ProcessFailedError as error:
            if kind == "passage" and error.at_work:
                self._one_by_one = True
                if len(texts) == 1:
                    self._deaths[texts[0]] += 1
            raise
        if kind == "passage":
            self._pace.note(texts, self._host.answer_s)
        return _rows(answer, len(texts), kind)


def _rows(answer: wire.Vectors, count: int, kind: EmbedKind) -> "Vectors":
    import numpy as np

    rows = np.frombuffer(answer.rows, "<f4").astype(np.float32)
    if rows.size != count * answer.dims:
        raise EmbedderError("the embedding process answered with a wrong number of vectors")
    vectors = rows.reshape(count, answer.dims)
    if not np.isfinite(vectors).all():
        raise EmbedderError("the embedding process answered with vectors that are not finite")
    if kind == "query" and not vectors.any(axis=1).all():
        raise EmbedderError("the embedding model failed on the query")
    return vectors
