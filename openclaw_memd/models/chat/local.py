"""A chat model on this machine, in a process of its own that is started when there is something to ask."""

import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import structlog
import trio

from openclaw_memd.domain.surrogates import replace_surrogates
from openclaw_memd.models import wire
from openclaw_memd.models.chat.answers import check_answer, timed_out, within
from openclaw_memd.models.host import LOAD_LIMIT_S
from openclaw_memd.models.locate import NO_LIBRARY, MissingModelError, Stamp, stamp_of
from openclaw_memd.models.process import ModelProcess, NotLoadedError, ProcessGoneError
from openclaw_memd.ports import ChatModelError, ChatModelState, ChatModelStatus, ChatRequest

COMMAND: Final = (sys.executable, "-P", "-m", "openclaw_memd.models.chat.child")

LATE_S: Final = 2.0
"""How much later than its deadline an answer may come before the process counts as hung: it stops by itself
when the deadline is over, within a token.
"""

_BACKOFF_S = 1.0
_MOST_BACKOFF_S = 300.0
_TRIES = 2  # the process may have hung, or gone to sleep, since it was last asked

_log = structlog.get_logger("memd.models")

_Process = ModelProcess[wire.ChatReady]


class LocalChatModel:
    """The model in the file that ``find`` returns, which is asked again before each start.

    One question at a time. The process ends by itself after ``idle_unload_s``, and comes back with the next
    question; one that hangs is killed and replaced. ``timeout_s`` bounds one answer.
    """

    def __init__(
        self,
        find: Callable[[], Path],
        *,
        threads: int = 1,
        idle_unload_s: float = 600.0,
        timeout_s: float = math.inf,
        command: Sequence[str] = COMMAND,
        load_limit_s: float = LOAD_LIMIT_S,
    ) -> None:
        self._find = find
        self._threads = threads
        self._idle_unload_s = idle_unload_s
        self._timeout_s = timeout_s
        self._command = command
        self._load_limit_s = load_limit_s
        self._turn = trio.Lock()
        self._process: _Process | None = None
        self._loaded: tuple[Path, Stamp | None] | None = None
        self._missing: str | None = None
        self._file: Path | None = None
        self._failure: str | None = None
        self._failures = 0
        self._resting_until = 0.0
        self._closed = False
        self._look()

    @property
    def model_id(self) -> str | None:
        """The file's name; None without a file, which is looked for then."""
        if self._file is None:
            self._look()
        return None if self._file is None or self._closed else f"local:{self._file.stem}"

    def status(self) -> ChatModelStatus:
        """The current state; looks whether a model has come, and ends a process that hangs."""
        state, reason = self._state()
        return ChatModelStatus("local", self._file.stem if self._file else None, state, reason)

    async def complete(self, request: ChatRequest) -> str:
        """The answer's text; with a schema it keeps to it, unless ``max_tokens`` cut it short.

        Raises:
            ChatModelError: there is none by the deadline, or at all.
        """
        if self._closed:
            raise ChatModelError("off", "the chat model is closed")
        request = within(request, self._timeout_s)
        with trio.move_on_at(request.deadline_at):
            async with self._turn:
                return _text_of(await self._ask(request))
        raise timed_out()

    async def aclose(self) -> None:
        """End the process."""
        self._closed = True
        await self._end_process()

    def _state(self) -> tuple[ChatModelState, str | None]:
        process = self._process
        if self._closed:
            return "off", "the chat model is closed"
        if process is None and (self._file is None or stamp_of(self._file) is None):
            self._look()
        if self._file is None:
            return "degraded", self._missing
        if process is not None:
            process.end_if_hung()
            if process.running:
                return ("loading", None) if process.loading else ("ready", None)
            if not process.ended_unused:
                return "degraded", f"the chat model's process {'hung' if process.hung else 'died'}"
        return ("idle", None) if self._failure is None else ("degraded", self._failure)

    async def _ask(self, request: ChatRequest) -> wire.Answer:
        for tries_left in reversed(range(_TRIES)):
            process = await self._running()
            is_new, is_asked = process.ready is None, False
            try:
                await process.wait_ready()
                await process.drain()
                is_asked = True
                limit_s = request.deadline_at - trio.current_time()
                answer = await process.ask(
                    lambda number: _question(number, request), limit_s=limit_s + LATE_S
                )
            except trio.Cancelled:
                with trio.CancelScope(shield=True):  # else the next question waits for this answer
                    await process.give_up()
                raise
            except NotLoadedError as error:
                raise await self._failed(_cannot_load(error.problem)) from None
            except ProcessGoneError as error:
                is_spent = is_asked and not error.unused  # it died of this question
                if is_new or is_spent or not tries_left:
                    raise await self._failed(f"the chat model's process failed: {error}") from None
                await self._end_process()
            else:
                self._failures, self._failure = 0, None
                return answer
        raise AssertionError("the last try returns or raises")

    async def _running(self) -> _Process:
        process = self._process
        is_current = self._loaded is not None and self._loaded[1] == stamp_of(self._loaded[0])
        if process is not None:
            process.end_if_hung()
            if process.running and is_current:
                return process
            await self._end_process()
        if trio.current_time() < self._resting_until and is_current:
            raise ChatModelError("unavailable", self._failure or "the chat model's process failed")
        await trio.to_thread.run_sync(self._look)
        if self._file is None:
            raise ChatModelError("unavailable", self._missing or "there is no chat model")
        self._loaded = self._file, stamp_of(self._file)
        load = wire.LoadChat(str(self._file), self._threads, self._idle_unload_s)
        try:
            process = await _Process.start(
                load, wire.ChatReady, command=self._command, load_limit_s=self._load_limit_s
            )
        except OSError as error:
            raise await self._failed(
                f"the chat model's process cannot be started: {error.strerror}"
            ) from None
        except ProcessGoneError as error:
            raise await self._failed(f"the chat model's process failed: {error}") from None
        self._process = process
        if self._closed:
            await self._end_process()
            raise ChatModelError("off", "the chat model is closed")
        return process

    def _look(self) -> None:
        try:
            self._file, self._missing = self._find(), None
        except MissingModelError as error:
            self._file, self._missing = None, str(error)

    async def _failed(self, reason: str) -> ChatModelError:
        """End the process and rest before the next start, each time longer."""
        if self._process is not None:
            self._process.kill()
        await self._end_process()
        if self._closed:
            return ChatModelError("off", "the chat model is closed")
        rest_s = min(_MOST_BACKOFF_S, _BACKOFF_S * 2**self._failures)
        self._failures += 1
        self._resting_until = trio.current_time() + rest_s
        self._failure = reason
        _log.warning("chat model process failed", failures=self._failures, retry_in_s=rest_s)
        return ChatModelError("unavailable", reason)

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.aclose()


def _question(number: int, request: ChatRequest) -> wire.Complete:
    return wire.Complete(
        number,
        replace_surrogates(request.system),
        replace_surrogates(request.prompt),
        None if request.schema is None else json.dumps(request.schema),
        request.max_tokens,
        max(0.0, request.deadline_at - trio.current_time()),
    )


def _text_of(answer: wire.Answer) -> str:
    match answer:
        case wire.Completed(text=text):
            return check_answer(text)
        case wire.NotCompleted(problem="timeout"):
            raise timed_out()
        case wire.NotCompleted(problem="too_large"):
            raise ChatModelError("too_large", "the question is too long for the chat model")
        case _:
            raise ChatModelError("unavailable", "the chat model failed on the question")


def _cannot_load(problem: wire.LoadProblem) -> str:
    return NO_LIBRARY if problem == "no_library" else "llama.cpp cannot load the chat model; use another file"
