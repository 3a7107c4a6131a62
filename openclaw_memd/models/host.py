"""One model on this machine and its process: started when needed, tried out, watched, replaced."""

from collections.abc import Callable, Sequence
from typing import Literal

import structlog
import trio

from openclaw_memd.models import wire
from openclaw_memd.models.embedding_process import ANSWER_LIMIT_S, COMMAND, embed
from openclaw_memd.models.locate import NO_LIBRARY, LocalModel, MissingModelError
from openclaw_memd.models.process import ModelProcess, NotLoadedError, ProcessGoneError
from openclaw_memd.models.trial import find_fault, trial_texts
from openclaw_memd.models.turnstile import Turnstile
from openclaw_memd.ports import EmbedderError, EmbedderState, EmbedKind

LOAD_LIMIT_S = 600.0  # a large model on a slow card takes minutes

_BACKOFF_S = 1.0
_MOST_BACKOFF_S = 300.0

_log = structlog.get_logger("memd.models")


class RejectedModelError(EmbedderError):
    """The model was loaded, but its vectors are wrong. ``fault`` says how, the message what to do as well."""

    def __init__(self, fault: str, advice: str) -> None:
        super().__init__(f"{fault}; {advice}", permanent=True)
        self.fault = fault


class ProcessFailedError(EmbedderError):
    """The process died or hung. ``at_work``: while it embedded what it was asked."""

    def __init__(self, reason: str, *, at_work: bool) -> None:
        super().__init__(reason)
        self.at_work = at_work


