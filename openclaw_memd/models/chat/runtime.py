"""The chat model of a runtime that attached: the daemon asks it over the runtime's own connection."""

import math
from collections.abc import Collection
from typing import Final, Protocol

import structlog
import trio

from openclaw_memd.models.chat.answers import FAIR_S, check_answer, timed_out, within
from openclaw_memd.ports import ChatModelError, ChatModelStatus, ChatRequest

REST_S: Final = 30.0
"""How long a runtime that failed comes after those that did not."""

_log = structlog.get_logger("memd.models")


class AttachedRuntime(Protocol):
    """One runtime that answers questions."""

    @property
    def models(self) -> tuple[str, ...]:
        """What it calls its models, the one that it uses first."""
        ...

    @property
    def has_room(self) -> bool:
        """Whether it takes one more question at once."""
        ...

    async def ask(self, request: ChatRequest) -> str:
        """The text of its answer, unchecked, once it has room.

        Raises:
            ChatModelError: it failed, or is gone. The caller keeps the deadline.
        """
        ...


class AttachedRuntimes:
    """The runtimes of one agent, in the order in which they attached."""

    def __init__(self) -> None:
        self._resting_until: dict[AttachedRuntime, float] = {}

    def attach(self, runtime: AttachedRuntime) -> None:
        """Let ``runtime`` be asked, before all that attached earlier."""
        self.detach(runtime)
        self._resting_until[runtime] = 0.0

    def detach(self, runtime: AttachedRuntime) -> bool:
        """Ask ``runtime`` no more; False when it was not attached."""
        return self._resting_until.pop(runtime, None) is not None

    @property
    def newest(self) -> AttachedRuntime | None:
        """The runtime that attached last."""
        return next(reversed(self._resting_until), None)

    @property
    def all_rest(self) -> bool:
        """Whether every one of them failed lately."""
        return all(until > trio.current_time() for until in self._resting_until.values())

    def order(self) -> list[AttachedRuntime]:
        """Whom to ask first: who did not fail lately, then who has room, then the newest."""
        now = trio.current_time()
        newest_first = list(reversed(self._resting_until))
        return sorted(
            newest_first,
            key=lambda runtime: (self._resting_until[runtime] > now, not runtime.has_room),
        )

    def note(self, runtime: AttachedRuntime, *, failed: bool) -> None:
        """How a question to ``runtime`` went."""
        if runtime in self._resting_until:
            self._resting_until[runtime] = trio.current_time() + REST_S if failed else 0.0


class RuntimeChatModel:
    """Whichever runtime is attached; when one fails the next is asked, as long as there is time.

    ``timeout_s`` bounds one answer.
    """

    def __init__(self, runtimes: AttachedRuntimes, *, timeout_s: float = math.inf) -> None:
        self._runtimes = runtimes
        self._timeout_s = timeout_s
        self._closed = False

    @property
    def model_id(self) -> str | None:
        """The newest runtime's first model; None while none is attached."""
        newest = None if self._closed else self._runtimes.newest
        return None if newest is None else f"runtime:{newest.models[0] if newest.models else 'unnamed'}"

    def status(self) -> ChatModelStatus:
        """Ready while a runtime is attached, degraded while all of them failed lately."""
        newest = self._runtimes.newest
        if self._closed:
            return ChatModelStatus("runtime", None, "off", "the chat model is closed")
        if newest is None:
            return ChatModelStatus(
                "runtime", None, "idle", "no runtime is attached; one attaches with model.attach"
            )
        model = newest.models[0] if newest.models else None
        if self._runtimes.all_rest:
            return ChatModelStatus(
                "runtime", model, "degraded", "the attached runtime does not answer as it should"
            )
        return ChatModelStatus("runtime", model, "ready")

    async def complete(self, request: ChatRequest) -> str:
        """The answer's text.

        Raises:
            ChatModelError: none of the runtimes gave one by the deadline.
        """
        if self._closed:
            raise ChatModelError("off", "the chat model is closed")
        request = within(request, self._timeout_s)
        failure = ChatModelError("unavailable", "no runtime is attached")
        asked: set[AttachedRuntime] = set()
        while runtime := self._next(asked):
            asked.add(runtime)
            try:
                return await self._ask(runtime, request)
            except ChatModelError as error:
                failure = error
                _log.info("attached runtime failed", reason=error.failure, kind=request.purpose)
                if error.failure == "timeout":
                    break
        raise failure

    async def aclose(self) -> None:
        """Ask nobody any more."""
        self._closed = True

    def _next(self, asked: Collection[AttachedRuntime]) -> AttachedRuntime | None:
        """Whom to ask next; who is attached may have changed since the last one was asked."""
        return next((runtime for runtime in self._runtimes.order() if runtime not in asked), None)

    async def _ask(self, runtime: AttachedRuntime, request: ChatRequest) -> str:
        began_at = trio.current_time()
        try:
            with trio.move_on_at(request.deadline_at):
                text = check_answer(await runtime.ask(request))
                self._runtimes.note(runtime, failed=False)
                return text
            raise timed_out()
        except ChatModelError as error:
            if error.failure != "timeout" or trio.current_time() - began_at >= FAIR_S:
                self._runtimes.note(runtime, failed=True)
            raise
