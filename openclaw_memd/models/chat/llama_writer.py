"""A chat model in llama.cpp. Only the chat model's process imports this."""

import ctypes
import math
import time
from collections.abc import Callable
from typing import Any, Final

import llama_cpp

from openclaw_memd.models import wire
from openclaw_memd.models.chat.answers import MOST_BYTES
from openclaw_memd.models.llama import repacks_safely, start_llama

CONTEXT_TOKENS: Final = 8_192
"""Room for question and answer; MEMORY.md at its budget and what is to be done with it fit twice."""

_FULL = "exceed context window"
"""How llama-cpp-python says that a question is too long."""


class ModelError(Exception):
    """llama.cpp cannot load the file."""


class NotCompletedError(Exception):
    """There is no answer to a question."""

    def __init__(self, problem: wire.CompletionProblem) -> None:
        super().__init__(problem)
        self.problem: wire.CompletionProblem = problem


class Writer:
    """A loaded model; one question at a time. ``context_tokens`` is the room for question and answer.

    ``is_given_up`` tells, also while a question is worked on, whether nobody waits for its answer.
    """

    def __init__(self, path: str, *, threads: int, is_given_up: Callable[[int], bool]) -> None:
        """Load the model at ``path``.

        Raises:
            ModelError: it cannot be loaded.
        """
        start_llama()
        if not repacks_safely():
            _do_not_repack()
        try:
            self._llama = llama_cpp.Llama(
                path,
                n_ctx=CONTEXT_TOKENS,
                n_threads=threads,
                n_threads_batch=threads,
                flash_attn=True,
                seed=0,
                no_perf=True,
                verbose=False,
            )
        except (ValueError, RuntimeError, AssertionError) as error:
            raise ModelError("llama.cpp cannot load the model") from error
        self.context_tokens = self._llama.n_ctx()
        self._is_given_up = is_given_up
        self._asked = 0
        self._due_at = math.inf
        # Kept, since llama.cpp only has its address. It stops even the reading of a long question.
        self._abort = llama_cpp.ggml_abort_callback(lambda _data: self._is_over())
        llama_cpp.llama_set_abort_callback(self._llama.ctx, self._abort, ctypes.c_void_p(0))

    def complete(self, request: wire.Complete) -> str:
        """The answer, of at most ``max_tokens``.

        Raises:
            NotCompletedError: the question is too long, the time is over, or llama.cpp failed.
        """
        self._asked, self._due_at = request.id, time.monotonic() + request.limit_s
        try:
            return self._write(request)
        except NotCompletedError:
            raise
        except Exception as error:
            # The library has no error types of its own.
            if self._is_over():
                raise NotCompletedError("timeout") from error
            raise NotCompletedError("too_large" if _FULL in str(error) else "failed") from error
        finally:
            self._due_at = math.inf

    def _is_over(self) -> bool:
        return time.monotonic() > self._due_at or self._is_given_up(self._asked)

    def _write(self, request: wire.Complete) -> str:
        chunks: Any = self._llama.create_chat_completion(
            [{"role": "system", "content": request.system}, {"role": "user", "content": request.prompt}],
            grammar=None if request.schema is None else _grammar(request.schema),
            max_tokens=request.max_tokens,
            temperature=0.0,
            stream=True,
        )
        parts: list[str] = []
        size = 0
        for chunk in chunks:
            if self._is_over():
                raise NotCompletedError("timeout")
            part = chunk["choices"][0]["delta"].get("content") or ""
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise NotCompletedError("too_large")
        return "".join(parts)


def _grammar(schema: str) -> llama_cpp.LlamaGrammar:
    """A grammar for ``schema``; for JSON of any kind where llama.cpp cannot make one of it."""
    try:
        return llama_cpp.LlamaGrammar.from_json_schema(schema, verbose=False)
    except Exception:
        return llama_cpp.LlamaGrammar.from_string(llama_cpp.llama_grammar.JSON_GBNF, verbose=False)


def _do_not_repack() -> None:
    """The class for chats has no setting for this, so the defaults that it begins with are changed."""
    library = llama_cpp.llama_cpp
    make_defaults = library.llama_model_default_params

    def defaults() -> Any:
        params = make_defaults()
        params.use_extra_bufts = False
        return params

    library.llama_model_default_params = defaults