class ModelHost:
    """Runs the model that ``find`` returns, in a process of its own, which ends by itself after
    ``idle_unload_s`` and comes back with the next text.

    ``find`` reads a few megabytes; it is asked again before each start and when the file is another one, so
    what is installed later is taken up. Each file is tried out when it is first loaded: one with wrong
    vectors is not used, nor loaded again. ``when_missing`` is the state to show without a model.
    """

    def __init__(
        self,
        find: Callable[[], LocalModel],
        *,
        threads: int = 1,
        idle_unload_s: float = 600.0,
        when_missing: Literal["off", "degraded"] = "off",
        command: Sequence[str] = COMMAND,
        load_limit_s: float = LOAD_LIMIT_S,
        answer_limit_s: float = ANSWER_LIMIT_S,
    ) -> None:
        self._find = find
        self._threads = threads
        self._idle_unload_s = idle_unload_s
        self._when_missing: Literal["off", "degraded"] = when_missing
        self._command = command
        self._load_limit_s = load_limit_s
        self._answer_limit_s = answer_limit_s
        self._turnstile = Turnstile()
        self._process: ModelProcess[wire.Ready] | None = None
        self._tried: LocalModel | None = None
        self._fault: str | None = None
        self._failures = 0
        self._resting_until = 0.0
        self._failure: str | None = None
        self._closed = False
        self._missing: str | None = None
        self.model: LocalModel | None = None
        self.dims: int | None = None
        self.answer_s = 0.0
        """How long the process took for the last answer, without the wait for a turn."""
        self._look()

    def state(self) -> tuple[EmbedderState, str | None]:
        """The present state and its reason; looks whether a model has come, and ends a process that hangs."""
        process = self._process
        if self._closed:
            return "off", "the embedder is closed"
        if process is None and (self.model is None or not self.model.is_current):
            self._look()
        if self.model is None:
            return self._when_missing, self._missing
        if process is not None:
            process.end_if_hung()
            if process.running:
                return ("loading", None) if process.loading else ("ready", None)
        if self._failure is not None:
            return "degraded", self._failure
        if process is not None and not process.ended_unused:
            return "degraded", f"the embedding process {'hung' if process.hung else 'died'}"
        return "idle", None

    @property
    def loading_s(self) -> float | None:
        """For how long the model has been loading; None when it is loaded."""
        process = self._process
        if process is None:
            return 0.0
        return trio.current_time() - process.started_at if process.loading else None

    async def known_model(self) -> LocalModel:
        """The model that is there.

        Raises:
            EmbedderError: there is none.
        """
        if self._closed:
            raise EmbedderError("the embedder is closed", permanent=True)
        if self.model is None:
            await trio.to_thread.run_sync(self._look)
        if self.model is None:
            raise EmbedderError(self._missing or "there is no embedding model", permanent=True)
        return self.model

    async def ask(self, model: LocalModel, texts: list[str], kind: EmbedKind) -> wire.Vectors:
        """The vectors of ``texts``, which were prepared for ``model``.

        Raises:
            RefusedError: the model cannot embed them.
            ProcessFailedError: the process failed, and rests before the next start.
            EmbedderError: the model cannot be used now, or another one has come.
        """
        async with self._turnstile.turn(kind):
            try:
                answer = await self._answer(texts, background=kind == "passage")
            except NotLoadedError as error:
                raise await self._failed(EmbedderError(self._cannot_load(error.problem))) from None
            except ProcessGoneError as error:
                at_work = self._process is not None and self._process.ready is not None
                failure = ProcessFailedError(f"the embedding process failed: {error}", at_work=at_work)
                raise await self._failed(failure) from None
            except OSError as error:
                failed = EmbedderError(f"the embedding process cannot be started: {error.strerror}")
                raise await self._failed(failed) from None
        self._failures, self._failure = 0, None
        if self.model is None or self.model.model_id != model.model_id:
            raise EmbedderError("another embedding model was installed", retry_after_s=0.0)
        return answer

    async def aclose(self) -> None:
        """End the process."""
        self._closed = True
        await self._end_process()

    def _look(self) -> None:
        before = self.model
        try:
            self.model, self._missing = self._find(), None
        except MissingModelError as error:
            self.model, self._missing = None, str(error)
        if self.model != before:
            self.dims = self.model.dims if self.model else None
            self._failures, self._failure, self._resting_until = 0, None, 0.0
            self._fault = None

    async def _answer(self, texts: list[str], *, background: bool) -> wire.Vectors:
        """The answer of the running process; one that went to sleep meanwhile, or whose file was overwritten,
        is replaced once.
        """
        try:
            process = await self._running()
            answer = await self._embed(process, texts, background=background)
            if self.model is not None and self.model.is_current:
                return answer
        except ProcessGoneError as error:
            if not error.unused and (self.model is None or self.model.is_current):
                raise
        process = await self._running()
        answer = await self._embed(process, texts, background=background)
        if self.model is not None and not self.model.is_current:
            raise ProcessGoneError("its file is being overwritten")
        return answer

    async def _embed(
        self, process: ModelProcess[wire.Ready], texts: list[str], *, background: bool
    ) -> wire.Vectors:
        began_at = trio.current_time()
        answer = await embed(process, texts, background=background, limit_s=self._answer_limit_s)
        self.answer_s = trio.current_time() - began_at
        return answer

    async def _running(self) -> ModelProcess[wire.Ready]:
        """A process with the model that is there now, tried out."""
        process = self._process
        if process is not None and self.model is not None and not self.model.is_current:
            await self._end_process()
        elif process is not None and not process.running:
            await self._end_process()
            if not process.ended_unused:
                raise ProcessGoneError("it hung" if process.hung else "it died")
        process = self._process
        if process is None:
            process = self._process = await self._start()
            if self._closed:
                raise ProcessGoneError("it came too late")
        ready = await process.wait_ready()
        self.dims = ready.dims
        if self.model is not None and self._tried != self.model:
            await self._try_out(self.model, ready)
        return process

    async def _start(self) -> ModelProcess[wire.Ready]:
        if self._closed:
            raise EmbedderError("the embedder is closed", permanent=True)
        rest_s = self._resting_until - trio.current_time()
        if rest_s > 0 and self._fault is None and self.model is not None and self.model.is_current:
            raise EmbedderError(self._failure or "the embedding process failed", retry_after_s=rest_s)
        await trio.to_thread.run_sync(self._look)
        model = await self.known_model()
        if self._fault is not None:
            raise RejectedModelError(self._fault, _advice(model))
        load = wire.Load(
            str(model.path),
            self._threads,
            model.recipe.max_tokens,
            self._idle_unload_s,
            trial_texts(model),
        )
        return await ModelProcess.start(
            load, wire.Ready, command=self._command, load_limit_s=self._load_limit_s
        )

    async def _try_out(self, model: LocalModel, ready: wire.Ready) -> None:
        """Compare what came with the model; wrong vectors are nobody's, and it is not loaded again."""
        import numpy as np

        rows = np.frombuffer(ready.trial, "<f4")
        if rows.size != len(trial_texts(model)) * ready.dims:
            raise ProcessGoneError("it sent garbage")
        fault = find_fault(model, rows.reshape(-1, ready.dims))
        if fault is None:
            self._tried = model
            return
        self._fault = fault
        raise await self._failed(RejectedModelError(fault, _advice(model)))

    def _cannot_load(self, problem: wire.LoadProblem) -> str:
        if problem == "no_library" or self.model is None:
            return NO_LIBRARY
        return f"llama.cpp cannot load the model {self.model.name}; {_advice(self.model)}"

    async def _failed(self, error: EmbedderError) -> EmbedderError:
        """End the process and rest before the next start, each time longer; ``error`` with the time."""
        if self._process is not None:
            self._process.kill()
        await self._end_process()
        if self._closed:
            return EmbedderError("the embedder is closed", permanent=True)
        rest_s = min(_MOST_BACKOFF_S, _BACKOFF_S * 2**self._failures)
        self._failures += 1
        self._resting_until = trio.current_time() + rest_s
        self._failure = str(error)
        error.retry_after_s = rest_s
        _log.warning("embedding process failed", failures=self._failures, retry_in_s=rest_s)
        return error

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.aclose()


def _advice(model: LocalModel) -> str:
    if model.expected:
        return f"run: `memd model install {model.name}`"
    return "install it again or use another (memd model list)"
