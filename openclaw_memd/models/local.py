"""Embedding on this machine, in a process of its own that is started when there is something to embed."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import structlog
import trio

from openclaw_memd.models import wire
from openclaw_memd.models.batching import pack_all
from openclaw_memd.models.calibration import measure_calibration
from openclaw_memd.models.locate import NO_LIBRARY, LocalModel, MissingModelError
from openclaw_memd.models.process import (
    COMMAND,
    EmbeddingProcess,
    NotLoadedError,
    ProcessGoneError,
    RefusedError,
)
from openclaw_memd.models.turnstile import Turnstile
from openclaw_memd.ports import Calibration, EmbedderError, EmbedderState, EmbedderStatus, EmbedKind

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

LOAD_LIMIT_S = 600.0  # a large model on a slow card takes minutes
REQUEST_LIMIT_S = 60.0
QUERY_LIMIT_S = 10.0
QUERY_LOAD_WAIT_S = 2.0

_BACKOFF_S = 1.0
_MOST_BACKOFF_S = 300.0
DEATHS_ALONE = 2
"""A passage that was alone in the process when it died so often is not tried again."""

_BATCH_TEXTS = 16
_BATCH_BYTES = 1_600  # about what the model takes at once; a query waits for one batch at most
_TEXT_CHARS = 8_192  # more than any model here reads, and little enough for a pipe

_log = structlog.get_logger("memd.models")


class LocalEmbedder:
    """An embedder that owns an embedding process.

    ``find`` says which model to load, reading a few megabytes; it is asked again before each start, so a
    model that is installed later is taken up. ``when_missing`` is the state to show without one. The process
    ends by itself after ``idle_unload_s``, and comes back with the next text.
    """

    required = False

    def __init__(
        self,
        find: Callable[[], LocalModel],
        *,
        threads: int = 1,
        idle_unload_s: float = 600.0,
        when_missing: Literal["off", "degraded"] = "off",
        command: Sequence[str] = COMMAND,
        load_limit_s: float = LOAD_LIMIT_S,
        request_limit_s: float = REQUEST_LIMIT_S,
    ) -> None:
        self._find = find
        self._threads = threads
        self._idle_unload_s = idle_unload_s
        self._when_missing: Literal["off", "degraded"] = when_missing
        self._command = command
        self._load_limit_s = load_limit_s
        self._request_limit_s = request_limit_s
        self._turnstile = Turnstile()
        self._process: EmbeddingProcess | None = None
        self._failures = 0
        self._resting_until = 0.0
        self._failure: str | None = None
        self._one_by_one = False
        self._deaths: Counter[str] = Counter()
        self._dims: int | None = None
        self._measured: dict[str, Calibration] = {}
        self._closed = False
        self._model: LocalModel | None = None
        self._missing: str | None = None
        self._look()

    @property
    def model_id(self) -> str | None:
        """The identity of the model's vectors; known without loading it."""
        return self._model.model_id if self._model else None

    def status(self) -> EmbedderStatus:
        """The current state; without a model it looks whether one has come."""
        if self._model is None:
            self._look()
        state, reason = self._state()
        name = self._model.name if self._model else None
        return EmbedderStatus("local", name, self._dims, state, reason)

    def _state(self) -> tuple[EmbedderState, str | None]:
        if self._closed:
            return "off", "the embedder is closed"
        if self._model is None:
            return self._when_missing, self._missing
        process = self._process
        if process is not None and process.running:
            return ("loading", None) if process.loading else ("ready", None)
        if self._failure is not None:
            return "degraded", self._failure
        if process is not None and not process.ended_unused:
            return "degraded", "the embedding process died"
        return "idle", None

    async def calibration(self) -> Calibration:
        """The model's shipped calibration, or one that is measured once for a model that has none.

        Raises:
            EmbedderError: there is no model, or it cannot embed now.
        """
        model = await self._known_model()
        if model.calibration is not None:
            return model.calibration
        if model.model_id not in self._measured:
            self._measured[model.model_id] = await measure_calibration(self)
        return self._measured[model.model_id]

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> "Vectors":
        """Vectors of shape (len(texts), dims). A passage that the model cannot embed has a row of zeros.

        Raises:
            EmbedderError: there is no model, it is loading (for queries), or its process failed.
        """
        import numpy as np

        model = await self._known_model()
        if not texts:
            return np.empty((0, self._dims or 0), np.float32)
        prepared = [_writable(model.recipe.prepare(text[:_TEXT_CHARS], kind)) for text in texts]
        if kind == "passage":
            # After a death each passage goes alone, so that it shows which one it was.
            most_texts = 1 if self._one_by_one else _BATCH_TEXTS
            batches = pack_all(prepared, most_texts=most_texts, most_bytes=_BATCH_BYTES)
            vectors = np.concatenate([await self._embed_passages(batch) for batch in batches])
            self._one_by_one = False
            return vectors
        try:
            with trio.move_on_after(self._query_limit_s()):
                batches = pack_all(prepared, most_texts=_BATCH_TEXTS, most_bytes=_BATCH_BYTES)
                return np.concatenate([await self._embed_batch(batch, kind) for batch in batches])
        except RefusedError:
            raise EmbedderError("the embedding model failed on the query") from None
        raise EmbedderError("the embedding model is loading or busy", retry_after_s=_BACKOFF_S)

    async def aclose(self) -> None:
        """End the process."""
        self._closed = True
        if self._process is not None:
            await self._process.aclose()
            self._process = None

    def _look(self) -> None:
        try:
            self._model, self._missing = self._find(), None
            self._dims = self._model.dims
        except MissingModelError as error:
            self._model, self._missing = None, str(error)

    async def _known_model(self) -> LocalModel:
        if self._closed:
            raise EmbedderError("the embedder is closed", permanent=True)
        if self._model is None:
            await trio.to_thread.run_sync(self._look)
        if self._model is None:
            raise EmbedderError(self._missing or "there is no embedding model", permanent=True)
        return self._model

    def _query_limit_s(self) -> float:
        """A query waits for a model that loads, but not as long as loading may take."""
        process = self._process
        if process is None or process.loading:
            loading_s = trio.current_time() - process.started_at if process else 0.0
            return max(0.0, QUERY_LOAD_WAIT_S - loading_s)
        return QUERY_LIMIT_S

    async def _embed_passages(self, texts: list[str]) -> "Vectors":
        """The vectors of one batch; zeros for a passage that the model refuses or that ends its process."""
        import numpy as np

        if len(texts) > 1:
            try:
                return await self._embed_batch(texts, "passage")
            except RefusedError:
                return np.concatenate([await self._embed_passages([text]) for text in texts])
        if self._deaths[texts[0]] < DEATHS_ALONE:
            try:
                return await self._embed_batch(texts, "passage")
            except RefusedError:
                pass
        return np.zeros((1, self._dims or 0), np.float32)

    async def _embed_batch(self, texts: list[str], kind: EmbedKind) -> "Vectors":
        async with self._turnstile.turn(kind):
            try:
                answer = await self._ask(texts, kind)
            except NotLoadedError as error:
                reason = NO_LIBRARY if error.problem == "no_library" else self._cannot_load()
                raise await self._failed(reason) from None
            except ProcessGoneError as error:
                if kind == "passage" and self._process is not None and self._process.ready is not None:
                    self._one_by_one = True
                    if len(texts) == 1:
                        self._deaths[texts[0]] += 1
                raise await self._failed(f"the embedding process failed: {error}") from None
            except OSError as error:
                raise await self._failed(
                    f"the embedding process cannot be started: {error.strerror}"
                ) from None
        self._failures, self._failure = 0, None
        return _rows(answer, len(texts), kind)

    async def _ask(self, texts: list[str], kind: EmbedKind) -> wire.Vectors:
        """The answer of the running process; one that went to sleep meanwhile is woken."""
        try:
            process = await self._running()
            return await process.embed(texts, background=kind == "passage")
        except ProcessGoneError as error:
            if not error.unused:
                raise
        process = await self._running()
        return await process.embed(texts, background=kind == "passage")

    async def _running(self) -> EmbeddingProcess:
        process = self._process
        if process is not None and not process.running:
            self._process = None
            await process.aclose()
            if not process.ended_unused:
                raise ProcessGoneError("it died")
        if self._process is None:
            self._process = await self._start()
            if self._closed:
                raise ProcessGoneError("it came too late")
        ready = await self._process.wait_ready()
        self._dims = ready.dims
        return self._process

    async def _start(self) -> EmbeddingProcess:
        if self._closed:
            raise EmbedderError("the embedder is closed", permanent=True)
        rest_s = self._resting_until - trio.current_time()
        if rest_s > 0:
            raise EmbedderError(self._failure or "the embedding process failed", retry_after_s=rest_s)
        await trio.to_thread.run_sync(self._look)
        model = await self._known_model()
        load = wire.Load(str(model.path), self._threads, model.recipe.max_tokens, self._idle_unload_s)
        return await EmbeddingProcess.start(
            load, command=self._command, load_limit_s=self._load_limit_s, limit_s=self._request_limit_s
        )

    def _cannot_load(self) -> str:
        name = self._model.name if self._model else "embedding"
        return f"llama.cpp cannot load the model {name}; install it again or use another (memd model list)"

    async def _failed(self, reason: str) -> EmbedderError:
        """End the process and rest before the next start, each time longer."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            await process.aclose()
        if self._closed:
            return EmbedderError("the embedder is closed", permanent=True)
        rest_s = min(_MOST_BACKOFF_S, _BACKOFF_S * 2**self._failures)
        self._failures += 1
        self._resting_until = trio.current_time() + rest_s
        self._failure = reason
        _log.warning("embedding process failed", failures=self._failures, retry_in_s=rest_s)
        return EmbedderError(reason, retry_after_s=rest_s)


def _writable(text: str) -> str:
    """``text`` without lone surrogates, which have no bytes."""
    return text.encode("utf-8", "replace").decode()


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
