"""Embedding through an OpenAI-compatible ``/embeddings`` endpoint."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import trio

from openclaw_memd.domain.surrogates import replace_surrogates
from openclaw_memd.models.batching import pack
from openclaw_memd.models.calibration import Measurements
from openclaw_memd.models.embeddings_api import BadAnswerError, encode_request, read_vectors
from openclaw_memd.models.http import JsonPoster, TransportError
from openclaw_memd.models.keys import KeyProblemError, read_key
from openclaw_memd.models.recovery import Recovery
from openclaw_memd.models.verdict import Accepted, Denied, Refused, TooLarge, TryLater, Verdict, judge
from openclaw_memd.ports import Calibration, Clock, EmbedderError, EmbedderStatus, EmbedKind, Rng

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "text-embedding-3-small"

_CALLS = {"query": 2, "passage": 4}  # OpenClaw's three retries; who asks a question does not wait that long
_TIMEOUTS_S = {"query": 10.0, "passage": 120.0}
_FIRST_BATCH_TEXTS = 64
_BATCH_BYTES = 8_000  # OpenClaw's bound: no token is shorter than a byte
_TEXT_CHARS = 32_768
_LEAST_TEXT_CHARS = 64
_BYTES_OF_A_VECTOR = 262_144  # 8192 numbers as JSON
_PROBE = "ready"


class SuspectTextsError(EmbedderError):
    """The provider failed, but perhaps only on these texts. ``refused``: it said that it will not do it."""

    def __init__(self, reason: str, *, refused: bool, retry_after_s: float | None = None) -> None:
        super().__init__(reason, retry_after_s=retry_after_s)
        self.refused = refused


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """Which endpoint, and how to talk to it.

    ``dims`` asks for that many dimensions, None for the model's own; the types are values of ``input_type``;
    ``batch`` is the most texts of a request, None learns it.
    """

    base_url: str = DEFAULT_BASE_URL
    model: str = DEFAULT_MODEL
    api_key_env: str | None = None
    api_key_file: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    dims: int | None = None
    query_type: str | None = None
    passage_type: str | None = None
    batch: int | None = None


class RemoteEmbedder:
    """An embedder behind HTTP. ``mask`` takes secrets out of every text before it is sent.

    Passages are sent one request at a time and wait while the provider asks to; queries go at once, and fail
    at once while it does.
    """

    required = True

    def __init__(
        self,
        settings: RemoteSettings,
        *,
        mask: Callable[[str], str],
        clock: Clock,
        rng: Rng,
        measured: Measurements | None = None,
    ) -> None:
        self._settings = settings
        self._mask = mask
        self._clock = clock
        self._url = settings.base_url.rstrip("/") + "/embeddings"
        self._poster = JsonPoster(self._url)
        self._recovery = Recovery(rng)
        self._passages = trio.Lock()
        self._batch_texts = settings.batch or _FIRST_BATCH_TEXTS
        self._text_chars = _TEXT_CHARS
        self._dims = settings.dims
        self._measured = measured or Measurements()
        self._answered = False
        self._warning: str | None = None
        self._closed = False

    @property
    def model_id(self) -> str | None:
        """The identity of the vectors; None until their dimensions are configured or seen."""
        if self._dims is None:
            return None
        settings = self._settings
        parts = (self._url, settings.model, self._dims, settings.query_type, settings.passage_type)
        digest = sha256(repr(parts).encode()).hexdigest()[:16]
        return f"openai:{settings.model}:{self._dims}:{digest}"

    def status(self) -> EmbedderStatus:
        """The current state, at once."""
        model, dims = self._settings.model, self._dims
        if self._closed:
            return EmbedderStatus("openai", model, dims, "off", "the embedder is closed")
        if self._recovery.reason is not None:
            return EmbedderStatus("openai", model, dims, "degraded", self._recovery.reason)
        return EmbedderStatus("openai", model, dims, "ready" if self._answered else "idle", self._warning)

    async def calibration(self) -> Calibration:
        """The calibration, measured once by embedding about a hundred short texts of memd's own.

        Raises:
            EmbedderError: the provider failed.
        """
        return await self._measured.of(self)

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> "Vectors":
        """Vectors of shape (len(texts), dims). A passage that the model cannot embed has a row of zeros.

        Raises:
            EmbedderError: the provider failed, asks to wait, or somebody must act first.
        """
        import numpy as np

        if self._closed:
            raise EmbedderError("the embedder is closed", permanent=True)
        if not texts:
            return np.empty((0, self._dims or 0), np.float32)
        masked = [self._prepare(text) for text in texts]
        if kind == "query":
            return await self._embed_all(masked, kind)
        async with self._passages:
            return await self._embed_all(masked, kind)

    async def aclose(self) -> None:
        """Close the connections."""
        self._closed = True
        await self._poster.aclose()

    def _prepare(self, text: str) -> str:
        """``text`` as it may be sent: masked, with bytes for every character, and not blank."""
        masked = replace_surrogates(self._mask(text)[:_TEXT_CHARS])
        return masked if masked.strip(" \t\n\r\x00") else "."

    async def _embed_all(self, texts: Sequence[str], kind: EmbedKind) -> "Vectors":
        import numpy as np

        parts, waiting = [], list(texts)
        while waiting:
            batch = pack(waiting, most_texts=self._batch_texts, most_bytes=_BATCH_BYTES)
            rows = await self._embed_batch(batch, kind)
            parts.append(rows)
            waiting = waiting[len(rows) :]
        if len({part.shape[1] for part in parts}) != 1:
            raise EmbedderError("the embedding provider changed its dimensions")
        return np.concatenate(parts)

    async def _embed_batch(self, batch: list[str], kind: EmbedKind) -> "Vectors":
        """The vectors of as many of ``batch`` as the provider takes at once, at least one.

        A passage that the provider fails on while others work has zeros.
        """
        import numpy as np

        while True:
            sent = [text[: self._text_chars] for text in batch]
            try:
                vectors = await self._call(sent, kind)
            except SuspectTextsError as error:
                if kind == "query":
                    raise
                if not await self._works():
                    if error.refused:
                        raise self._recovery.denied(f"{error}; check its settings") from error
                    raise
                if len(batch) == 1:
                    return np.zeros((1, self._dims or 0), np.float32)
                batch = batch[: len(batch) // 2]  # not remembered: it is one of these texts, not their number
                continue
            if vectors is not None:
                return vectors
            if len(batch) > 1:
                batch = batch[: len(batch) // 2]
                self._batch_texts = len(batch)
            elif len(sent[0]) > _LEAST_TEXT_CHARS:
                self._text_chars = len(sent[0]) // 2
            else:
                raise EmbedderError("the embedding provider finds every text too large")

    async def _works(self) -> bool:
        """Whether the provider embeds a text that is nobody's."""
        try:
            return await self._call([_PROBE], "passage") is not None
        except EmbedderError:
            return False

    async def _call(self, texts: list[str], kind: EmbedKind) -> "Vectors | None":
        """The vectors of ``texts``, or None when they are too much for one request."""
        suspect = False
        for _ in range(_CALLS[kind]):
            await self._recovery.wait(patient=kind == "passage")
            verdict, vectors = await self._request(texts, kind)
            match verdict:
                case Accepted():
                    self._recovery.succeeded()
                    self._answered = True
                    return vectors
                case TooLarge():
                    self._recovery.succeeded()
                    return None
                case TryLater(reason=reason, retry_after_s=retry_after_s, suspect_texts=suspect):
                    self._recovery.failed(reason, retry_after_s)
                case Denied(reason=reason):
                    raise self._recovery.denied(reason)
                case Refused(reason=reason):
                    raise SuspectTextsError(reason, refused=True)
        error = self._recovery.error()
        if suspect:
            raise SuspectTextsError(str(error), refused=False, retry_after_s=error.retry_after_s)
        raise error

    async def _request(self, texts: list[str], kind: EmbedKind) -> "tuple[Verdict, Vectors | None]":
        settings = self._settings
        body = encode_request(
            texts,
            model=settings.model,
            host=urlsplit(self._url).hostname or "",
            dims=settings.dims,
            input_type=settings.query_type if kind == "query" else settings.passage_type,
        )
        try:
            answer = await self._poster.post(
                body,
                self._headers(),
                timeout_s=_TIMEOUTS_S[kind],
                max_bytes=_BYTES_OF_A_VECTOR * (1 + len(texts)),
            )
        except KeyProblemError as error:
            return Denied(str(error)), None
        except TransportError as error:
            return TryLater(f"the embedding provider failed: {error}"), None
        verdict = judge(answer.status, answer.headers, answer.body, now=self._clock.now())
        if not isinstance(verdict, Accepted):
            return verdict, None
        try:
            vectors = read_vectors(answer.body, len(texts), zeros_allowed=kind == "passage")
        except BadAnswerError as error:
            reason = f"the embedding provider answered wrongly: {error}"
            return TryLater(reason, suspect_texts=True), None
        dims = vectors.shape[1]
        if settings.dims not in {None, dims}:
            return Denied(
                f"the embedding provider gives {dims} dimensions, not {settings.dims}; check dims and model"
            ), None
        self._dims = dims
        return verdict, vectors

    def _headers(self) -> dict[str, str]:
        settings = self._settings
        key = read_key(env=settings.api_key_env, file=settings.api_key_file)
        self._warning = key.warning
        authorization = {"authorization": f"Bearer {key.value}"} if key.value else {}
        return {**authorization, **settings.headers}
