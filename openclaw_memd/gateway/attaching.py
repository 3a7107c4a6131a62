"""``model.attach`` and ``model.detach``: a runtime lends its chat model over its own connection."""

import math
import os
from collections.abc import Hashable
from typing import Annotated

import trio
from msgspec import Meta

from openclaw_memd.domain.surrogates import replace_surrogates
from openclaw_memd.errors import DeniedError
from openclaw_memd.gateway.duplex import Duplex, PeerError
from openclaw_memd.gateway.results import Result
from openclaw_memd.gateway.schemas import CallParams
from openclaw_memd.gateway.table import AnyMethod, Call, Method
from openclaw_memd.ports import ChatFailure, ChatModelError, ChatRequest

COMPLETE = "model.complete"
_MOST_DEADLINE_MS = 3_600_000

ModelName = Annotated[str, Meta(min_length=1, max_length=256)]


class AttachParams(CallParams, frozen=True, kw_only=True):
    """Params of ``model.attach``; attaching again replaces what was said before."""

    models: Annotated[
        tuple[ModelName, ...],
        Meta(max_length=32, description="names of the runtime's models, the one it answers with first"),
    ] = ()
    max_parallel: Annotated[
        int, Meta(ge=1, le=64, description="questions that the runtime takes at once; more wait")
    ] = 4


class DetachParams(CallParams, frozen=True, kw_only=True):
    """Params of ``model.detach``."""


class Attached(Result, frozen=True, kw_only=True):
    """The runtime is attached; the first question comes after this answer."""

    attached: bool
    used: Annotated[bool, Meta(description="false: [model] provider names another model, nobody will ask")]


class Detached(Result, frozen=True, kw_only=True):
    """Whether the runtime was attached before."""

    detached: bool


class LineRuntime:
    """A runtime at the other end of a line connection."""

    def __init__(self, duplex: Duplex, models: tuple[str, ...], max_parallel: int) -> None:
        self.models = models
        self._duplex = duplex
        self._places = trio.Semaphore(max_parallel)
        self._opened = trio.Event()
        self._asking: set[trio.CancelScope] = set()
        self._is_closed = False

    @property
    def has_room(self) -> bool:
        """Whether it takes one more question at once."""
        return self._places.value > 0

    def open(self) -> None:
        """Send questions from now on; they waited for the answer to ``model.attach``."""
        self._opened.set()

    def close(self) -> None:
        """Send no more questions; those on their way and those that wait fail now."""
        self._is_closed = True
        for scope in self._asking:
            scope.cancel()

    async def ask(self, request: ChatRequest) -> str:
        """The text of its answer, once it has room.

        Raises:
            ChatModelError: the runtime is gone, refused, or gave no text.
        """
        if not self._is_closed:
            with trio.CancelScope() as scope:
                self._asking.add(scope)
                try:
                    return await self._ask(request)
                finally:
                    self._asking.remove(scope)
        raise ChatModelError("unavailable", "the runtime is gone")

    async def _ask(self, request: ChatRequest) -> str:
        await self._opened.wait()
        async with self._places:
            params = {
                "system": replace_surrogates(request.system),
                "prompt": replace_surrogates(request.prompt),
                "max_tokens": request.max_tokens,
                "deadline_ms": _milliseconds_to(request.deadline_at),
                "purpose": request.purpose,
            }
            if request.schema is not None:
                params["schema"] = request.schema
            try:
                result = await self._duplex.ask(COMPLETE, params)
            except PeerError as error:
                raise _failure(error) from None
        text = result.get("text") if isinstance(result, dict) else None
        if not isinstance(text, str):
            raise ChatModelError("invalid", "the runtime's answer has no text")
        return text


async def attach(call: Call, params: AttachParams) -> Attached:
    """``model.attach``: what a model answers decides what is recalled, so it is this user's or nobody's."""
    duplex = _duplex_of(call)
    if duplex.peer.uid != os.geteuid():
        raise DeniedError("only programs of the daemon's own user may attach a model", reason="other_user")
    agent = call.services.agent(params.agent_id)
    runtime = LineRuntime(duplex, params.models, params.max_parallel)

    def end() -> None:
        agent.runtimes.detach(runtime)
        runtime.close()

    agent.runtimes.attach(runtime)
    duplex.keep(_key(params.agent_id), end)
    call.delivery.afterwards.append(runtime.open)
    return Attached(attached=True, used=agent.chat_model.status().provider == "runtime")


async def detach(call: Call, params: DetachParams) -> Detached:
    """``model.detach``: questions on their way fail now, so that the next runtime is asked them in time."""
    call.services.agent(params.agent_id)
    return Detached(detached=_duplex_of(call).drop(_key(params.agent_id)))


def _duplex_of(call: Call) -> Duplex:
    assert call.duplex is not None  # as the method's row in the table asks
    return call.duplex


def _key(agent_id: str) -> Hashable:
    return "model", agent_id


def _milliseconds_to(deadline_at: float) -> int:
    left_s = deadline_at - trio.current_time()
    return _MOST_DEADLINE_MS if math.isinf(left_s) else min(_MOST_DEADLINE_MS, max(1, int(left_s * 1000)))


def _failure(error: PeerError) -> ChatModelError:
    failures: dict[str, tuple[ChatFailure, str]] = {
        "gone": ("unavailable", "the runtime is gone"),
        "refused": ("unavailable", "the runtime answered with an error"),
        "invalid": ("invalid", "the runtime's answer cannot be read"),
        "too_large": ("too_large", "the runtime's answer is too long"),
    }
    return ChatModelError(*failures[error.failure])


METHODS: tuple[AnyMethod, ...] = (
    Method(
        name="model.attach",
        right="N",
        pace="read",
        params=AttachParams,
        results=(Attached,),
        handler=attach,
        summary=(
            "Lend the caller's chat model: from now on the daemon may send `model.complete` requests"
            " on this connection (line protocol only)."
        ),
        example={"models": ["my-model"], "max_parallel": 2},
        needs_line=True,
    ),
    Method(
        name="model.detach",
        right="N",
        pace="read",
        params=DetachParams,
        results=(Detached,),
        handler=detach,
        summary="Answer no more `model.complete` requests on this connection, nor those on their way.",
        example={},
        needs_line=True,
    ),
)
