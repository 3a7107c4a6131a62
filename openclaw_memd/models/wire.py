"""What the daemon and a model's process say to each other: length-prefixed msgpack over two pipes."""

import struct
from collections.abc import Iterator
from typing import Literal

import msgspec

_LENGTH = struct.Struct("<I")
MAX_FRAME_BYTES = 64 * 1024 * 1024

LoadProblem = Literal["no_library", "bad_model"]
CompletionProblem = Literal["too_large", "timeout", "failed"]


class Load(msgspec.Struct, tag="load", frozen=True):
    """The first request: load a model, and embed ``trial`` with it. The process ends by itself after
    ``idle_s`` without a request.
    """

    path: str
    threads: int
    max_tokens: int
    idle_s: float
    trial: list[str]


class Embed(msgspec.Struct, tag="embed", frozen=True):
    """Texts to embed; ``background`` ones run at a low priority."""

    id: int
    texts: list[str]
    background: bool


class LoadChat(msgspec.Struct, tag="load_chat", frozen=True):
    """The first request to a chat model's process, otherwise as ``Load``."""

    path: str
    threads: int
    idle_s: float


class Complete(msgspec.Struct, tag="complete", frozen=True):
    """A question. ``schema`` is a JSON schema as JSON. After ``limit_s`` nobody waits for the answer."""

    id: int
    system: str
    prompt: str
    schema: str | None
    max_tokens: int
    limit_s: float


class GiveUp(msgspec.Struct, tag="give_up", frozen=True):
    """Nobody waits for the answer to a question any more. It is answered all the same, soon."""

    id: int


class Ready(msgspec.Struct, tag="ready", frozen=True):
    """The model is loaded; it reads ``max_tokens`` of a text. ``trial`` holds rows as in ``Vectors``."""

    dims: int
    max_tokens: int
    trial: bytes


class ChatReady(msgspec.Struct, tag="chat_ready", frozen=True):
    """The chat model is loaded; question and answer together have room for ``context_tokens``."""

    context_tokens: int


class NotLoaded(msgspec.Struct, tag="not_loaded", frozen=True):
    """The model cannot be loaded; the process ends."""

    problem: LoadProblem


class Vectors(msgspec.Struct, tag="vectors", frozen=True):
    """Rows of little-endian float32, each of norm 1. ``cut`` counts the texts that were too long."""

    id: int
    dims: int
    rows: bytes
    cut: int


class Refused(msgspec.Struct, tag="refused", frozen=True):
    """The texts of one request could not be embedded; the process goes on."""

    id: int


class Completed(msgspec.Struct, tag="completed", frozen=True):
    """The answer to a question, as far as the model got."""

    id: int
    text: str


class NotCompleted(msgspec.Struct, tag="not_completed", frozen=True):
    """There is no answer to a question; the process goes on."""

    id: int
    problem: CompletionProblem


Request = Load | Embed | LoadChat | Complete | GiveUp
Answer = Vectors | Refused | Completed | NotCompleted
Reply = Ready | ChatReady | NotLoaded | Answer

_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(Request)
_replies = msgspec.msgpack.Decoder(Reply)


class FrameError(Exception):
    """The other side does not speak the protocol."""


def encode_frame(message: Request | Reply) -> bytes:
    """``message`` as one frame."""
    payload = _encoder.encode(message)
    return _LENGTH.pack(len(payload)) + payload


class FrameBuffer:
    """Collects bytes as they come and gives back whole payloads."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes | bytearray) -> None:
        """Add what was read."""
        self._bytes += data

    def _payloads(self) -> Iterator[bytes]:
        while len(self._bytes) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._bytes)
            if length > MAX_FRAME_BYTES:
                raise FrameError("a frame is too long")
            end = _LENGTH.size + length
            if len(self._bytes) < end:
                return
            payload = bytes(self._bytes[_LENGTH.size : end])
            del self._bytes[:end]
            yield payload

    def requests(self) -> Iterator[Request]:
        """The requests that are complete.

        Raises:
            FrameError: the bytes are no requests.
        """
        try:
            for payload in self._payloads():
                yield _requests.decode(payload)
        except msgspec.MsgspecError as error:
            raise FrameError("a frame is not a request") from error

    def replies(self) -> Iterator[Reply]:
        """The replies that are complete.

        Raises:
            FrameError: the bytes are no replies.
        """
        try:
            for payload in self._payloads():
                yield _replies.decode(payload)
        except msgspec.MsgspecError as error:
            raise FrameError("a frame is not a reply") from error
