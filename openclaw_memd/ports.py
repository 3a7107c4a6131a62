"""What the core asks of the outside: small protocols; adapter and fake of each pass one contract test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:  # numpy is imported by the modules that compute with vectors, not by everybody
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Clock(Protocol):
    """Wall-clock and monotonic time."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary origin that never goes back."""
        ...


class Rng(Protocol):
    """Randomness for jitter, nothing that matters for security."""

    def random(self) -> float:
        """A float in [0, 1)."""
        ...


EmbedKind = Literal["query", "passage"]
EmbedderState = Literal["ready", "loading", "idle", "off", "degraded", "paused"]


@dataclass(frozen=True, slots=True)
class EmbedderStatus:
    """What ``status`` shows of an embedder. ``reason`` is a plain sentence that says what to do."""

    provider: str
    model: str | None
    dims: int | None
    state: EmbedderState
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """How to read a model's cosine: ``floor`` and ``ceiling`` are the cosines of unrelated and of closely
    related text in this model, measured on text that ships with memd; ``weight`` is the share of the vector
    score in a hybrid score (0 to 1).
    """

    floor: float
    ceiling: float
    weight: float

    def score(self, cosine: float) -> float:
        """``cosine`` mapped to 0..1."""
        return min(1.0, max(0.0, (cosine - self.floor) / (self.ceiling - self.floor)))

    def score_all(self, cosines: "Vectors") -> list[float]:
        """``score`` of each of ``cosines`` [n]."""
        scores: list[float] = ((cosines - self.floor) / (self.ceiling - self.floor)).clip(0.0, 1.0).tolist()
        return scores


class EmbedderError(Exception):
    """An embedding could not be made now. ``required`` providers turn it into ``unavailable``."""

    def __init__(self, message: str, *, retry_after_s: float | None = None, permanent: bool = False) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.permanent = permanent


class Embedder(Protocol):
    """Turns texts into L2-normalised vectors."""

    @property
    def model_id(self) -> str | None:
        """The identity that vectors are stored under (model and everything that changes its vectors);
        None while it is not known or when there is no model.
        """
        ...

    @property
    def required(self) -> bool:
        """Whether a failure makes search ``unavailable`` (an explicitly configured remote provider)."""
        ...

    def status(self) -> EmbedderStatus:
        """The current state, at once."""
        ...

    async def calibration(self) -> Calibration:
        """The model's calibration, loading the model when needed."""
        ...

    async def embed(self, texts: Sequence[str], *, kind: EmbedKind) -> "Vectors":
        """Vectors of shape (len(texts), dims), float32, each of norm 1, finite.

        ``query`` calls go before ``passage`` calls that wait. A passage that the model cannot embed has a row
        of zeros, so that one odd text does not hold up a batch.

        Raises:
            EmbedderError: the provider failed, is cooling down or is not there.
        """
        ...

    async def aclose(self) -> None:
        """Release the model, its process and its connections."""
        ...


ChatModelState = Literal["ready", "loading", "idle", "off", "degraded"]
ChatFailure = Literal["off", "unavailable", "timeout", "too_large", "invalid", "refused"]


@dataclass(frozen=True, slots=True)
class ChatModelStatus:
    """What ``status`` shows of a chat model. ``reason`` is a plain sentence that says what to do."""

    provider: str
    model: str | None
    state: ChatModelState
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a chat model.

    ``schema`` is a JSON schema that the answer must keep to, as far as the model can be held to one: whoever
    asks checks. ``deadline_at`` is in trio's time. ``purpose`` says what the answer is for, as one word.
    """

    system: str
    prompt: str
    max_tokens: int
    deadline_at: float
    purpose: str
    schema: Mapping[str, Any] | None = None


class ChatModelError(Exception):
    """There is no usable answer. ``failure`` says why; the message never holds a text of either side."""

    def __init__(self, failure: ChatFailure, message: str = "") -> None:
        super().__init__(message or failure)
        self.failure: ChatFailure = failure


class ChatModel(Protocol):
    """Answers questions. Everything works without one, with less judgement."""

    @property
    def model_id(self) -> str | None:
        """Provider and model as one name; None when there is no model now."""
        ...

    def status(self) -> ChatModelStatus:
        """The current state, at once."""
        ...

    async def complete(self, request: ChatRequest) -> str:
        """The answer's text, at most some 256 KiB of it, not blank.

        Raises:
            ChatModelError: there is none by the deadline, or at all.
        """
        ...

    async def aclose(self) -> None:
        """Release the model, its process and its connections."""
        ...
