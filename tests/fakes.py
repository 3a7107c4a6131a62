"""Deterministic stand-ins at the ports."""

import hashlib
import math
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import trio
from numpy.typing import NDArray

from openclaw_memd.models.chat.answers import check_answer, timed_out
from openclaw_memd.ports import (
    Calibration,
    ChatModelError,
    ChatModelStatus,
    ChatRequest,
    EmbedderError,
    EmbedderStatus,
    EmbedKind,
)

Vectors = NDArray[np.float32]

_WORD = re.compile(r"\w+")


class HashEmbedder:
    """Texts with common words have near vectors: each word is a fixed random direction, a text their sum.

    ``faults`` are raised one by one before anything is embedded. ``before_answer`` is awaited in each call,
    to let a test change the world meanwhile. ``calls`` records kinds and texts of answered calls.
    """

    def __init__(self, *, dims: int = 32, model_id: str = "hash-1", required: bool = False) -> None:
        self.dims = dims
        self.required = required
        self.faults: deque[EmbedderError] = deque()
        self.before_answer: Callable[[], Awaitable[None]] | None = None
        self.calls: list[tuple[EmbedKind, tuple[str, ...]]] = []
        self.attempts = 0
        self.loads = 0
        self._model_id: str | None = model_id
        self._closed = False

    @property
    def model_id(self) -> str | None:
        return self._model_id

    @model_id.setter
    def model_id(self, model_id: str | None) -> None:
        self._model_id = model_id

    @property
    def embedded_texts(self) -> list[str]:
        """Every passage that was embedded, in order."""
        return [text for kind, texts in self.calls if kind == "passage" for text in texts]

    def status(self) -> EmbedderStatus:
        if self._model_id is None:
            return EmbedderStatus("fake", None, None, "off", "there is no model")
        return EmbedderStatus("fake", self._model_id, self.dims, "ready" if self.loads else "idle")

    async def calibration(self) -> Calibration:
        """Known without embedding, unless the model is not known."""
        await trio.lowlevel.checkpoint()
        if self._model_id is None:
            await self._answer()
        return Calibration(floor=0.0, ceiling=0.8, weight=0.5)

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> Vectors:
        await self._answer()
        self.calls.append((kind, tuple(texts)))
        return (
            np.stack([self.vector(text) for text in texts]) if texts else np.empty((0, self.dims), np.float32)
        )

    async def aclose(self) -> None:
        self._closed = True
        await trio.lowlevel.checkpoint()

    def vector(self, text: str) -> Vectors:
        """The vector of ``text``, of norm 1."""
        words = _WORD.findall(text.casefold()) or [text]
        total = np.sum([self._direction(word) for word in words], axis=0)
        unit: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
        return unit

    def _direction(self, word: str) -> NDArray[np.float64]:
        seed = hashlib.sha256(f"{self._model_id} {word}".encode("utf-8", "surrogatepass")).digest()
        return np.random.default_rng(int.from_bytes(seed[:8], "big")).normal(size=self.dims)

    async def _answer(self) -> None:
        await trio.lowlevel.checkpoint()
        self.attempts += 1
        if self._closed:
            raise EmbedderError("the embedder is closed", permanent=True)
        if self.faults:
            raise self.faults.popleft()
        self.loads += not self.loads
        if self.before_answer is not None:
            await self.before_answer()


ScriptedAnswer = str | ChatModelError | Callable[[ChatRequest], str]


class ScriptedChatModel:
    """Gives ``answers`` one after the other: a text, a failure, or what a function makes of the request.

    After the last one it is ``unavailable``, unless there is an ``otherwise``. Each answer takes ``delay_s``
    in trio's time; ``hang`` makes it take forever. ``requests`` are all that were asked, in order.
    """

    def __init__(
        self,
        answers: Iterable[ScriptedAnswer] = (),
        *,
        otherwise: ScriptedAnswer | None = None,
        delay_s: float = 0.0,
        model_id: str = "scripted:1",
    ) -> None:
        self.answers: deque[ScriptedAnswer] = deque(answers)
        self.otherwise = otherwise
        self.delay_s = delay_s
        self.requests: list[ChatRequest] = []
        self._model_id = model_id
        self._closed = False

    @property
    def model_id(self) -> str | None:
        return None if self._closed else self._model_id

    def hang(self) -> None:
        """Answer nothing any more."""
        self.delay_s = math.inf

    def status(self) -> ChatModelStatus:
        if self._closed:
            return ChatModelStatus("fake", None, "off", "the chat model is closed")
        return ChatModelStatus("fake", self._model_id, "ready")

    async def complete(self, request: ChatRequest) -> str:
        await trio.lowlevel.checkpoint()
        if self._closed:
            raise ChatModelError("off", "the chat model is closed")
        self.requests.append(request)
        with trio.move_on_at(request.deadline_at):
            await trio.sleep(self.delay_s)
            return check_answer(self._next(request))
        raise timed_out()

    async def aclose(self) -> None:
        self._closed = True
        await trio.lowlevel.checkpoint()

    def _next(self, request: ChatRequest) -> str:
        answer = self.answers.popleft() if self.answers else self.otherwise
        if answer is None:
            raise ChatModelError("unavailable", "the script is at its end")
        if isinstance(answer, ChatModelError):
            raise answer
        return answer if isinstance(answer, str) else answer(request)


class TrioClock:
    """Wall-clock time that moves with trio's clock, from a fixed instant."""

    def __init__(self, start: datetime = datetime(2026, 1, 11, 12, tzinfo=UTC)) -> None:
        self._start = start

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        try:
            return trio.current_time()
        except RuntimeError:  # in a worker thread
            return trio.from_thread.run_sync(trio.current_time)


class ConstantRng:
    """The same number every time."""

    def __init__(self, value: float = 0.0) -> None:
        self._value = value

    def random(self) -> float:
        return self._value
